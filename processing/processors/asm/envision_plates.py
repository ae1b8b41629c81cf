"""Plates of EnVision, which are grids of numbers without letters: as many rows as a plate of so many columns has."""

import re
from collections.abc import Iterator
from itertools import groupby

ROWS = {12: 8, 24: 16, 48: 32}  # by columns
CELL = re.compile(r'"?(?:[+-]?\d[\d.]*(?:[eE][+-]?\d+)?)?"?')
LEAST_ROWS = 2  # that follow each other; fewer are no grid


def list_short_plates(text: str) -> Iterator[str]:
    """One sentence, about the first grid; wells that were not measured are empty cells, and no row is left out."""
    line = 1
    for columns, run in groupby(text.splitlines(), key=count_numbers):
        count = len(list(run))
        if columns and LEAST_ROWS <= count != ROWS[columns]:
            said = f"The plate in line {line:,} has {count:,} rows and {columns:,} columns"
            yield f"{said}: rows may be missing, or added."
            return
        line += count


def count_numbers(line: str) -> int:
    """Cells of a row of a grid, which ends with a comma and may be empty; 0 of any other line."""
    cells = line.split(",")[:-1]
    return len(cells) if line.endswith(",") and len(cells) in ROWS and all(map(CELL.fullmatch, cells)) else 0
