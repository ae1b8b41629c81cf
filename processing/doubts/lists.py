"""What lists show of damage: wells missing among all others, groups and tables with other rows than they say."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, groupby, islice

from processing.doubts.lettered_rows import has_letter
from processing.doubts.sequences import hide_quoted

WELL = re.compile(r"([A-P]|A[A-F])0?([1-9]|[1-3]\d|4[0-8])")
GROUP = re.compile(r"(?P<name>\S.*?) \((?P<count>[1-9]\d{0,3})\)")
DIGITS = re.compile(r"\d+")
POINTS = re.compile(r"(length|n?points|data points|(no\.?|number) of (data )?points)\W*", re.IGNORECASE)
SIDES = re.compile(r"Number of (rows|columns)\W*", re.IGNORECASE)
NUMBER = re.compile(r"[+-]?\d+(?:[.,]\d+)?(?:[eE][+-]?\d+)?")
MOST_ROWS, MOST_CELLS = 20_000, 24  # that are looked at
LEAST_ROWS = 4  # of a list
WELLS_SHARE = 0.6  # of a column, which has a name and may have sums
LEAST_WELLS, ODD_SHARE = 4, 0.2  # which have as many rows each, but for a few
LEAST_POINTS = 10
FAR = 2  # a count of something else
Row = tuple[int, list[str]]  # line, from 0, and cells
Well = tuple[int, int]  # row and column, from 0


@dataclass(frozen=True)
class Listed:
    """Rows that follow each other and have as many cells."""

    rows: Sequence[Row]

    @property
    def line(self) -> int:
        return self.rows[0][0] + 1

    def columns(self) -> Iterator[list[str]]:
        yield from map(list, zip(*(cells for _, cells in self.rows), strict=False))


def list_list_doubts(rows: Sequence[str], widths: Sequence[int], delimiter: str) -> Iterator[str]:
    """One sentence, about the first that is odd."""

    def split(lines: Iterable[int]) -> list[Row]:
        return [(line, split_cells(rows[line], delimiter)) for line in lines]

    lines = range(min(len(rows), MOST_ROWS))
    runs = [list(run) for _, run in groupby(lines, key=lambda line: widths[line])]
    lists = [run for run in runs if widths[run[0]] > 1 and len(run) >= LEAST_ROWS]
    named = [run for run in lists if sum(has_letter(rows[line]) for line in run) >= WELLS_SHARE * len(run)]
    grouped = [run for run in lists if any(")" in rows[line] for line in run)]
    said = (
        (doubt for run in named for doubt in judge_columns(split(run), list_wells_doubts)),
        (doubt for run in grouped for doubt in judge_columns(split(run), list_group_doubts)),
        list_count_doubts(split(line for line in lines if has_letter(rows[line])), map(split, lists)),
    )
    yield from islice(chain.from_iterable(said), 1)


def split_cells(row: str, delimiter: str) -> list[str]:
    cells = hide_quoted(row, delimiter).split(delimiter, MOST_CELLS)[:MOST_CELLS]
    return [cell.strip(' "\r') for cell in cells]


def judge_columns(rows: Sequence[Row], judge: Callable[[Listed, Sequence[str]], Iterator[str]]) -> Iterator[str]:
    one = Listed(rows)
    yield from (doubt for column in one.columns() for doubt in judge(one, column))


def list_wells_doubts(one: Listed, column: Sequence[str]) -> Iterator[str]:
    """Of a column of wells."""
    places = [place for place, cell in enumerate(column) if WELL.fullmatch(cell)]
    if len(places) < LEAST_WELLS or len(places) < WELLS_SHARE * len(column):
        return
    wells = [well for place in places if (well := read_well(column[place])) is not None]
    counts = Counter(wells)
    usual = find_usual(counts)
    labels = ([other[place] for place in places] for other in one.columns() if other != column)
    if (odd := find_odd_count(counts)) and any(tells_apart(wells, label, usual) for label in labels):
        said = f"{counts[odd]:,} rows for well {name_well(odd)}, and {usual:,} for most others"
        yield f"The list in line {one.line:,} has {said}: rows may be missing, or stand there twice."


def read_well(cell: str) -> Well | None:
    found = WELL.fullmatch(cell)
    if found is None:
        return None
    letters = found[1]
    return ord(letters[-1]) - ord("A") + 26 * (len(letters) - 1), int(found[2]) - 1


def name_well(well: Well) -> str:
    row, column = well
    return f"{'A' * (row // 26)}{chr(ord('A') + row % 26)}{column + 1}"


def find_usual(counts: Counter[Well]) -> int:
    """How many rows most wells have."""
    return max(Counter(counts.values()).items(), key=lambda pair: (pair[1], pair[0]))[0]


def tells_apart(wells: Sequence[Well], labels: Sequence[str], usual: int) -> bool:
    """Whether these are names, of dyes or targets, of which each well has one row."""
    return len(set(labels)) == usual and len(set(zip(wells, labels, strict=True))) >= len(wells) - 1


def find_odd_count(counts: Counter[Well]) -> Well | None:
    """A well with fewer rows than all but a few others, or the only one with more; they have several each."""
    if len(counts) < LEAST_WELLS:
        return None
    usual = find_usual(counts)
    fewer = [well for well, count in counts.items() if count < usual]
    more = [well for well, count in counts.items() if count > usual]
    if usual < FAR or len(fewer) + len(more) > max(1, ODD_SHARE * len(counts)) or (fewer and more):
        return None
    return next(iter([*fewer, *(more if len(more) == 1 else [])]), None)


def list_group_doubts(one: Listed, column: Sequence[str]) -> Iterator[str]:
    """Of a column in which “Group 1 (8)” stands above eight rows of “Group 1”."""
    heads = [(place, found) for place, cell in enumerate(column) if (found := GROUP.fullmatch(cell))]
    if not heads:
        return
    yield from find_headless(one, column[: heads[0][0]], {DIGITS.sub("#", found["name"]) for _, found in heads})
    ends = [*(place for place, _ in heads[1:]), len(column)]
    counted = [
        (place, found, sum(cell == found["name"] for cell in column[place + 1 : end]))
        for (place, found), end in zip(heads, ends, strict=True)
    ]
    told = [int(found["count"]) == count for _, found, count in counted]
    if all(told) or not any(count for _, _, count in counted) or not (any(told) or len(told) == 1):
        return
    place, found, count = counted[told.index(False)]
    yield (
        f"“{found[0]}” in line {one.rows[place][0] + 1:,} stands above {count:,} rows: rows may be missing,"
        " or stand there twice."
    )


def find_headless(one: Listed, above: Sequence[str], names: set[str]) -> Iterator[str]:
    """The first row of a group that stands above all rows that count one."""
    place = next((place for place, cell in enumerate(above) if DIGITS.sub("#", cell) in names), None)
    if place is not None:
        said = f"“{above[place]}” in line {one.rows[place][0] + 1:,} has no row above it that counts it"
        yield f"{said}, as others have: a row may be missing."


def list_count_doubts(rows: Sequence[Row], lists: Iterable[Sequence[Row]]) -> Iterator[str]:
    """Of what a text says, in rows with names, of its only list of numbers, or of its plate."""
    filled = ((line, [cell for cell in cells if cell]) for line, cells in rows)
    pairs = [(line, cells[0], int(cells[1])) for line, cells in filled if len(cells) == 2 and cells[1].isdecimal()]
    stated = [(line, count) for line, name, count in pairs if POINTS.fullmatch(name)]
    if len(stated) == 1 and stated[0][1] >= LEAST_POINTS:
        line, count = stated[0]
        tables = [held for one in lists if (held := sum(is_numeric(cells) for _, cells in one)) >= LEAST_POINTS]
        if len(tables) == 1 and count != tables[0]:
            yield f"Line {line + 1:,} says that it has {count:,} points, and it has {tables[0]:,}: some may be missing."
    sides = {name.lower()[10:14]: (line, count) for line, name, count in pairs if SIDES.fullmatch(name)}
    if len(sides) == 2 and 3 * min(counts := [count for _, count in sides.values()]) != 2 * max(counts):
        plate = f"{sides['rows'][1]} rows and {sides['colu'][1]} columns"
        yield f"No plate has {plate}, as lines {sides['rows'][0] + 1:,} and {sides['colu'][0] + 1:,} say."


def is_numeric(cells: Sequence[str]) -> bool:
    held = [cell for cell in cells if cell]
    return len(held) > 1 and all(map(NUMBER.fullmatch, held))
