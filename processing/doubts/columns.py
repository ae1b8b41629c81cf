"""A number that lost its decimals where all others of its column have as many, written out with zeros at their end."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby, islice

from processing.doubts.sequences import hide_quoted

NUMBER = re.compile(r"0|[+-]?[1-9]\d*|[+-]?\d+\.\d*")
LEAST_CELLS = 5  # of a column, beside the odd one
MANY_CELLS = 20  # beside a zero, which some programs write without
LEAST_DECIMALS = 3  # of them
MANY_DECIMALS = 4  # of which hardly a number has none by chance
MOST_ROWS = 20_000  # that are looked at


def list_column_doubts(rows: Sequence[str], widths: Sequence[int], delimiter: str) -> Iterator[str]:
    """One sentence about the first such number."""
    numbered = zip(range(MOST_ROWS), rows, widths, strict=False)
    found = (
        f"“{cell}” in line {line + 1:,} has no decimals, as all others of its column do: the file may be damaged."
        for width, run in groupby(numbered, key=lambda one: one[2])
        if width > 1
        for line, cell in find_odd_decimals([(number, row) for number, row, _ in run], delimiter)
    )
    yield from islice(found, 1)


def find_odd_decimals(block: Sequence[tuple[int, str]], delimiter: str) -> Iterator[tuple[int, str]]:
    if len(block) <= LEAST_CELLS:
        return
    whole = [[cell.strip(' "\r') for cell in hide_quoted(row, delimiter).split(delimiter)] for _, row in block]
    kept = [(line, cells) for (line, _), cells in zip(block, whole, strict=True) if not counts_up(cells)]
    table = [cells for _, cells in kept]
    for column in zip(*table, strict=False):
        cells = [(line, cell) for (line, _), cell in zip(kept, column, strict=True) if NUMBER.fullmatch(cell)]
        decimals = Counter(len(cell.partition(".")[2]) for _, cell in cells)
        usual = max(decimals, default=0)
        if usual >= LEAST_DECIMALS and decimals[usual] == len(cells) - 1 >= LEAST_CELLS:
            line, cell = next((line, cell) for line, cell in cells if len(cell.partition(".")[2]) != usual)
            others = [other for _, other in cells if other != cell]
            is_fixed = any(other.endswith("0") for other in others)
            is_lost = is_fixed or (usual >= MANY_DECIMALS and lies_within(cell, others) and len(table[0]) == 2)
            is_lost = is_lost and (cell != "0" or (is_fixed and len(others) >= MANY_CELLS))
            if "." not in cell and line > block[0][0] and is_lost:  # above all others it is a name
                yield line, cell


def counts_up(cells: Sequence[str]) -> bool:
    """Whether it is the row of a plate's column numbers."""
    numbers = [cell for cell in cells if cell]
    return len(numbers) > LEAST_DECIMALS and numbers == [str(place) for place in range(1, len(numbers) + 1)]


def lies_within(cell: str, others: Sequence[str]) -> bool:
    """Whether it is one of them but for what is behind its point."""
    whole = [int(float(other)) for other in others]
    return min(whole) <= int(float(cell)) <= max(whole)
