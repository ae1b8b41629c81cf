"""What stretches of rows show of damage: several that stand there twice, or that all have one cell too many."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby, takewhile

from processing.doubts.order import EMPTY, LEAST_NAME, LEAST_NUMBERS, LEAST_SHORT_ROWS, LONG_NUMBER, MEASURED, is_fact
from processing.doubts.sequences import hide_quoted

MOST_ROWS, LONGEST = 20_000, 6  # rows that are looked at; of a stretch
LONGEST_PIECE, LEAST_PIECE = 100, 24  # rows; characters in them
LEAST_FACTS = 3  # of a stretch that holds no numbers
LEAST_AROUND = 3  # rows on both sides, all as wide as each other
NUMBER = re.compile(r"[<>]?[+-]?\d+(?:[.,]\d+)?(?:[eE][+-]?\d+)?%?")
PLATES = (6, 8, 12, 24, 48)  # columns of theirs


def list_stretch_doubts(rows: Sequence[str], widths: Sequence[int], delimiter: str) -> Iterator[str]:
    """One sentence of each kind, about the first."""
    lines = [row.rstrip("\r") for row in rows[:MOST_ROWS]]
    if (doubled := find_doubled_stretch(lines, widths, delimiter)) is not None:
        first, last = doubled
        yield f"Lines {first + 1:,} to {last:,} follow once more, and no others do: they may stand there twice."
    elif (spliced := find_spliced_stretch(lines)) is not None:
        first, last = spliced
        yield f"Lines {first + 1:,} to {last + 1:,} follow again behind a broken one: a piece may stand there twice."
    if (shifted := find_shifted_stretch(lines, widths, delimiter)) is not None:
        yield f"From line {shifted + 1:,} on rows have an empty cell more than those around them: cells may have moved."
    if (split := find_split_columns(lines, delimiter)) is not None:
        yield f"The numbers of the columns in line {split + 1:,} have a gap: cells may have moved."


def find_doubled_stretch(rows: Sequence[str], widths: Sequence[int], delimiter: str) -> tuple[int, int] | None:
    """Where the only two to six rows begin and end that follow once more, if they say what nobody measures twice."""
    seen: dict[str, int] = {}
    found = []
    for number, row in enumerate(rows):
        start = seen.get(row, -1) if row.strip(EMPTY) else -1
        length = number - start
        if start >= 0 and 2 <= length <= LONGEST and rows[start:number] == rows[number : number + length]:
            found.append((start, number))
        seen[row] = number
    # rows within the second copy follow those within the first one, too
    if not found or len(found) > found[0][1] - found[0][0]:
        return None
    start, end = found[0]
    counts = Counter(rows)
    said = [row for row in rows[start:end] if row.strip(EMPTY)]
    if not said or any(counts[row] != 2 for row in said):
        return None
    are_odd = (
        (len(said) == 1 and stands_alone(said[0], delimiter))
        or all(has_numbers(row, delimiter) for row in said)
        or is_unlike_others(rows, widths, (start, end))
        or (len(said) >= LEAST_FACTS and sum(states_fact(row, delimiter) for row in said) >= LEAST_FACTS - 1)
    )
    return (start, end) if are_odd else None


def find_spliced_stretch(rows: Sequence[str]) -> tuple[int, int] | None:
    """The first and the last row that stand twice where a piece that begins and ends within rows was written twice.

    Between the copies a line begins as the row behind the second and ends as the row before the first.
    """
    places: dict[str, int] = {}
    for number, row in enumerate(rows):
        start = places.get(row, -1) if row.strip(EMPTY) else -1
        places[row] = number
        size = number - start - 1  # rows of one copy, behind which the broken line stands
        end = number + size
        if (
            start < 1
            or not 0 < size <= LONGEST_PIECE
            or end >= len(rows)
            or rows[start : start + size] != rows[number:end]
        ):
            continue
        copied = [row for row in rows[start : start + size] if row.strip(EMPTY)]
        broken, before, behind = rows[number - 1], rows[start - 1], rows[end]
        is_new = broken not in (before, behind) and rows.count(broken) == 1
        is_told = sum(map(len, copied)) >= LEAST_PIECE and len(set(copied)) == len(copied)
        if is_new and is_told and is_spliced(broken, behind, before):
            return start, start + size - 1
    return None


def is_spliced(row: str, first: str, second: str) -> bool:
    """Whether it is the beginning of the one row and then the end of the other, and nothing else."""
    begun, ended = count_alike(row, first), count_alike(row[::-1], second[::-1])
    return begun + ended >= len(row) > 0


def count_alike(one: str, other: str) -> int:
    """How many characters are the same at the beginning of both."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def stands_alone(row: str, delimiter: str) -> bool:
    """As a heading does, below which nothing stands before it stands there once more."""
    heading, _, rest = row.partition(delimiter)
    return len(heading.strip(EMPTY)) >= LEAST_NAME and bool(rest) and not rest.strip(EMPTY)


def states_fact(row: str, delimiter: str) -> bool:
    filled = [cell for text in hide_quoted(row, delimiter).split(delimiter) if (cell := text.strip(EMPTY))]
    return bool(filled) and is_fact(filled)


def has_numbers(row: str, delimiter: str) -> bool:
    cells = {cell.strip(EMPTY) for cell in hide_quoted(row, delimiter).split(delimiter)}
    return len([cell for cell in cells if LONG_NUMBER.fullmatch(cell)]) >= LEAST_NUMBERS


def is_unlike_others(rows: Sequence[str], widths: Sequence[int], stretch: tuple[int, int]) -> bool:
    """Whether they are rows of one table, in which no other stands twice."""
    start, end = stretch
    alike = [row for row, width in zip(rows, widths, strict=False) if width == widths[start] and row.strip(EMPTY)]
    is_table = len(set(widths[start:end])) == 1 and all(map(MEASURED.search, rows[start:end]))
    return is_table and len(set(alike)) == len(alike) - (end - start) >= LEAST_SHORT_ROWS


def find_shifted_stretch(rows: Sequence[str], widths: Sequence[int], delimiter: str) -> int | None:
    """The first of a few rows with one cell more, whose cells are like those around them without an empty one."""
    runs = [list(run) for _, run in groupby(range(min(len(rows), len(widths))), key=lambda number: widths[number])]
    for above, run, below in zip(runs, runs[1:], runs[2:], strict=False):
        width = widths[above[0]]
        is_between = widths[below[0]] == width == widths[run[0]] - 1 and min(len(above), len(below)) >= LEAST_AROUND
        if not is_between or not 1 < len(run) <= LONGEST or width < 2:
            continue
        split = [split_kinds(rows[number], delimiter) for number in run]
        around = [split_kinds(rows[number], delimiter) for number in (*above[-LEAST_AROUND:], *below[:LEAST_AROUND])]
        if any(is_like(split, around, place) for place in range(width)):
            return run[0]
    return None


def split_kinds(row: str, delimiter: str) -> list[str]:
    """Of each cell whether it is empty, a number or words."""
    cells = (cell.strip(EMPTY) for cell in hide_quoted(row, delimiter).split(delimiter))
    return ["" if not cell else "number" if NUMBER.fullmatch(cell) else "words" for cell in cells]


def is_like(rows: Sequence[list[str]], around: Sequence[list[str]], place: int) -> bool:
    """Whether all lack a cell in this place in which those around have one, and are of their kinds without it."""
    if any(row[place] for row in rows) or not all(other[place] for other in around):
        return False
    kinds = [{other[at] for other in around} for at in range(len(around[0]))]
    if place == 0 and kinds[0] == {"words"}:  # names, of which each says something of its own
        return all(row[1] == "words" for row in rows)
    return all(
        kind in known for row in rows for kind, known in zip([*row[:place], *row[place + 1 :]], kinds, strict=True)
    )


def find_split_columns(rows: Sequence[str], delimiter: str) -> int | None:
    """A row of all numbers of a plate's columns with one empty cell in their midst."""
    for number, row in enumerate(rows):
        if f"{delimiter}{delimiter}" not in row or not row.strip(EMPTY)[-1:].isdigit():
            continue
        cells = [cell.strip(EMPTY) for cell in row.strip(f"{delimiter} \r").split(delimiter)]
        held = [cell for cell in cells if cell]
        if len(held) in PLATES and len(cells) == len(held) + 1 and held == [str(n) for n in range(1, len(held) + 1)]:
            return number
    return None
