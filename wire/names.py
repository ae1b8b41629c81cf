"""What no name may be, whatever is named."""

import re

BIDIRECTIONAL = r"\u202a-\u202e\u2066-\u2069"  # controls that show a name as another than it is
BIDIRECTIONAL_CONTROLS = re.compile(f"[{BIDIRECTIONAL}]")
NO_NAME_SIGN = rf"\x00-\x1f\x7f-\x9f{BIDIRECTIONAL}"
NO_TEXT_SIGN = r"\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"
NAME_PATTERN = rf"^[^{NO_NAME_SIGN}]*[^\s{NO_NAME_SIGN}][^{NO_NAME_SIGN}]*$"  # the same, for the OpenAPI document
TEXT_PATTERN = rf"^[^{NO_TEXT_SIGN}]*[^\s{NO_TEXT_SIGN}][^{NO_TEXT_SIGN}]*$"  # of several lines, more than blanks


def name_fault(name: str) -> str | None:
    """What is wrong with a name, as a sentence, or None."""
    if not name.strip():
        return "A name has more than blanks."
    return "A name has no bidirectional controls." if BIDIRECTIONAL_CONTROLS.search(name) else None
