"""The artefacts that pages draw. A script may have written one, so nothing about them is believed."""

import json
import math
from collections.abc import Mapping
from typing import Any

from accounts.callers import Caller
from files.drawing.conventions import write_unit
from files.drawing.faults import FORMATS, find_document_fault
from files.models import File
from files.previews import find_preview

MAX_DOCUMENT_BYTES = 8 * 1024 * 1024  # what our own readers make stays far below
MEANINGLESS_UNITS = {"(unitless)", "#"}


class NotDrawable(Exception):
    """What stands in the file is no drawing of the format it claims."""


def read_document(file: File, *, by: Caller) -> dict[str, Any]:
    """The JSON of an artefact, without fault for its kind. Raises NotDrawable, NoPreview, StoreUnavailable."""
    if (file.size_bytes or 0) > MAX_DOCUMENT_BYTES:
        raise NotDrawable
    return parse_document(find_preview(file.pk, by=by).read(), kind=file.metadata.get("kind"))


def parse_document(data: bytes, *, kind: object) -> dict[str, Any]:
    """What stands in an artefact of this kind, without fault. Raises NotDrawable."""
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        raise NotDrawable from None
    if kind not in FORMATS or not isinstance(document, dict) or find_document_fault(document, kind=kind):
        raise NotDrawable
    return document


def number_or_none(value: object) -> float | None:
    """A finite number, or None for a gap."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value) if math.isfinite(value) else None
    except OverflowError:
        return None


def text_or_empty(value: object, *, most: int = 200) -> str:
    return value[:most] if isinstance(value, str) else ""


def unit_or_empty(described: Mapping[str, Any]) -> str:
    """As people write it; empty where the unit says nothing to a person."""
    unit = text_or_empty(described.get("unit"))
    return "" if unit in MEANINGLESS_UNITS else write_unit(unit)


def format_number(value: float) -> str:
    """Four significant digits, thousands grouped."""
    if value == 0 or 1e-3 <= abs(value) < 1e6:
        return f"{value:,.4g}" if abs(value) < 1e4 else f"{value:,.0f}"
    return shorten_exponent(f"{value:.3g}")


def shorten_exponent(text: str) -> str:
    """As the ticks of axes have it: 2.6e9 for 2.6e+09."""
    return text.replace("e+0", "e").replace("e+", "e").replace("e-0", "e-")


def list_shown_series(document: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Those of a curve that are seen at first."""
    return [one for one in document["series"] if one.get("hidden") is not True] or document["series"]
