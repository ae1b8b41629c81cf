"""Rows left out of a list that counts on in two ways at once: names that end with a number, and wells or an axis."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby, islice, pairwise

from processing.doubts.lists import read_well
from processing.doubts.sequences import hide_quoted, read_place

MOST_ROWS, MOST_COLUMNS = 20_000, 8  # that are looked at
LEAST_ROWS = 6  # of a list
LONGEST_GAP = 6  # rows that are left out at once
EVENNESS = 0.01  # of a step: numbers are rounded
NAME = re.compile(r"(.*\D)(\d{1,6})")
PLATES = ((8, 12), (16, 24), (32, 48))  # rows and columns
EMPTY = ' "\r'
Gap = tuple[int, int]  # the place before it, and how many are left out


def list_counted_doubts(rows: Sequence[str], widths: Sequence[int], delimiter: str) -> Iterator[str]:
    """One sentence, about the first such list."""
    numbered = zip(range(MOST_ROWS), rows, widths, strict=False)
    found = (
        f"{gap}, in two columns at once: rows may be missing."
        for width, run in groupby(numbered, key=lambda one: one[2])
        if width > 1
        for gap in find_gaps([(number, row) for number, row, _ in run], rows, delimiter)
    )
    yield from islice(found, 1)


def find_gaps(block: Sequence[tuple[int, str]], rows: Sequence[str], delimiter: str) -> Iterator[str]:
    """Names that leave out some where another column does, too, and that stand nowhere else in the text."""
    if len(block) < LEAST_ROWS:
        return
    split = [hide_quoted(row, delimiter).split(delimiter, MOST_COLUMNS)[:MOST_COLUMNS] for _, row in block]
    split = split[0 if names_a_row(split[0]) else 1 :]
    columns = [[cells[place].strip(EMPTY) for cells in split] for place in range(min(map(len, split)))]
    lines = [number for number, _ in block][-len(split) :]
    gaps = [set(find_column_gaps(column)) for column in columns]
    for place, column in enumerate(columns):
        named = find_name_gap(column)
        if named is None or not any(named in others for other, others in enumerate(gaps) if other != place):
            continue
        at, lost = named
        if not any(name in row for name in list_left_out(column[at], lost) for row in rows):
            yield f"“{column[at + 1][:40]}” follows “{column[at][:40]}” in line {lines[at + 1] + 1:,}"


def names_a_row(cells: Sequence[str]) -> bool:
    """Whether a cell of the first row counts: it is none of names of columns."""
    return any(NAME.fullmatch(cell.strip(EMPTY)) or read_place(cell.strip(EMPTY)) is not None for cell in cells)


def find_name_gap(column: Sequence[str]) -> Gap | None:
    """Of names that are the same but for the number at their end, and no wells."""
    found = [NAME.fullmatch(cell) for cell in column]
    numbers = [float(match[2]) for match in found if match]
    is_named = len(numbers) == len(column) and len({match[1] for match in found if match}) == 1
    return find_lone_step(numbers) if is_named and not all(map(read_well, column)) else None


def list_left_out(before: str, lost: int) -> list[str]:
    found = NAME.fullmatch(before)
    return [f"{found[1]}{int(found[2]) + n:0{len(found[2])}}" for n in range(1, lost + 1)] if found else []


def find_column_gaps(column: Sequence[str]) -> Iterator[Gap]:
    """Of the column as what it may count: names, numbers, wells along the rows or the columns of a plate."""
    wells = [well for cell in column if (well := read_well(cell)) is not None]
    numbers = [place for cell in column if (place := read_place(cell)) is not None]
    counts = [numbers] if len(numbers) == len(column) else []
    if len(wells) == len(column):
        fits = (plate for plate in PLATES if all(row < plate[0] and at < plate[1] for row, at in wells))
        height, width = next(fits, PLATES[-1])
        counts += [
            [float(row * width + at) for row, at in wells],
            [float(at * height + row) for row, at in wells],
        ]
    gaps = [find_name_gap(column), *map(find_lone_step, counts)]
    yield from (gap for gap in gaps if gap is not None)


def find_lone_step(places: Sequence[float]) -> Gap | None:
    """Where one step is several of the usual one, which all others are."""
    steps = [after - before for before, after in pairwise(places)]
    usual = sorted(steps)[len(steps) // 2] if len(steps) >= LEAST_ROWS - 1 else 0.0
    odd = [at for at, step in enumerate(steps) if abs(step - usual) > EVENNESS * abs(usual)]
    if not usual or len(odd) != 1:
        return None
    times = steps[odd[0]] / usual
    lost = round(times) - 1
    return (odd[0], lost) if abs(times - round(times)) < EVENNESS and 0 < lost <= LONGEST_GAP else None
