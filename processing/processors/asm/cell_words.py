"""Words that programs write in the place of a number: OVRFLW, *****, >4.000, #N/A, a dash in a plate.

In the rows of a plate of numbers every word is one; in lists, where words may say what a row is, those that are known.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from processing.doubts.sequences import hide_quoted

WORDS = (
    r"[<>≤≥]=? ?\d[\d.]*|>MAX|<MIN|OVRFLW|OVERFLOW|OVER|UNDERFLOW|OUT OF RANGE|SAT|SATURATED|MASKED|TNTC"
    r"|N\.D\.|#(?:DIV/0!|VALUE!|NUM!|REF!|N/A)|\*{2,}|\?{2,}"
)
KNOWN = re.compile(WORDS, re.IGNORECASE)
RESULTS = re.compile(r"-{1,}|UNDETERMINED", re.IGNORECASE)  # which lists have for what is none by nature
NUMBER = re.compile(r"[+-]?[.,]?\d[\d.,]*(?:[eE][+-]?\d+)?")
FEW = 3  # numbers of a row
COLUMN_NUMBERS = 3  # that follow each other, above a plate
NUMBERS_SHARE = 0.75  # of the cells of a plate's row, among which any word is odd
MOST_CHARACTERS = 16  # of a word
MOST_WORDS = 2000  # of a text
MOST_EMPTY = 2  # rows between those of a plate


@dataclass(frozen=True)
class CellWord:
    """Where it stands in the text."""

    start: int
    word: str

    @property
    def end(self) -> int:
        return self.start + len(self.word)


def find_words(text: str, delimiter: str, *, with_results: bool = False) -> list[CellWord]:
    """In the order of the text (lines end with LF); none where there are more than anybody would look at."""
    rows = [hide_quoted(row, delimiter).split(delimiter) for row in text.split("\n")]
    shown = [[cell.strip(' "\r') for cell in row] for row in rows]
    places = find_in_plates(shown)
    for row, place in find_in_lists(shown, is_certain=not with_results):
        places.setdefault(row, set()).add(place)
    found = [
        CellWord(start + rows[number][place].find(word), word)
        for number, at in zip(range(len(rows)), starts_of(map(len_of, rows), 0), strict=False)
        if number in places
        for place, start in enumerate(starts_of(map(len, rows[number]), at))
        if place in places[number]
        for word in [shown[number][place]]
    ]
    return found if len(found) <= MOST_WORDS else []


def len_of(row: Sequence[str]) -> int:
    return sum(map(len, row)) + len(row) - 1


def starts_of(lengths: Iterable[int], at: int) -> Iterator[int]:
    """Where each of several parts begins, with one character between them."""
    for length in lengths:
        yield at
        at += length + 1


def find_in_plates(rows: Sequence[Sequence[str]]) -> dict[int, set[int]]:
    """By row, the cells below numbers of columns that hold words."""
    found: dict[int, set[int]] = {}
    columns: Sequence[int] = ()
    empty = 0
    for number, cells in enumerate(rows):
        if head := find_column_numbers(cells):
            columns, empty = head, 0
        elif columns:
            empty = 0 if any(cells[place] for place in columns if place < len(cells)) else empty + 1
            columns = columns if empty < MOST_EMPTY else ()
            if words := set(find_in_plate_row(cells, columns)):
                found[number] = words
    return found


def find_column_numbers(cells: Sequence[str]) -> list[int]:
    """Where 1, 2, 3 … stand; nowhere in a row that is no head of a plate: its columns are not counted from 0."""
    first = next((place for place, cell in enumerate(cells) if cell.lstrip("0") == "1"), len(cells))
    last = first
    while last < len(cells) and cells[last].lstrip("0") == str(last - first + 1):
        last += 1
    counts_from_0 = first > 0 and cells[first - 1] == "0"
    return list(range(first, last)) if last - first >= COLUMN_NUMBERS and not counts_from_0 else []


def find_in_plate_row(cells: Sequence[str], columns: Sequence[int]) -> Iterator[int]:
    """Among the numbers of a row: what is known anywhere, what is not where nearly all others are numbers."""
    held = [place for place in columns if place < len(cells) and cells[place]]
    words = [place for place in held if not is_number(cells[place])]
    numbers = len(held) - len(words)
    is_numbers = numbers >= max(1, NUMBERS_SHARE * len(held))
    for place in words:
        is_result = numbers > 0 and RESULTS.fullmatch(cells[place]) is not None
        is_known = is_result or KNOWN.fullmatch(cells[place]) is not None
        if is_known or (is_numbers and len(cells[place]) <= MOST_CHARACTERS):
            yield place


def find_in_lists(rows: Sequence[Sequence[str]], *, is_certain: bool) -> Iterator[tuple[int, int]]:
    """Known words in rows with numbers; certain are those whose column has numbers too, and which are no result."""
    for _, run in groupby(enumerate(rows), key=lambda one: len(one[1])):
        table = list(run)
        words = [
            (number, place)
            for number, cells in table
            for place, cell in enumerate(cells)
            if KNOWN.fullmatch(cell) or (not is_certain and RESULTS.fullmatch(cell))
        ]
        has_numbers = {place: any(is_number(cells[place]) for _, cells in table) for _, place in words}
        yield from (
            (number, place)
            for number, place in words
            if sum(map(is_number, rows[number])) >= FEW and (has_numbers[place] or not is_certain)
        )


def is_number(cell: str) -> bool:
    return NUMBER.fullmatch(cell) is not None
