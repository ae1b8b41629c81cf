"""Rows that are wider or narrower than those around them."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, pairwise, takewhile

NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+|\d{1,3}([.,]\d{3})+([.,]\d*)?)([eE][+-]?\d+)?")
LETTER = re.compile(r'"?[A-Z]{1,2}"?[\t;,]')
ALIKE = 3  # rows of one width, among which another width is odd
ALIKE_AT_END = 10  # where fewer follow
LEAST_WIDTH = 3  # of rows of a table; narrower ones are lists of facts
LEAST_ROWS = 5  # of a text that is one table
LEAST_ABOVE = 7  # rows of a table above its last one
EMPTY = ' \t,;"\r'
LEAST_PADDED = 5  # rows that end with empty cells
MOST_NARROW, LEAST_EACH = 4, 3  # rows that lack a cell; rows of the text for each of them
MOST_PLACES = 2  # in which rows are narrower
MOST_ODD = 8  # rows that lost a cell, one below the other


@dataclass(frozen=True)
class Widths:
    rows: Sequence[str]
    widths: list[int]  # cells of each
    delimiter: str

    def list_doubts(self) -> Iterator[str]:
        """A sentence for each kind but the plainest, `find_odd_row`."""
        if (odd := self.find_odd_run()) is not None:
            first, last = odd
            lines = f"Line {last:,} has" if last == first + 1 else f"Lines {first + 1:,} to {last:,} have"
            yield f"{lines} {self.widths[first]:,} cells, unlike those around: the file may be damaged."
        elif (shifted := self.find_shifted_row()) is not None:
            yield f"Line {shifted + 1:,} has lost a cell in its middle: the file may be damaged."
        if (joined := self.find_joined_row()) is not None:
            yield f"Line {joined + 1:,} has the cells of two lines: the file may be damaged."
        if (end := self.find_short_last()) is not None:
            yield f"Line {end + 1:,}, the last of its table, has {self.widths[end]:,} cells: the file may be damaged."
        if not odd and joined is None and (only := self.find_only_odd()) is not None:
            yield f"Line {only + 1:,} alone has {self.widths[only]:,} cells: the file may be damaged."
        elif not odd and joined is None and (narrow := self.find_only_narrow()) is not None:
            first, last = narrow
            lines = f"Lines {first + 1:,} to {last + 1:,}"
            yield f"{lines} alone have {self.widths[first]:,} cells: the file may be damaged."

    def find_odd_row(self) -> int | None:
        """The first row that is longer or shorter than rows alike on both sides of it, at an end of a table longer."""
        widths = self.widths
        for number in range(ALIKE, len(widths) - 1):
            width, usual = widths[number], widths[number + 1]
            if width in (1, usual) or usual < LEAST_WIDTH:
                continue
            behind = min(ALIKE, len(widths) - 1 - number - (not self.rows[-1]))
            before = ALIKE if behind == ALIKE else ALIKE_AT_END
            beside = widths[max(0, number - before) : number] + widths[number + 1 : number + 1 + behind]
            if beside == [usual] * (before + behind) and behind and self.is_filled(number + 1):
                if self.leaves_out_empty_ends(max(width, usual)):
                    continue
                return number
        return self.find_wide_fact()

    def find_wide_fact(self) -> int | None:
        """A row near the beginning with a cell more than the facts above and below it, which end with a delimiter."""
        for number in range(1, min(ALIKE, len(self.widths) - LEAST_PADDED)):
            usual = self.widths[number - 1]
            beside = self.widths[:number] + self.widths[number + 1 : number + 1 + LEAST_PADDED]
            rows = self.rows[number - 1 : number + 1 + LEAST_PADDED]
            are_facts = all(row.rstrip("\r").endswith(self.delimiter) for row in rows)
            if self.widths[number] == usual + 1 == LEAST_WIDTH + 1 and set(beside) == {usual} and are_facts:
                return number
        return None

    def find_odd_run(self) -> tuple[int, int] | None:
        """The first few rows, alike, that are narrower than those on both sides of them: from, and up to, without."""
        for start, end in pairwise(self.starts):
            usual, width = self.widths[start - 1], self.widths[start]
            is_between = self.widths[end] == usual > width > 1 and usual >= LEAST_WIDTH and end - start <= MOST_ODD
            is_odd = is_between and self.count_alike(start, end) > ALIKE + 1 and self.is_table(start, end)
            if is_odd and not self.leaves_out_empty_ends(usual):
                return start, end
        return None

    @cached_property
    def starts(self) -> list[int]:
        """The rows that have another width than those right above them."""
        return [number for number, (before, after) in enumerate(pairwise(self.widths), start=1) if before != after]

    def leaves_out_empty_ends(self, usual: int) -> bool:
        """Whether so many rows are narrower, here and there, that their program does not write empty cells at ends."""
        narrower = (number for number in self.starts if self.widths[number - 1] == usual > self.widths[number] > 1)
        is_often = sum(1 for _ in islice(narrower, MOST_PLACES + 1)) > MOST_PLACES
        return is_often and not self.has_empty_ends

    @cached_property
    def has_empty_ends(self) -> bool:
        return any(row.rstrip('\r" ').endswith(self.delimiter) for row in self.rows)

    def count_alike(self, start: int, end: int) -> int:
        """How many rows before and behind these have the width of those right beside them."""
        usual = self.widths[end]
        alike = (
            takewhile(lambda width: width == usual, part)
            for part in (self.widths[max(0, start - ALIKE_AT_END) : start][::-1], self.widths[end : end + ALIKE_AT_END])
        )
        return sum(1 for part in alike for _ in part)

    def find_joined_row(self) -> int | None:
        """The first row with as many cells as two of those around it have when the end of a line is lost."""
        for number in range(ALIKE, len(self.widths) - 1):
            usual, width = self.widths[number + 1], self.widths[number]
            is_double = usual > 1 and width == 2 * usual - 1
            if is_double and self.widths[number - ALIKE : number] == [usual] * ALIKE and self.holds_two(number):
                return number
        return self.find_joined_first() or self.find_joined_last()

    def find_joined_last(self) -> int | None:
        """The last row of all, with the cells of two of those above it."""
        held = [number for number, row in enumerate(self.rows) if row.strip(EMPTY)]
        last = held[-1] if held else 0
        usual = self.widths[last - 1] if last > ALIKE else 0
        if usual < LEAST_WIDTH or self.widths[last] != 2 * usual - 1:
            return None
        if self.widths[last - ALIKE : last] != [usual] * ALIKE:
            return None
        shape, above = ([is_number(cell) for cell in self.split(place)] for place in (last, last - 1))
        return last if any(above) and shape[: usual - 1] == above[:-1] and shape[usual:] == above[1:] else None

    def find_joined_first(self) -> int | None:
        """The first row below the names of a table, with the cells of two of those that follow it."""
        for number in range(1, len(self.widths) - ALIKE):
            usual, width = self.widths[number + 1], self.widths[number]
            if usual < LEAST_WIDTH or width != 2 * usual - 1 or self.widths[number - 1] != usual:
                continue
            is_alike = self.widths[number + 1 : number + 1 + ALIKE] == [usual] * ALIKE
            shape, below = ([is_number(cell) for cell in self.split(place)] for place in (number, number + 1))
            if is_alike and any(below) and shape[: usual - 1] == below[:-1] and shape[usual:] == below[1:]:
                return number
        return None

    def is_table(self, start: int, end: int) -> bool:
        """Whether the rows beside these are filled, or those of a plate."""
        fewest = min(sum(map(bool, self.split(beside))) for beside in (start - 1, end))
        if any(sum(map(bool, self.split(number))) >= fewest for number in range(start, end)):
            return False  # what they lack is empty
        if not all(any(map(is_number, self.split(beside))) for beside in (start - 1, end)):
            return False  # a list of words
        firsts = {is_number(self.split(number)[0]) for number in range(start - 1, end + 1)}
        is_plate = all(LETTER.match(self.rows[number]) for number in range(start - 1, end + 1))
        if self.widths[start] < LEAST_WIDTH:
            return self.is_list_of_facts(start, end) or all(
                is_number(cell) for number in range(start - 1, end + 1) for cell in self.split(number)
            )
        return is_plate or (len(firsts) == 1 and self.is_filled(start - 1) and self.is_filled(end))

    def is_list_of_facts(self, start: int, end: int) -> bool:
        """Whether all end with a delimiter, those beside behind a value, and some of these right behind a name."""
        ends = [self.rows[number].rstrip("\r").endswith(self.delimiter) for number in range(start - 1, end + 1)]
        named = [self.split(number) for number in range(start, end)]
        beside = self.split(start - 1), self.split(end)
        is_lost = any(cells[0][:1].isalpha() and not any(cells[1:]) for cells in named)
        return all(ends) and is_lost and all(sum(map(bool, cells)) == len(cells) - 1 for cells in beside)

    def holds_two(self, number: int) -> bool:
        """Whether numbers stand in it where they do in the rows on both sides of it, twice in sequence."""
        shape, above, below = ([is_number(cell) for cell in self.split(number + step)] for step in (0, -1, 1))
        return (
            any(above) and above == below and shape[: len(above) - 1] == above[:-1] and shape[len(above) :] == above[1:]
        )

    def find_shifted_row(self) -> int | None:
        """The first row whose cells are of the kinds of those above it only when one in its middle is left out."""
        for number in range(ALIKE, len(self.widths)):
            usual = self.widths[number - 1]
            if self.widths[number] != usual - 1 or usual <= LEAST_WIDTH:
                continue
            if self.widths[number - ALIKE : number] != [usual] * ALIKE:
                continue
            above, kinds = self.kinds_of(number - 1), self.kinds_of(number)
            before = self.kinds_of(number - 2)
            is_table = above.count("number") >= LEAST_WIDTH and self.is_filled(number)
            fits = is_table and any([*above[:place], *above[place + 1 :]] == kinds for place in range(1, usual - 1))
            if fits and above == before and len(set(above)) > 1 and kinds != above[:-1]:
                return number
        return None

    def kinds_of(self, number: int) -> list[str]:
        """Of its cells: numbers, words, other texts, nothing."""
        return [kind_of(cell) for cell in self.split(number)]

    def find_short_last(self) -> int | None:
        """The last row of numbers of a table, above an empty line, that lacks what all rows above it have."""
        for number in range(ALIKE_AT_END, len(self.rows) - 1):
            usual, width = self.widths[number - 1], self.widths[number]
            if not LEAST_WIDTH < width < usual or self.rows[number + 1].strip(EMPTY):
                continue
            cells = [cell for cell in self.split(number) if cell]
            is_row = 2 * len(cells) > width and sum(map(is_number, cells)) >= len(cells) - 1
            if (
                is_row
                and self.widths[number - LEAST_ABOVE : number] == [usual] * LEAST_ABOVE
                and self.is_filled(number - 1)
            ):
                return number
        return None

    def find_only_odd(self) -> int | None:
        """The one row of a text that is otherwise a table from its first line to its last, and nothing else."""
        held = [number for number, row in enumerate(self.rows) if row.strip()]
        counts = Counter(self.widths[number] for number in held)
        usual = max(counts, default=0, key=lambda width: counts[width])
        if usual < LEAST_WIDTH or len(held) < LEAST_ROWS or counts[usual] != len(held) - 1:
            return None
        odd = next(number for number in held if self.widths[number] != usual)
        is_first = odd == held[0]
        is_named = any(cell[:1].isalpha() for cell in self.split(odd))
        is_apart = is_named and not "".join(self.rows[odd + 1 : odd + 2]).strip(EMPTY)
        is_title = is_first and (is_apart or self.widths[odd] < usual or not any(map(is_number, self.split(odd))))
        is_note = self.widths[odd] == 1 and not self.is_padded(held)
        return None if is_title or odd == held[-1] or is_note else odd

    def is_padded(self, held: Sequence[int]) -> bool:
        """Whether titles and facts, too, have the cells of the tables, empty ones: a program wrote all rows alike."""
        facts = sum(self.rows[number].rstrip("\r").endswith(2 * self.delimiter) for number in held)
        return facts >= LEAST_PADDED and self.widths[held[0]] == self.widths[held[1]] == self.widths[held[2]]

    def find_only_narrow(self) -> tuple[int, int] | None:
        """The few rows, one below the other, that lack a cell in a text of which all other rows are as wide."""
        held = [number for number, row in enumerate(self.rows) if row.strip()]
        usual = max((self.widths[number] for number in held), default=0)
        odd = [place for place, number in enumerate(held) if self.widths[number] != usual]
        if usual < LEAST_WIDTH or not 1 < len(odd) <= MOST_NARROW or len(held) < LEAST_EACH * len(odd):
            return None
        is_run = odd[-1] - odd[0] == len(odd) - 1 and odd[0] > 0 and odd[-1] < len(held) - 1
        is_narrow = all(self.widths[held[place]] == usual - 1 for place in odd)
        return (held[odd[0]], held[odd[-1]]) if is_run and is_narrow else None

    def is_filled(self, number: int) -> bool:
        """At least half of its cells hold something: it is no list of facts with commas behind them."""
        return 2 * sum(map(bool, self.split(number))) >= self.widths[number]

    def split(self, number: int) -> list[str]:
        return [cell.strip().strip('"') for cell in self.rows[number].split(self.delimiter)]


def kind_of(cell: str) -> str:
    if is_number(cell):
        return "number"
    return cell and ("word" if cell.isalpha() else "text")


def is_number(cell: str) -> bool:
    return NUMBER.fullmatch(cell) is not None
