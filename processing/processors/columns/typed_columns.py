"""Columns and what is in them: numbers, times, or text. One pass, and of text only the first rows are kept."""

import math
import re
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum

from processing.facts import is_absent
from processing.formats.numbers import simplify_number
from processing.formats.table import MAX_ROWS, Cell
from processing.processors.asm.cell_words import KNOWN
from processing.processors.columns.cell_texts import PackedTexts
from processing.processors.columns.layout import NUMBER
from processing.processors.columns.times import DateOrder, find_date_order, moment_of, seconds_of, since_epoch

DECIMAL_COMMA = re.compile(r"[+-]?(?:\d*|\d{1,3}(?:[.' \u00a0\u202f]\d{3})+),\d+(?:[EeDd][+-]?\d+)?")
GROUPED_NUMBER = re.compile(r"[+-]?\d{1,3}(?:[,' \u00a0\u202f]\d{3})+(?:\.\d+)?")
MILLIONS = re.compile(r"[+-]?[1-9]\d{0,2}(?:,\d{3}){2,}(?:\.\d+)?")
MAYBE_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")
SEPARATORS = str.maketrans("", "", ",' \u00a0\u202f")
CENSORED_NUMBER = re.compile(r"[<>≤≥]=?\s*[+-]?[\d.,]+(?:[EeDd][+-]?\d+)?\s*%?")  # below or above what can be measured
IDENTIFIER = re.compile(r"[+-]?0\d|\d{16,}$")  # leading zeros, and more digits than a number keeps
NO_NUMBER_WORDS = {"n.d.", "nd", "n.a."}
MAX_MISSING_SHARE = 0.5
MIN_STEADY_SHARE = 0.9  # of the steps of a first column; rounded times repeat now and then


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
    began_with_numbers: bool = False  # of text
    moments: list[datetime] = field(default_factory=list)  # the first and the last
    date_order: DateOrder | None = None  # of dates such as 1/13/2023
    texts: PackedTexts = field(default_factory=PackedTexts)  # of every row, as they stand

    def add_cell(self, cell: Cell, *, decimal_comma: bool) -> None:
        self.is_empty = self.is_empty and (cell is None or cell == "")
        self.texts.add(cell)
        if not self.is_numeric:
            return
        number = self.value_of(cell, decimal_comma=decimal_comma)
        if number is None:
            self.is_numeric = False
            self.began_with_numbers = self.content is Content.NUMBERS
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
        moment = moment_of(cell, order=self.date_order) if self.content is not Content.DURATIONS else None
        if moment is None:
            return None
        self.content = Content.MOMENTS
        self.moments = [*self.moments[:1], moment]
        return since_epoch(moment)

    @property
    def is_measured(self) -> bool:
        return self.is_numeric and len(self.numbers) > 0 and self.missing <= MAX_MISSING_SHARE * len(self.numbers)

    @property
    def holds_numbers(self) -> bool:
        return self.is_measured and self.content is Content.NUMBERS

    @property
    def runs_steadily(self) -> bool:
        """Up or down, without a gap."""
        steps = [later - earlier for earlier, later in zip(self.numbers, self.numbers[1:], strict=False)]
        rising, falling = sum(step > 0 for step in steps), sum(step < 0 for step in steps)
        is_one_way = rising == 0 or falling == 0
        return not self.missing and len(steps) > 1 and is_one_way and rising + falling >= MIN_STEADY_SHARE * len(steps)


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
    if cell is None or is_absent(cell) or cell.lower() in NO_NUMBER_WORDS or CENSORED_NUMBER.fullmatch(cell):
        return math.nan
    if KNOWN.fullmatch(cell):
        return math.nan
    text = cell.removesuffix("%").rstrip() if cell.endswith("%") else cell
    if decimal_comma and DECIMAL_COMMA.fullmatch(text):
        text = text.replace(".", "").translate(str.maketrans(",", ".", "' \u00a0\u202f"))
    elif not decimal_comma and GROUPED_NUMBER.fullmatch(text):
        text = text.translate(SEPARATORS)
    if not NUMBER.fullmatch(text) or IDENTIFIER.match(text):
        return None
    return float(text.upper().replace("D", "E"))


def holds_numbers(row: Sequence[Cell], *, decimal_comma: bool) -> bool:
    """At least half of the cells that say anything are numbers."""
    numbers = [number_of(cell, decimal_comma=decimal_comma) for cell in row if cell not in (None, "")]
    known = [number for number in numbers if number is not None and number == number]
    return bool(known) and 2 * len(known) >= len(numbers)


def has_any_number(row: Sequence[Cell], *, decimal_comma: bool) -> bool:
    numbers = (number_of(cell, decimal_comma=decimal_comma) for cell in row)
    return any(number is not None and number == number for number in numbers)


def uses_decimal_comma(rows: Iterable[Sequence[Cell]], *, delimiter: str) -> bool:
    """More cells are numbers with a comma than with a point; between commas these are quoted, as thousands are."""
    cells = [cell for row in rows for cell in row if isinstance(cell, str)]
    if any(MILLIONS.fullmatch(cell) for cell in cells):
        return False
    numbers = [cell for cell in cells if DECIMAL_COMMA.fullmatch(cell)]
    if delimiter == "," and all(map(MAYBE_THOUSANDS.fullmatch, numbers)):
        return False
    with_comma = len(numbers)
    return with_comma > sum("." in cell and NUMBER.fullmatch(cell) is not None for cell in cells)


def find_unclear_number(rows: Iterable[Sequence[Cell]]) -> str:
    """One that has three digits behind its comma, where every number with a comma has; else nothing."""
    cells = (cell for row in rows for cell in row if isinstance(cell, str) and "," in cell)
    numbers = [cell for cell in cells if DECIMAL_COMMA.fullmatch(cell)]
    return numbers[0] if numbers and all(map(MAYBE_THOUSANDS.fullmatch, numbers)) else ""


def build_grid(
    header: Sequence[str],
    rows: Iterable[Sequence[Cell]],
    *,
    decimal_comma: bool,
    groups: Sequence[str] = (),
    sample: Sequence[Sequence[Cell]] = (),
) -> Grid:
    """Columns in which nothing is said, not even a name, are left out. The sample decides the order of dates."""
    width = len(header)
    grid = Grid(header, [TypedColumn(date_order=date_order_of(sample, place)) for place in range(width)], [], 0)
    for row in rows:
        cells = [*row[:width], *[None] * (width - len(row))]
        grid.total_rows += 1
        for column, cell in zip(grid.columns, cells, strict=True):
            column.add_cell(cell, decimal_comma=decimal_comma)
        if len(grid.rows) < MAX_ROWS:
            grid.rows.append(cells)
    for place, column in enumerate(grid.columns):
        for row_number, shown in enumerate(grid.rows):
            shown[place] = shown_cell(column, row_number, shown[place])
    kept = [place for place in range(width) if not (grid.columns[place].is_empty and is_nameless(header[place]))]
    return Grid(
        [header[place] for place in kept],
        [grid.columns[place] for place in kept],
        [[row[place] for place in kept] for row in grid.rows],
        grid.total_rows,
        [groups[place] for place in kept] if groups else (),
    )


def date_order_of(sample: Sequence[Sequence[Cell]], place: int) -> DateOrder | None:
    return find_date_order(cell for row in sample if place < len(row) and isinstance(cell := row[place], str))


def shown_cell(column: TypedColumn, row_number: int, cell: Cell) -> Cell:
    """Numbers as such, dates in the order that everybody reads; why a number is missing stays as it is written."""
    if column.content is Content.MOMENTS and column.date_order and column.is_measured and isinstance(cell, str):
        moment = moment_of(cell, order=column.date_order)
        return moment.isoformat() if moment else cell
    if not (column.is_numeric and column.content is Content.NUMBERS):
        return cell
    number = column.numbers[row_number]
    if not math.isnan(number):
        return simplify_number(number)
    return cell if isinstance(cell, str) and not is_absent(cell) else None


def is_nameless(header: str) -> bool:
    """Without a name, or with one that was made up for it."""
    return not header or header.startswith("Column ")
