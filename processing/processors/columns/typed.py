"""Columns and what is in them: numbers, times, or text. One pass, and of text only the first rows are kept."""

import math
import re
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum

from processing.facts import is_absent
from processing.formats.numbers import plain
from processing.formats.table import MOST_ROWS, Cell
from processing.processors.columns.clock import moment_of, seconds_of, since_epoch
from processing.processors.columns.layout import NUMBER

DECIMAL_COMMA = re.compile(r"[+-]?(?:\d*|\d{1,3}(?:[.' \u00a0\u202f]\d{3})+),\d+(?:[EeDd][+-]?\d+)?")
GROUPED = re.compile(r"[+-]?\d{1,3}(?:[,' \u00a0\u202f]\d{3})+(?:\.\d+)?")
SEPARATORS = str.maketrans("", "", ",' \u00a0\u202f")
IDENTIFIER = re.compile(r"[+-]?0\d|\d{16,}$")  # leading zeros, and more digits than a number keeps
NO_NUMBER = {"ovrflw", "overflow", "over", "underflow", "out of range", "masked", "*****", "#n/a", "#value!", "#div/0!"}
MOST_MISSING = 0.5
STEADY_SHARE = 0.9  # of the steps of a first column; rounded times repeat now and then


class Content(Enum):
    NUMBERS = 1
    DURATIONS = 2
    MOMENTS = 3


@dataclass
class TypedColumn:
    """Numbers, or seconds of times, as long as every cell is one or says that there is none."""

    numbers: "array[float]" = field(default_factory=lambda: array("d"))
    is_numeric: bool = True
    missing: int = 0
    content: Content | None = None  # as the first cell that says something has it
    is_empty: bool = True
    moments: list[datetime] = field(default_factory=list)  # the first and the last

    def take(self, cell: Cell, *, decimal_comma: bool) -> None:
        self.is_empty = self.is_empty and (cell is None or cell == "")
        if not self.is_numeric:
            return
        number = self.value_of(cell, decimal_comma=decimal_comma)
        if number is None:
            self.is_numeric = False
            self.numbers = array("d")
        else:
            self.missing += math.isnan(number)
            self.numbers.append(number)

    def value_of(self, cell: Cell, *, decimal_comma: bool) -> float | None:
        number = number_of(cell, decimal_comma=decimal_comma)
        if number is not None and (math.isnan(number) or self.content in (None, Content.NUMBERS)):
            self.content = self.content if math.isnan(number) else Content.NUMBERS
            return number
        if not isinstance(cell, str) or self.content is Content.NUMBERS:
            return None
        seconds = seconds_of(cell) if self.content is not Content.MOMENTS else None
        if seconds is not None:
            self.content = Content.DURATIONS
            return seconds
        moment = moment_of(cell) if self.content is not Content.DURATIONS else None
        if moment is None:
            return None
        self.content = Content.MOMENTS
        self.moments = [*self.moments[:1], moment]
        return since_epoch(moment)

    @property
    def is_measured(self) -> bool:
        return self.is_numeric and len(self.numbers) > 0 and self.missing <= MOST_MISSING * len(self.numbers)

    @property
    def holds_numbers(self) -> bool:
        return self.is_measured and self.content is Content.NUMBERS

    @property
    def runs_steadily(self) -> bool:
        """Up or down, without a gap."""
        steps = [later - earlier for earlier, later in zip(self.numbers, self.numbers[1:], strict=False)]
        rising, falling = sum(step > 0 for step in steps), sum(step < 0 for step in steps)
        is_one_way = rising == 0 or falling == 0
        return not self.missing and len(steps) > 1 and is_one_way and rising + falling >= STEADY_SHARE * len(steps)


@dataclass
class Grid:
    """A table: the names of its columns, their numbers, the first rows as they stand and the number of all rows."""

    header: Sequence[str]
    columns: list[TypedColumn]
    rows: list[list[Cell]]
    total_rows: int
    groups: Sequence[str] = ()  # what stands above the names, repeated where it spans several


def number_of(cell: Cell, *, decimal_comma: bool) -> float | None:
    """NaN where the cell says that there is no number; None where it is text."""
    if isinstance(cell, bool):
        return None
    if isinstance(cell, int | float):
        return float(cell)
    if cell is None or is_absent(cell) or cell.lower() in NO_NUMBER:
        return math.nan
    text = cell.removesuffix("%").rstrip() if cell.endswith("%") else cell
    if decimal_comma and DECIMAL_COMMA.fullmatch(text):
        text = text.replace(".", "").translate(str.maketrans(",", ".", "' \u00a0\u202f"))
    elif not decimal_comma and GROUPED.fullmatch(text):
        text = text.translate(SEPARATORS)
    if not NUMBER.fullmatch(text) or IDENTIFIER.match(text):
        return None
    return float(text.upper().replace("D", "E"))


def uses_decimal_comma(rows: Iterable[Sequence[Cell]]) -> bool:
    """In text that no comma separates: some cells are numbers with a comma, and none is one with a point."""
    cells = [cell for row in rows for cell in row if isinstance(cell, str)]
    with_comma = any(DECIMAL_COMMA.fullmatch(cell) for cell in cells)
    return with_comma and not any("." in cell and NUMBER.fullmatch(cell) for cell in cells)


def build_grid(
    header: Sequence[str], rows: Iterable[Sequence[Cell]], *, decimal_comma: bool, groups: Sequence[str] = ()
) -> Grid:
    """Columns in which nothing is said, not even a name, are left out."""
    width = len(header)
    grid = Grid(header, [TypedColumn() for _ in range(width)], [], 0)
    for row in rows:
        cells = [*row[:width], *[None] * (width - len(row))]
        grid.total_rows += 1
        for column, cell in zip(grid.columns, cells, strict=True):
            column.take(cell, decimal_comma=decimal_comma)
        if len(grid.rows) < MOST_ROWS:
            grid.rows.append(cells)
    for place, column in enumerate(grid.columns):
        if column.holds_numbers:
            for row_number, shown in enumerate(grid.rows):
                number = column.numbers[row_number]
                shown[place] = None if math.isnan(number) else plain(number)
    kept = [place for place in range(width) if not (grid.columns[place].is_empty and is_nameless(header[place]))]
    return Grid(
        [header[place] for place in kept],
        [grid.columns[place] for place in kept],
        [[row[place] for place in kept] for row in grid.rows],
        grid.total_rows,
        [groups[place] for place in kept] if groups else (),
    )


def is_nameless(header: str) -> bool:
    """Without a name, or with one that was made up for it."""
    return not header or header.startswith("Column ")
