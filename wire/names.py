"""What no name may be, whatever is named."""

import re

BIDIRECTIONAL_CONTROLS = re.compile("[\u202a-\u202e\u2066-\u2069]")  # they show a name as another than it is


def name_fault(name: str) -> str | None:
    """What is wrong with a name, as a sentence, or None."""
    if not name.strip():
        return "A name has more than blanks."
    return "A name has no bidirectional controls." if BIDIRECTIONAL_CONTROLS.search(name) else None
