"""What no name may be, whatever is named."""

import re

BIDIRECTIONAL = r"\u202a-\u202e\u2066-\u2069"  # controls that show a name as another than it is
BIDIRECTIONAL_CONTROLS = re.compile(f"[{BIDIRECTIONAL}]")
# Signs that leave no ink, of Unicode's Default_Ignorable_Code_Point, and the empty ones of Braille and Hangul.
INVISIBLE = (
    r"\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164"
    r"\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
)
BEYOND_16_BITS = r"\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"  # not every pattern can say them
BLANKS = re.compile(rf"[\s{INVISIBLE}{BEYOND_16_BITS}]*")
NO_NAME_SIGN = rf"\x00-\x1f\x7f-\x9f{BIDIRECTIONAL}"
NO_TEXT_SIGN = r"\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"
NAME_PATTERN = rf"^[^{NO_NAME_SIGN}]*[^\s{NO_NAME_SIGN}{INVISIBLE}][^{NO_NAME_SIGN}]*$"  # for the OpenAPI document
TEXT_PATTERN = rf"^[^{NO_TEXT_SIGN}]*[^\s{NO_TEXT_SIGN}{INVISIBLE}][^{NO_TEXT_SIGN}]*$"  # of several lines


def is_blank(text: str) -> bool:
    """Whether nothing of it is to be seen: it has blanks and signs of no width alone, or no sign at all."""
    return BLANKS.fullmatch(text) is not None


def name_fault(name: str) -> str | None:
    """What is wrong with a name, as a sentence, or None."""
    return "A name has more than blanks." if is_blank(name) else direction_fault(name)


def direction_fault(name: str) -> str | None:
    """Of any name, those of files among them."""
    return "A name has no bidirectional controls." if BIDIRECTIONAL_CONTROLS.search(name) else None
