"""Numbers of one column, of which some have shorter fractions, under each other by their points."""

import re
from collections.abc import Sequence

PLAIN_NUMBER = re.compile(r"[-+\u2212]?[\d,]+(\.\d+)?")


def list_fillers(texts: Sequence[str]) -> list[str]:
    """What each lacks of the longest fraction, such as `.00`: stands unseen beside the text, which stays as it is.

    Numbers with an exponent have none, and count for none.
    """
    found = [PLAIN_NUMBER.fullmatch(text) for text in texts]
    fractions = [(one[1] or "") if one else "" for one in found]
    longest = max(map(len, fractions), default=0)
    whole = "." + "0" * (longest - 1) if longest else ""
    return [whole[len(fraction) :] if one else "" for one, fraction in zip(found, fractions, strict=True)]
