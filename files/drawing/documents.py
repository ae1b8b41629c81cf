"""The artefacts that pages draw. A script may have written one, so nothing about them is believed."""

import json
import math
from typing import Any

from accounts.callers import Caller
from files.models import File
from files.previews import find_preview

LARGEST = 2 * 1024 * 1024  # above, the page leaves the drawing to the browser


class NotDrawable(Exception):
    """What stands in the file is no drawing of the format it claims."""


def read_document(file: File, *, by: Caller) -> dict[str, Any]:
    """The JSON of an artefact. Raises NotDrawable, NoPreview, StoreUnavailable."""
    if (file.size_bytes or 0) > LARGEST:
        raise NotDrawable
    try:
        document = json.loads(find_preview(file.pk, by=by).read())
    except (ValueError, RecursionError):
        raise NotDrawable from None
    if not isinstance(document, dict):
        raise NotDrawable
    return document


def number(value: object) -> float | None:
    """A finite number, or None for a gap."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value) if math.isfinite(value) else None
    except OverflowError:
        return None


def text(value: object, *, most: int = 200) -> str:
    return value[:most] if isinstance(value, str) else ""


def shown(value: float) -> str:
    """Four significant digits, thousands grouped."""
    if value == 0 or 1e-3 <= abs(value) < 1e6:
        return f"{value:,.4g}" if abs(value) < 1e4 else f"{value:,.0f}"
    return f"{value:.3g}"
