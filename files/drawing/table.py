"""ids-table/1 as rows of text."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from files.drawing.documents import NotDrawable, number, shown, text, unit_of

MOST_ROWS, MOST_COLUMNS = 200, 40
MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?(Z|[+-]\d\d:\d\d|)")
ZONES = {"Z": "UTC", "+00:00": "UTC"}
LONG = 40  # characters that do not fit in one line of a column


@dataclass(frozen=True)
class Cell:
    text: str
    is_number: bool

    @property
    def is_long(self) -> bool:
        return len(self.text) > LONG


@dataclass(frozen=True)
class TableView:
    title: str
    columns: Sequence[Cell]  # a column is a number's where its first value is one
    rows: Sequence[Sequence[Cell]]
    total: int
    left_out: int  # columns that are not shown


def table_of(document: Mapping[str, Any]) -> TableView:
    """The first 200 rows and 40 columns. Raises NotDrawable."""
    columns, rows = document.get("columns"), document.get("rows")
    if document.get("format") != "ids-table/1" or not isinstance(columns, list) or not isinstance(rows, list):
        raise NotDrawable
    shown_rows = [[_cell(value) for value in row[:MOST_COLUMNS]] for row in rows[:MOST_ROWS] if isinstance(row, list)]
    total = document.get("total_rows")
    return TableView(
        title=text(document.get("title")),
        columns=[_head(column, index, shown_rows) for index, column in enumerate(columns[:MOST_COLUMNS])],
        rows=shown_rows,
        total=total if isinstance(total, int) and total >= len(rows) else len(rows),
        left_out=max(0, len(columns) - MOST_COLUMNS),
    )


def _head(column: object, index: int, rows: Sequence[Sequence[Cell]]) -> Cell:
    name = text(column.get("name")) if isinstance(column, dict) else ""
    unit = unit_of(column) if isinstance(column, dict) else ""
    is_number = any(len(row) > index and row[index].is_number for row in rows[:1])
    return Cell(f"{name} ({unit})" if unit else name, is_number)


def _cell(value: object) -> Cell:
    if isinstance(value, bool):
        return Cell("yes" if value else "no", False)
    if isinstance(value, int) and abs(value) < 10**15:
        return Cell(str(value), True)
    found = number(value)
    if found is not None:
        return Cell(shown(found), True)
    said = text(value, most=500)
    moment = MOMENT.fullmatch(said)
    return Cell(f"{moment[1]} {moment[2]} {ZONES.get(moment[3], moment[3])}".rstrip() if moment else said, False)
