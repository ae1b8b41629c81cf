"""Rows of a table without what people and programs put among its numbers: names once more, units behind each."""

import re
from collections.abc import Iterable, Iterator, Sequence

from processing.formats.table import Cell
from processing.processors.columns.layout import KNOWN_UNITS, NUMBER, split_name_and_unit
from processing.processors.columns.typed_columns import Grid, number_of

WITH_UNIT = re.compile(rf"(?P<number>[+-]?\d[\d.,]*(?:[Ee][+-]?\d+)?)[ \u00a0]?(?P<unit>{KNOWN_UNITS})")
TIMES = {"ms", "s", "sec", "min", "h", "hr", "hours"}  # read as times
PERCENT = "%"  # read as a number anyhow
LEAST_CELLS = 3  # with the same unit
LEAST_NUMBERS, NUMBERS_SHARE = 5, 0.8  # of a column, among which a word is odd
MOST_WARNINGS = 5


class RepeatedNames:
    """Leaves out rows that say the names of the columns again, and counts them."""

    def __init__(self, names: Sequence[Cell]) -> None:
        self.names = list(names)
        self.count = 0

    def leave_out(self, rows: Iterable[list[str]]) -> Iterator[list[str]]:
        for row in rows:
            if row == self.names:
                self.count += 1
            else:
                yield row

    def list_warnings(self) -> Iterator[str]:
        if self.count:
            yield f"The names of its columns stand in it {self.count + 1:,} times: they were read once."


def find_units(rows: Sequence[Sequence[str]], header: Sequence[str]) -> dict[int, str]:
    """Of columns in which every number has the same unit behind it, which is also that of the name, if it has one."""
    found: dict[int, str] = {}
    for place, name in enumerate(header):
        cells = [row[place] for row in rows if place < len(row) and row[place]]
        if not any(WITH_UNIT.fullmatch(cell) for cell in cells[:LEAST_CELLS]):
            continue
        told = [cell for cell in cells if not is_missing(cell)]
        units = {known["unit"] if (known := WITH_UNIT.fullmatch(cell)) else "" for cell in told}
        is_one = len(told) >= LEAST_CELLS and len(units) == 1 and not units & {"", PERCENT, *TIMES}
        if is_one and split_name_and_unit(name)[1] in (None, *units):
            found[place] = units.pop()
    return found


def is_missing(cell: str) -> bool:
    """It says that there is no number."""
    number = number_of(cell, decimal_comma=False)
    return number is not None and number != number


def name_units(header: Sequence[str], units: dict[int, str]) -> list[str]:
    """The names, with the unit where they have none."""
    return [
        f"{name} ({units[place]})" if place in units and split_name_and_unit(name)[1] is None else name
        for place, name in enumerate(header)
    ]


def take_units_off(rows: Iterable[list[str]], units: dict[int, str]) -> Iterator[list[str]]:
    for row in rows:
        yield (
            [
                known["number"]
                if place in units and (known := WITH_UNIT.fullmatch(cell)) and known["unit"] == units[place]
                else cell
                for place, cell in enumerate(row)
            ]
            if units
            else row
        )


def list_words_among_numbers(grid: Grid) -> Iterator[str]:
    """Columns that one or a few cells made text: their numbers are shown, and neither drawn nor counted with."""
    for place, (name, column) in enumerate(zip(grid.header, grid.columns, strict=True)):
        if column.is_numeric or not column.began_with_numbers:
            continue
        cells = [str(row[place]) for row in grid.rows if row[place] not in (None, "")]
        numbers = [cell for cell in cells if NUMBER.fullmatch(cell)]
        has_decimals = sum("." in cell for cell in numbers) * 2 > len(numbers)
        if has_decimals and len(numbers) >= LEAST_NUMBERS and len(numbers) >= NUMBERS_SHARE * len(cells):
            word = next((f"“{cell[:40]}”" for cell in cells if not NUMBER.fullmatch(cell)), "a cell further below")
            yield f"The column “{name}” is read as text: {word} is no number."
