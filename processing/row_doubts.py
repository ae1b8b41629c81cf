"""What the rows of a text show of damage: broken numbers, cells lost or won, an end in the middle of a row."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from processing.sequence_doubts import list_sequence_doubts

NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+|\d{1,3}([.,]\d{3})+([.,]\d*)?)([eE][+-]?\d+)?")
STRANGER = re.compile(r"[^\d.,eE+-]")
CANDIDATE = re.compile(r"\d[^\s\d.,;:/%()\"'+-]|[^\s\d.,;:/%()\"'+-]\d|[.,]{2}|[.,]\d+[.,]\d|\d[ +-]\d")
QUOTED = re.compile(r'"[^"]*"')
BEFORE, BEHIND = frozenset("<>~=≤≥*#("), frozenset("*%!?+#)°")  # what people and programs put beside a number
WITHIN = frozenset(":/%()")  # times, dates, shares
NEIGHBOURS = 3  # rows above and below, which say what a column holds
LEAST_NUMBERS = 20  # cells of a row that is one of numbers, whatever lies above
LEAST_DIGITS = 3
ALIKE = 3  # rows of one width, among which another width is odd
LEAST_WIDTH = 3  # of rows of a table; narrower ones are lists of facts
MOST_CANDIDATES = 5000  # rows that are looked at


@dataclass
class Rows:
    text: str
    rows: Sequence[str] = field(init=False)
    delimiter: str | None = field(init=False)
    widths: Sequence[int] = field(init=False)

    def __post_init__(self) -> None:
        self.rows = self.text.split("\n")
        self.delimiter = choose_delimiter(self.rows)
        self.widths = [count_cells(row, self.delimiter) for row in self.rows] if self.delimiter else []

    def list_doubts(self, *, is_whole: bool) -> Iterator[str]:
        if self.delimiter is None or self.text.lstrip("\ufeff \t\r\n").startswith(("{", "[", "<")):
            return  # JSON and XML have a grammar of their own
        broken = list(self.find_broken_numbers())
        if broken:
            example = f"“{broken[0][1]}” in line {broken[0][0] + 1:,}"
            yield f"{len(broken):,} cells look like broken numbers ({example}): the file may be damaged."
        odd = self.find_odd_rows()
        if odd is not None:
            yield f"Line {odd + 1:,} has {self.widths[odd]:,} cells, unlike those around it: the file may be damaged."
        yield from list_sequence_doubts(self.rows, self.widths, self.delimiter)
        if is_whole and self.ends_early():
            yield "Its last line is shorter than those before it and has no end: the file may be cut off."

    def find_broken_numbers(self) -> Iterator[tuple[int, str]]:
        candidates = (number for number, row in enumerate(self.rows) if CANDIDATE.search(row))
        for number in islice(candidates, MOST_CANDIDATES):
            cells = self.split(number)
            for place, cell in enumerate(cells):
                if CANDIDATE.search(cell) and is_broken(cell.strip()) and self.stands_among_numbers(number, place):
                    yield number, cell.strip()[:40]

    def split(self, number: int) -> list[str]:
        return [cell.strip().strip('"') for cell in self.rows[number].split(self.delimiter)]

    def stands_among_numbers(self, number: int, place: int) -> bool:
        cells = [cell for cell in self.split(number) if cell]
        numbers = sum(map(is_number, cells))
        return (numbers >= LEAST_NUMBERS and numbers >= 0.8 * len(cells)) or self.is_column_of_numbers(number, place)

    def is_column_of_numbers(self, number: int, place: int) -> bool:
        """Whether what stands above and below in this place, in rows as wide, is numbers and nothing else."""
        near = range(max(0, number - NEIGHBOURS), min(len(self.rows), number + NEIGHBOURS + 1))
        alike = [one for one in near if one != number and self.widths[one] == self.widths[number]]
        cells = [cell for one in alike if (row := self.split(one)) and place < len(row) and (cell := row[place])]
        return len(cells) >= NEIGHBOURS and all(map(is_number, cells))

    def find_odd_rows(self) -> int | None:
        """The first row that is longer or shorter than rows alike on both sides of it."""
        widths = self.widths
        for number in range(ALIKE, len(widths) - ALIKE):
            width, usual = widths[number], widths[number + 1]
            alike = [usual] * ALIKE
            beside = widths[number - ALIKE : number], widths[number + 1 : number + 1 + ALIKE]
            is_odd = width not in (1, usual) and usual >= LEAST_WIDTH and beside == (alike, alike)
            if is_odd and self.is_filled(number + 1):
                return number
        return None

    def is_filled(self, number: int) -> bool:
        """At least half of its cells hold something: it is no list of facts with commas behind them."""
        return 2 * sum(map(bool, self.split(number))) >= self.widths[number]

    def ends_early(self) -> bool:
        last = self.rows[-1]
        before = self.widths[-1 - ALIKE : -1]
        if not last or len(before) < ALIKE or len(set(before)) > 1 or before[0] == 1:
            return False
        return self.widths[-1] < before[0] or last.count('"') % 2 == 1


def choose_delimiter(rows: Sequence[str]) -> str | None:
    """Tab before semicolon before comma, each if a third of the rows that hold anything have it."""
    held = [row for row in rows if row.strip()]
    return next((one for one in "\t;," if 3 * sum(one in row for row in held) >= len(held) > 0), None)


def count_cells(row: str, delimiter: str) -> int:
    plain = QUOTED.sub("", row) if '"' in row else row
    return plain.rstrip("\r").count(delimiter) + 1


def is_number(cell: str) -> bool:
    return NUMBER.fullmatch(cell) is not None


def is_broken(cell: str) -> bool:
    """Whether one character makes it no number, and is none of those that stand in and beside numbers."""
    if is_number(cell) or sum(character.isdigit() for character in cell) < LEAST_DIGITS:
        return False
    strangers = STRANGER.findall(cell)
    if len(strangers) > 1:
        return False
    if not strangers:
        return not {"-", "+"} & set(cell[1:])  # dates and ranges
    place = cell.index(strangers[0])
    if place == 0:
        return strangers[0] not in BEFORE and not strangers[0].isalpha()
    return strangers[0] not in (BEHIND if place == len(cell) - 1 else WITHIN)
