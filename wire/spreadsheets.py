"""Cells of exports that people open in a spreadsheet, which runs what looks like a formula."""

import re
from typing import Any

WIDE = ("\uff1d", "\uff0b", "\uff0d", "\uff20")  # the same signs as East Asian keyboards write them
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", *WIDE)
NUMBER = re.compile(r"[+-]?\d+(?:[.,]\d+)?(?:[eE][+-]?\d+)?", re.ASCII)


def to_cell(value: Any) -> Any:
    """The value, with an apostrophe before text that would be a formula. Numbers stay numbers, signed ones too."""
    if not isinstance(value, str) or not value.startswith(FORMULA_STARTS) or NUMBER.fullmatch(value):
        return value
    return f"'{value}"


def to_cells(row: dict[str, Any]) -> dict[str, Any]:
    """One row of an export."""
    return {name: to_cell(value) for name, value in row.items()}
