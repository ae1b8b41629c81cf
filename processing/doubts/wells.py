"""Lists of wells in the midst of which a line stands that is none of theirs: readers take it for the end."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby, islice

from processing.doubts.lettered_rows import has_letter
from processing.doubts.lists import WELL
from processing.doubts.sequences import hide_quoted

MOST_ROWS, MOST_CELLS = 20_000, 4  # that are looked at
AROUND = 4  # rows with wells, on both sides
EMPTY = ' "\r'
DIGIT = re.compile(r"\d")


def list_well_doubts(rows: Sequence[str], widths: Sequence[int], delimiter: str) -> Iterator[str]:
    """One sentence, about the first such line."""
    yield from islice(find_strangers(rows[:MOST_ROWS], widths, delimiter), 1)


def find_strangers(rows: Sequence[str], widths: Sequence[int], delimiter: str) -> Iterator[str]:
    for width, run in groupby(range(len(rows)), key=lambda number: widths[number]):
        lines = list(run)
        if width <= 1 or sum(has_letter(rows[line]) for line in lines) < 2 * AROUND:
            continue
        split = [hide_quoted(rows[line], delimiter).split(delimiter, MOST_CELLS)[:MOST_CELLS] for line in lines]
        for column in zip(*split, strict=False):
            place = find_stranger([WELL.fullmatch(cell.strip(EMPTY)) is not None for cell in column])
            if place is not None and is_text(rows[lines[place]], delimiter):
                yield f"Line {lines[place] + 1:,} stands within a list of wells, and names none: it may have moved."


def find_stranger(are_wells: Sequence[bool]) -> int | None:
    """The first place without a well that has several with one on both sides."""
    return next(
        (
            place
            for place in range(AROUND, len(are_wells) - AROUND)
            if not are_wells[place]
            and all(are_wells[place - AROUND : place])
            and all(are_wells[place + 1 : place + 1 + AROUND])
        ),
        None,
    )


def is_text(row: str, delimiter: str) -> bool:
    return bool(row.replace(delimiter, "").strip(EMPTY)) and DIGIT.search(row) is None
