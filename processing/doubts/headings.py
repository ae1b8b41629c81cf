"""Names above a table that are fewer or more than its columns, or stand in one line with its first row."""

from collections.abc import Iterator, Sequence
from itertools import islice

from processing.doubts.sequences import hide_quoted
from processing.doubts.widths import NUMBER

LEAST_NAMES = 6  # of a table; smaller ones are lists of facts
LEAST_ROWS = 3  # below, alike
EMPTY = ' "\r'
MOST_LINES = 20_000  # that are looked at
MOST_TABLES = 200  # whose names are compared
SHARE = 0.8  # of the cells of a row of names that hold one


def list_heading_doubts(rows: Sequence[str], widths: Sequence[int], delimiter: str) -> Iterator[str]:
    """One sentence, about the first table of which the names do not fit."""
    yield from islice(find_misfits(rows[:MOST_LINES], widths, delimiter), 1)


def find_misfits(rows: Sequence[str], widths: Sequence[int], delimiter: str) -> Iterator[str]:
    places = range(len(rows) - LEAST_ROWS)
    odd = (n for n in places if widths[n] != widths[n + 1] and len(set(widths[n + 1 : n + 1 + LEAST_ROWS])) == 1)
    for number in islice(odd, MOST_TABLES):
        named, usual = widths[number], widths[number + 1]
        if usual < LEAST_NAMES or (number and rows[number - 1].count(delimiter) + 1 == usual):
            continue
        heads = split_cells(rows[number], delimiter)
        table = [split_cells(row, delimiter) for row in rows[number + 1 : number + 1 + LEAST_ROWS]]
        if not all(any(map(NUMBER.fullmatch, cells)) for cells in table):
            continue
        if named == 2 * usual - 1 and are_names(heads[: usual - 1]) and is_like(heads[usual:], table[0][1:]):
            yield f"Line {number + 1:,} has names and the first row of their table: two lines may have become one."
        elif are_names(heads) and named >= LEAST_NAMES and is_misfit(named, usual, table):
            yield (
                f"Line {number + 1:,} names {named:,} columns, and the rows below have {usual:,} cells:"
                " the file may be damaged."
            )


def split_cells(row: str, delimiter: str) -> list[str]:
    return [cell.strip(EMPTY) for cell in hide_quoted(row, delimiter).split(delimiter)]


def are_names(cells: Sequence[str]) -> bool:
    named = sum(any(character.isalpha() for character in cell) for cell in cells)
    return len(cells) >= LEAST_NAMES - 1 and named >= SHARE * len(cells) and not any(map(NUMBER.fullmatch, cells))


def is_like(cells: Sequence[str], others: Sequence[str]) -> bool:
    """Whether there are numbers where those are."""
    return [bool(NUMBER.fullmatch(cell)) for cell in cells] == [bool(NUMBER.fullmatch(cell)) for cell in others]


def is_misfit(named: int, usual: int, table: Sequence[Sequence[str]]) -> bool:
    """Rows may end with a delimiter, or leave out empty cells at their end."""
    if named < usual:
        return any(cell for cells in table for cell in cells[named:])
    return False
