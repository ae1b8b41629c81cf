"""What makes numbers doubtful, whoever read them: bytes that were overwritten become floats beyond all measuring."""

import json
from collections.abc import Iterator, Sequence

from processing.facts import shorten_text
from processing.readings import Artefact, Kind

LARGEST, SMALLEST = 1e30, 1e-30  # of magnitudes; nothing that an instrument counts or weighs lies beyond
MAX_TITLE_CHARACTERS = 80


def list_doubts(artefacts: Sequence[Artefact]) -> Iterator[str]:
    """A sentence for each curve that holds such numbers; thinning keeps what stands out of a curve."""
    for artefact in artefacts:
        if artefact.kind is not Kind.CURVE:
            continue
        count = count_impossible(artefact.data)
        if count:
            title = shorten_text(artefact.title or artefact.name, MAX_TITLE_CHARACTERS)
            yield f"{count:,} points of “{title}” are no measured numbers (beyond 1e±30): the file may be damaged."


def count_impossible(document: bytes) -> int:
    """How many of the ordinates of a curve lie beyond. What is no curve is judged elsewhere."""
    try:
        series = json.loads(document)["series"]
        return sum(is_impossible(number) for one in series for number in one["y"])
    except (ValueError, KeyError, TypeError):
        return 0


def is_impossible(number: float | None) -> bool:
    return bool(number) and not SMALLEST <= abs(number or 0) <= LARGEST
