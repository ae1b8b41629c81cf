"""ids-table/1 as rows of text."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any

from files.drawing.conventions import write_title
from files.drawing.decimals import list_fillers
from files.drawing.documents import NotDrawable, format_number, number_or_none, text_or_empty, unit_or_empty

MAX_ROWS_PER_TABLE, MAX_COLUMNS_PER_TABLE = 200, 40
ISO_TIMESTAMP = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?(Z|[+-]\d\d:\d\d|)")
ZONE_NAMES = {"Z": "UTC", "+00:00": "UTC"}
MASS = re.compile(r"\bm/z$|\bmass(?: difference)?$", re.IGNORECASE)
MAX_CHARS_PER_LINE = 40  # characters that do not fit in one line of a column


@dataclass(frozen=True)
class TableCell:
    text: str
    is_number: bool
    filler: str = ""  # see `list_fillers`

    @property
    def is_long(self) -> bool:
        return len(self.text) > MAX_CHARS_PER_LINE


@dataclass(frozen=True)
class TableView:
    title: str
    columns: Sequence[TableCell]  # a column is a number's where its first value is one
    rows: Sequence[Sequence[TableCell]]
    total: int
    left_out: int  # columns that are not shown


def build_table_view(document: Mapping[str, Any]) -> TableView:
    """The first 200 rows and 40 columns. Raises NotDrawable."""
    columns, rows = document.get("columns"), document.get("rows")
    if document.get("format") != "ids-table/1" or not isinstance(columns, list) or not isinstance(rows, list):
        raise NotDrawable
    are_masses = [_is_mass(column) for column in columns[:MAX_COLUMNS_PER_TABLE]]
    shown_rows = [
        [
            _build_cell(value, is_mass=is_mass)
            for value, is_mass in zip_longest(row[:MAX_COLUMNS_PER_TABLE], are_masses[: len(row)])
        ]
        for row in rows[:MAX_ROWS_PER_TABLE]
        if isinstance(row, list)
    ]
    total = document.get("total_rows")
    return TableView(
        title=text_or_empty(document.get("title")),
        columns=[
            _build_header(column, index, shown_rows) for index, column in enumerate(columns[:MAX_COLUMNS_PER_TABLE])
        ],
        rows=_align(shown_rows),
        total=total if isinstance(total, int) and total >= len(rows) else len(rows),
        left_out=max(0, len(columns) - MAX_COLUMNS_PER_TABLE),
    )


def _build_header(column: object, index: int, rows: Sequence[Sequence[TableCell]]) -> TableCell:
    name = text_or_empty(column.get("title") or column.get("name")) if isinstance(column, dict) else ""
    unit = text_or_empty(column.get("unit")) if isinstance(column, dict) and unit_or_empty(column) else ""
    is_number = any(len(row) > index and row[index].is_number for row in rows[:1])
    return TableCell(write_title(name, unit), is_number)


def _align(rows: Sequence[Sequence[TableCell]]) -> Sequence[Sequence[TableCell]]:
    """By the points of each column; rows may be of unequal length."""
    columns = zip_longest(*rows, fillvalue=TableCell("", False))
    fillers = [list_fillers([cell.text if cell.is_number else "" for cell in column]) for column in columns]
    return [
        [replace(cell, filler=fillers[place][line]) if cell.is_number else cell for place, cell in enumerate(row)]
        for line, row in enumerate(rows)
    ]


def _is_mass(column: object) -> bool:
    """Whose fifth digit still tells one molecule from another."""
    return isinstance(column, dict) and MASS.search(text_or_empty(column.get("name"))) is not None


def _build_cell(value: object, *, is_mass: bool | None = False) -> TableCell:
    if isinstance(value, bool):
        return TableCell("yes" if value else "no", False)
    if isinstance(value, int) and abs(value) < 10**15:
        return TableCell(str(value), True)
    found = number_or_none(value)
    if found is not None:
        is_exact = is_mass and 1e-3 <= abs(found) < 1e6
        return TableCell(f"{found:.7g}" if is_exact else format_number(found), True)
    said = text_or_empty(value, most=500)
    moment = ISO_TIMESTAMP.fullmatch(said)
    return TableCell(
        f"{moment[1]} {moment[2]} {ZONE_NAMES.get(moment[3], moment[3])}".rstrip() if moment else said, False
    )
