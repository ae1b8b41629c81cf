"""Lists in which each name of one column has the same names of another, but for one: rows are missing there."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, islice

from processing.doubts.lettered_rows import has_letter
from processing.doubts.sequences import hide_quoted

MOST_ROWS, MOST_CELLS = 20_000, 24  # that are looked at
LEAST_ROWS = 8  # of a list
LEAST_KEYS = 3  # that have all names, beside one that has not
LEAST_NAMES = 2  # of each
LEAST_LONG = 8  # names, of which one key is enough
EMPTY = ' "\r'
Column = Sequence[str]


@dataclass(frozen=True)
class Run:
    """Rows below each other with the same key: from, and up to, without."""

    key: str
    start: int
    end: int

    @property
    def size(self) -> int:
        return self.end - self.start


def list_cross_doubts(rows: Sequence[str], widths: Sequence[int], delimiter: str) -> Iterator[str]:
    """One sentence, about the first list that lacks rows."""
    found = (
        f"In the list in line {lines[0] + 1:,} there are {odd.size:,} rows for “{odd.key[:40]}”, and {usual:,} for all"
        " others: rows may be missing, or stand there twice."
        for lines, columns in list_tables(rows[:MOST_ROWS], widths, delimiter)
        for odd, usual in find_odd_runs(columns)
    )
    yield from islice(found, 1)


def list_tables(
    rows: Sequence[str], widths: Sequence[int], delimiter: str
) -> Iterator[tuple[Sequence[int], Sequence[Column]]]:
    """Rows that follow each other with as many cells, by columns; where each but the first has a name."""
    for width, run in groupby(range(len(rows)), key=lambda number: widths[number]):
        lines = list(run)
        if width > LEAST_NAMES and len(lines) >= LEAST_ROWS and all(has_letter(rows[line]) for line in lines[1:]):
            split = [split_cells(rows[line], delimiter) for line in lines]
            yield lines, list(zip(*split, strict=False))


def split_cells(row: str, delimiter: str) -> list[str]:
    cells = hide_quoted(row, delimiter).split(delimiter, MOST_CELLS)[:MOST_CELLS]
    return [cell.strip(EMPTY) for cell in cells]


def find_odd_runs(columns: Sequence[Column]) -> Iterator[tuple[Run, int]]:
    """Each column whose keys stand together, against all others."""
    for place, keys in enumerate(columns):
        runs = list_runs(keys)
        if len(runs) < LEAST_NAMES or len({run.key for run in runs}) < len(runs):
            continue
        sizes = Counter(run.size for run in runs)
        usual = max(sizes, key=lambda size: (sizes[size], size))
        odd = [run for run in runs if run.size != usual]
        if usual < LEAST_NAMES or not is_one_place(odd):
            continue
        whole = [run for run in runs if run.size == usual]
        others = [column for other, column in enumerate(columns) if other != place]
        if any(is_crossed(names, whole, odd) for names in others):
            yield odd[0], usual


def is_one_place(odd: Sequence[Run]) -> bool:
    """One, or two that follow each other."""
    return len(odd) == 1 or (len(odd) == LEAST_NAMES and odd[0].end == odd[1].start)


def list_runs(keys: Column) -> list[Run]:
    """Of names; the first cell may be that of the column, and empty ones have no key."""
    start = 1 if len(keys) > 1 and keys[0] != keys[1] and keys[0].isprintable() else 0
    runs, at = list[Run](), start
    for key, run in groupby(keys[start:]):
        size = sum(1 for _ in run)
        runs.append(Run(key, at, at + size))
        at += size
    is_named = all(any(character.isalpha() for character in run.key) for run in runs)
    return runs if is_named else []


def is_crossed(names: Column, whole: Sequence[Run], odd: Sequence[Run]) -> bool:
    """Whether all other keys have the same names in the same order, which the odd ones have in part."""
    listed = names[whole[0].start : whole[0].end]
    is_set = len(set(listed)) == len(listed) and any(character.isalpha() for name in listed for character in name)
    if not is_set or any(names[run.start : run.end] != listed for run in whole[1:]):
        return False
    places = [[listed.index(name) for name in names[run.start : run.end] if name in listed] for run in odd]
    if any(len(found) < run.size or found != sorted(found) for found, run in zip(places, odd, strict=True)):
        return False
    if len(whole) >= LEAST_KEYS:
        return True
    lost = sorted(set(range(len(listed))) - set(places[0]))
    return len(odd) == 1 and len(listed) >= LEAST_LONG and len(places[0]) >= LEAST_LONG // 2 and is_run(lost)


def is_run(places: Sequence[int]) -> bool:
    return bool(places) and places[-1] - places[0] == len(places) - 1
