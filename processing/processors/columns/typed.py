"""Columns and what is in them: numbers, or text. One pass, and of text only the first rows are kept."""

import math
import re
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from processing.facts import is_absent
from processing.formats.numbers import plain
from processing.formats.plate import Plate
from processing.formats.table import MOST_ROWS, Cell
from processing.processors.columns.layout import NUMBER

DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+(?:[Ee][+-]?\d+)?")
IDENTIFIER = re.compile(r"[+-]?0\d|\d{16,}$")  # leading zeros, and more digits than a number keeps
NO_NUMBER = {"ovrflw", "overflow", "over", "underflow", "out of range", "masked", "*****", "#n/a", "#value!", "#div/0!"}
MOST_MISSING = 0.5


@dataclass
class TypedColumn:
    """Numbers as long as every cell is one, or says that there is none."""

    numbers: "array[float]" = field(default_factory=lambda: array("d"))
    is_numeric: bool = True
    missing: int = 0

    def take(self, cell: Cell, *, decimal_comma: bool) -> None:
        if not self.is_numeric:
            return
        number = number_of(cell, decimal_comma=decimal_comma)
        if number is None:
            self.is_numeric = False
            self.numbers = array("d")
        else:
            self.missing += math.isnan(number)
            self.numbers.append(number)

    @property
    def holds_numbers(self) -> bool:
        return self.is_numeric and len(self.numbers) > 0 and self.missing <= MOST_MISSING * len(self.numbers)

    @property
    def is_strictly_monotonic(self) -> bool:
        pairs = zip(self.numbers, self.numbers[1:], strict=False)
        steps = [later - earlier for earlier, later in pairs]
        return len(steps) > 1 and (all(step > 0 for step in steps) or all(step < 0 for step in steps))


@dataclass
class Grid:
    """A table: the names of its columns, their numbers, the first rows as they stand and the number of all rows."""

    header: Sequence[str]
    columns: list[TypedColumn]
    rows: list[list[Cell]]
    total_rows: int
    plate: Plate | None = None  # where the rows are those of a plate


def number_of(cell: Cell, *, decimal_comma: bool) -> float | None:
    """NaN where the cell says that there is no number; None where it is text."""
    if isinstance(cell, bool):
        return None
    if isinstance(cell, int | float):
        return float(cell)
    if cell is None or is_absent(cell) or cell.lower() in NO_NUMBER:
        return math.nan
    text = cell.replace(",", ".") if decimal_comma and DECIMAL_COMMA.fullmatch(cell) else cell
    if not NUMBER.fullmatch(text) or IDENTIFIER.match(text):
        return None
    return float(text.upper().replace("D", "E"))


def uses_decimal_comma(rows: Iterable[Sequence[Cell]]) -> bool:
    """In text that no comma separates: some cells are numbers with a comma, and none is one with a point."""
    cells = [cell for row in rows for cell in row if isinstance(cell, str)]
    with_comma = any(DECIMAL_COMMA.fullmatch(cell) for cell in cells)
    return with_comma and not any("." in cell and NUMBER.fullmatch(cell) for cell in cells)


def build_grid(header: Sequence[str], rows: Iterable[Sequence[Cell]], *, decimal_comma: bool) -> Grid:
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
    return grid
