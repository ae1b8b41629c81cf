"""Numbers as artefacts hold them: seven significant digits, and null where there is none."""

import json
import math
from typing import Any

MAX_EXACT_INTEGER = 2**53


def round_number(value: float | int | None) -> float | int | None:
    """Seven significant digits; whole numbers without a point; nothing for NaN and infinities."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value
    if not math.isfinite(value):
        return None
    short = float(f"{value:.7g}")
    return short + 0.0  # -0.0 becomes 0.0


def simplify_number(value: float) -> float | int:
    """A fact: 384.0 is 384, so that a filter written by a person matches."""
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < MAX_EXACT_INTEGER else value


def encode_document(document: Any) -> bytes:
    """The bytes of an artefact: the same for the same document, and never NaN."""
    return json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
