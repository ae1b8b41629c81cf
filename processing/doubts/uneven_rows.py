"""Rows within a table of numbers of which some have cells too many and others too few, or whose names stand below."""

from collections.abc import Iterator, Sequence
from itertools import chain, islice, pairwise

from processing.doubts.sequences import hide_quoted
from processing.doubts.widths import Widths, is_number, kind_of

LEAST_BESIDE = 5  # rows alike above, and as many below
LEAST_WIDTH, LEAST_NUMBERS = 4, 2  # cells of a row; numbers among them
MOST_UNEVEN = 8  # rows, one below the other
MOST_MISSING = 2  # cells that such a row may lack
LEAST_BELOW = 2  # rows of a table whose names stand below its first one
MOST_ROWS = 20_000  # that are looked at
EMPTY = ' \t,;"\r'


def list_uneven_doubts(rows: Sequence[str], widths: Sequence[int], delimiter: str) -> Iterator[str]:
    """One sentence, about the first that is odd."""
    lines, counted = rows[:MOST_ROWS], widths[:MOST_ROWS]
    said = (find_stretch(lines, counted, delimiter), find_late_names(lines, counted, delimiter))
    yield from islice(chain.from_iterable(said), 1)


def find_stretch(rows: Sequence[str], widths: Sequence[int], delimiter: str) -> Iterator[str]:
    """A few rows of several widths, of numbers as those around them, which are alike above and below."""
    breaks = [number for number, (one, next_) in enumerate(pairwise(widths), start=1) if one != next_]
    table = Widths(rows, list(widths), delimiter)
    for place, start in enumerate(breaks, start=1):
        usual = widths[start - 1]
        near = (end for end in breaks[place : place + MOST_UNEVEN] if end <= start + MOST_UNEVEN)
        end = max((end for end in near if widths[end] == usual), default=None)
        if end is None or usual < LEAST_WIDTH or table.leaves_out_empty_ends(max(widths[start - 1 : end])):
            continue
        above, below = range(start - LEAST_BESIDE, start), range(end, end + LEAST_BESIDE)
        if above[0] < 0 or below[-1] >= len(rows) or any(widths[line] != usual for line in (*above, *below)):
            continue
        kinds = {tuple(kinds_of(rows[line], delimiter)) for line in (*above, *below)}
        if len(kinds) > 1 or not holds_numbers(next(iter(kinds)), usual):
            continue
        if all(is_like_row(rows[line], usual, delimiter) for line in range(start, end)):
            yield (
                f"Lines {start + 1:,} to {end:,} have other numbers of cells than those above and below:"
                " the file may be damaged."
                if end > start + 1
                else f"Line {start + 1:,} has another number of cells than those above and below: it may be damaged."
            )


def kinds_of(row: str, delimiter: str) -> list[str]:
    """Numbers, words, other texts, nothing."""
    return [kind_of(cell.strip(EMPTY)) for cell in hide_quoted(row, delimiter).split(delimiter)]


def holds_numbers(kinds: Sequence[str], usual: int) -> bool:
    return kinds.count("number") >= max(LEAST_NUMBERS, usual // 2) and "" not in kinds


def is_like_row(row: str, usual: int, delimiter: str) -> bool:
    """It holds hardly fewer cells than those around, half of them numbers."""
    kinds = [kind for kind in kinds_of(row, delimiter) if kind]
    return usual - MOST_MISSING <= len(kinds) and 2 * kinds.count("number") >= len(kinds)


def find_late_names(rows: Sequence[str], widths: Sequence[int], delimiter: str) -> Iterator[str]:
    """The names of a table stand below its first row, which is like those that follow."""
    for number in range(len(rows) - LEAST_BELOW - 1):
        usual = widths[number]
        is_first = number == 0 or widths[number - 1] != usual or not rows[number - 1].strip(EMPTY)
        if (
            not is_first
            or usual < LEAST_WIDTH
            or widths[number + 1 : number + 2 + LEAST_BELOW] != [usual] * (1 + LEAST_BELOW)
        ):
            continue
        first, *table = (
            kinds_of(rows[line], delimiter) for line in (number, *range(number + 2, number + 2 + LEAST_BELOW))
        )
        cells = [cell.strip(EMPTY) for cell in rows[number + 1].split(delimiter)]
        are_names = all(cell[:1].isalpha() for cell in cells) and len(set(cells)) == usual
        is_row = first.count("number") >= 1 and all(kinds == first for kinds in table) and has_digits(rows[number])
        if are_names and is_row and not any(map(is_number, cells)):
            yield (
                f"The names of the table in line {number + 2:,} stand below its first row:"
                " lines may have changed places."
            )


def has_digits(row: str) -> bool:
    return any(character.isdigit() for character in row)
