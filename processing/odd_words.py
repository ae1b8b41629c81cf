"""A word in the place of a number, in a row or a column where all others are numbers."""

import re
from collections.abc import Iterator, Sequence
from itertools import chain, groupby, islice

from processing.sequence_doubts import hide_quoted

NUMBER = re.compile(r"[<>~]?[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?%?|nan", re.IGNORECASE)
WORD = re.compile(r"[^\W\d_]{2,}[^\d]*")
KNOWN = re.compile(  # what programs write for no number, which parsers tell
    r".*(range|fl?o?w|mask|satur|undef|unknown|empty|miss|n/?a\b|none|null|[#*?!])|ok\b|pass|fail|valid|yes\b|no\b|true\b|false\b",
    re.IGNORECASE,
)
LEAST_NUMBERS = 4  # of the column, or the row
DECIMALS_SHARE = 0.5  # of the numbers: whole numbers may be names
LEAST_WHOLE = 8  # of a column of numbers without decimals
LEAST_WIDTH = 4  # of tables whose columns are looked at: narrower ones are lists of facts
UNIT = re.compile(r"\((%|[µmnkcup]?[glLMmsAVW]|[\w%µ]{1,6}/\w{1,4}|um|nm|min|°C)\):?$")
MOST_ROWS = 20_000  # that are looked at
Odd = tuple[int, str]  # line and cell


def list_odd_words(rows: Sequence[str], widths: Sequence[int], delimiter: str) -> Iterator[str]:
    """One sentence about the first such word."""
    numbered = zip(range(MOST_ROWS), rows, widths, strict=False)
    found = (
        f"“{word[:40]}” in line {line + 1:,} stands in the place of a number: those around it are numbers."
        for width, run in groupby(numbered, key=lambda one: one[2])
        if width > 1
        for line, word in find_odd_words([(number, row) for number, row, _ in run], delimiter)
    )
    yield from islice(chain(found, list_words_with_units(rows[:MOST_ROWS], delimiter)), 1)


def list_words_with_units(rows: Sequence[str], delimiter: str) -> Iterator[str]:
    """Of a list of facts: a word behind a name with a unit, where all other such names have numbers."""
    pairs = [(line, cells) for line, row in enumerate(rows, start=1) if len(cells := split_pair(row, delimiter)) == 2]
    stated = [(line, value) for line, (name, value) in pairs if UNIT.search(name)]
    words = [(line, value) for line, value in stated if not value[:1].isdigit() and value[:1] not in "<>~+-."]
    if len(words) == 1 and len(stated) > LEAST_NUMBERS and WORD.fullmatch(words[0][1]) and not KNOWN.match(words[0][1]):
        yield f"“{words[0][1][:40]}” in line {words[0][0]:,} stands behind a unit, and is no number."


def split_pair(row: str, delimiter: str) -> list[str]:
    return [text for cell in row.split(delimiter) if (text := cell.strip(' "\r'))]


def find_odd_words(block: Sequence[tuple[int, str]], delimiter: str) -> Iterator[Odd]:
    table = [[cell.strip(' "\r') for cell in hide_quoted(row, delimiter).split(delimiter)] for _, row in block]
    for number, cells in enumerate(table):
        place = find_odd_place(cells)
        near = [row[place] for row in (*table[number - 1 : number], *table[number + 1 : number + 2]) if place]
        if place is not None and share_of_decimals(cells) >= DECIMALS_SHARE and any(map(NUMBER.fullmatch, near)):
            yield block[number][0], cells[place]
    for column in zip(*table, strict=True) if len(block) > LEAST_NUMBERS and len(table[0]) >= LEAST_WIDTH else ():
        place = find_odd_place(column)
        if place is not None and is_measured(column):
            yield block[place][0], column[place]


def find_odd_place(cells: Sequence[str]) -> int | None:
    """Where the only word stands between the first and the last number, with a number on both sides of it."""
    is_number = [NUMBER.fullmatch(cell) is not None for cell in cells]
    if sum(is_number) < LEAST_NUMBERS:
        return None
    first, last = is_number.index(True), len(cells) - 1 - is_number[::-1].index(True)
    others = [place for place in range(first, last) if not is_number[place]]
    if len(others) != 1 or not (is_number[others[0] - 1] and is_number[others[0] + 1]):
        return None
    word = cells[others[0]]
    return others[0] if WORD.fullmatch(word) and not KNOWN.match(word) else None


def share_of_decimals(cells: Sequence[str]) -> float:
    numbers = [cell for cell in cells if NUMBER.fullmatch(cell)]
    return sum("." in cell or "," in cell for cell in numbers) / len(numbers)


def is_measured(column: Sequence[str]) -> bool:
    """Whether its numbers have decimals, or are many."""
    return (
        share_of_decimals(column) >= DECIMALS_SHARE
        or sum(NUMBER.fullmatch(cell) is not None for cell in column) >= LEAST_WHOLE
    )
