"""What the rows of a text show of damage: broken numbers, cells lost or won, an end in the middle of a row."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from operator import gt, lt

from processing.doubts.columns import list_column_doubts
from processing.doubts.counted import list_counted_doubts
from processing.doubts.crossed_lists import list_cross_doubts
from processing.doubts.endings import list_ending_doubts
from processing.doubts.feet import begins_like, is_half_a_number
from processing.doubts.headings import list_heading_doubts
from processing.doubts.lettered_rows import plain_row
from processing.doubts.lists import list_list_doubts
from processing.doubts.odd_words import list_odd_words
from processing.doubts.order import list_order_doubts
from processing.doubts.paragraphs import list_paragraph_doubts
from processing.doubts.plate_blocks import list_block_doubts
from processing.doubts.plate_ends import list_plate_doubts
from processing.doubts.plate_rows import list_plate_row_doubts
from processing.doubts.sequences import list_sequence_doubts
from processing.doubts.siblings import find_lost_section, list_sibling_doubts
from processing.doubts.stated import list_stated_doubts
from processing.doubts.stretches import list_stretch_doubts
from processing.doubts.uneven_rows import list_uneven_doubts
from processing.doubts.wells import list_well_doubts
from processing.doubts.widths import ALIKE, LEAST_WIDTH, Widths, is_number

STRANGER = re.compile(r"[^\d.,eE+-]")
CANDIDATE = re.compile(
    r"\d[^\s\d.,;:/%()\"'+-]|[^\s\d.,;:/%()\"'+-]\d|[.,]{2}|[.,]\d+[.,]\d|\d[ +-]\d|\d {2,}\d"
    r"|\d\.[^\s\w.,]|\d\"\d|(?<![\w:)\"]):\d*\.\d|[^\x00-\x7f\s]\.\d|[+-][a-zA-Z]\.\d"
)
TWO_NUMBERS = re.compile(r"[+-]?\d+\.\d+ {2,}[+-]?\d+\.\d+")
BLANKS, BLANK_ROW = re.compile(r"[ \t]+"), re.compile(r"[ \t]*-?\d[\d.,eE+-]*([ \t]+-?\d[\d.,eE+-]*)+[ \t\r]*")
QUOTED = re.compile(r'"[^"]*"')
BEFORE, BEHIND = frozenset("<>~=≤≥≈*#(−–"), frozenset("*%!?+#)°")  # noqa: RUF001  # what people and programs put beside a number
SYMBOL_WITHIN = re.compile(r"\d+[$&!?@#;^|~`'\"<=>{}\\]\.?\d+")  # a digit or a point that became another character
WITHIN = frozenset(":/%()")  # times, dates, shares
THOUSANDS = re.compile(r"[+-]?\d{1,3}([’'\u202f\xa0]\d{3})+([.,]\d*)?")  # noqa: RUF001
BLANK_CELLS = ' \t,;"\r'
BEGUN = re.compile(r"[^\w\s<>~=≤≥≈*#(+\-−–—.,]\d*\.\d+")  # noqa: RUF001  # a digit before the point became another character
SHARE = re.compile(r"\d+[/:]\d+")  # which stand in no column of numbers
NEIGHBOURS = 3  # rows above and below, which say what a column holds
LEAST_NUMBERS = 20  # cells of a row that is one of numbers, whatever lies above
LEAST_DIGITS = 3
LOST_DECIMAL = re.compile(r"\d+\.[?$&@^|~`=<>{}\\#!;:]")
MANY_BEGUN, BARE_POINT = 10, re.compile(r"-?\.\d+")  # numbers of its row that begin with a zero
LEAST_DECIMALS = 12  # rows that show how many decimals a column has
LEAST_ALIKE = 10  # numbers of the last rows of a table, all with as many decimals
LEAST_BLANK_ROWS = 6
LEAST_NAMES = 8
DIGITS_SHARE = 0.8
MOST_CANDIDATES = 5000  # rows that are looked at


@dataclass
class Rows:
    text: str
    told: Sequence[str] | None = None  # of the file, before
    rows: Sequence[str] = field(init=False)
    delimiter: str | None = field(init=False)
    widths: list[int] = field(init=False)
    is_apart_by_blanks: bool = field(init=False, default=False)
    split: Callable[[int], list[str]] = field(init=False)

    def __post_init__(self) -> None:
        self.rows = self.text.split("\n" if "\n" in self.text else "\r")  # alone: of a Macintosh
        self.delimiter = choose_delimiter(self.rows)
        if self.delimiter is None and not self.text.startswith("##") and is_apart_by_blanks(self.rows):
            self.rows, self.delimiter = [BLANKS.sub("\t", row.strip()) for row in self.rows], "\t"
            self.is_apart_by_blanks = True
        self.split = lru_cache(2 * NEIGHBOURS + 2)(self.split_row)  # a cell is compared with those near it
        self.widths = [count_cells(row, self.delimiter) for row in self.rows] if self.delimiter else []

    def list_doubts(self, *, is_whole: bool) -> Iterator[str]:
        """A sentence for each kind; the plates, columns and the end are looked at where nothing else is found."""
        if self.text.lstrip("\ufeff \t\r\n").startswith(("{", "[", "<", ">")):
            return  # JSON, XML, and sequences with their names between them have a grammar of their own
        if self.delimiter is None:
            yield from list_block_doubts(self.rows, " ")
            yield from list_plate_row_doubts(self.rows, " ")
            yield from find_lost_section([row.rstrip("\r") for row in self.rows], "\t")
            return
        found = list(self.list_plain_doubts(self.delimiter, is_whole=is_whole))
        yield from found or self.list_further_doubts(self.delimiter, is_whole=is_whole)

    def list_further_doubts(self, delimiter: str, *, is_whole: bool) -> Iterator[str]:
        yield from list(list_block_doubts(self.rows, delimiter)) or list_plate_row_doubts(self.rows, delimiter)
        yield from list_sibling_doubts(self.rows, self.widths, delimiter)
        uneven = list(Widths(self.rows, self.widths, delimiter).list_doubts())
        yield from uneven or list_uneven_doubts(self.rows, self.widths, delimiter)
        yield from list_order_doubts(self.rows, self.widths, delimiter)
        yield from list_stretch_doubts(self.rows, self.widths, delimiter)
        yield from list_column_doubts(self.rows, self.widths, delimiter)
        yield from list_list_doubts(self.rows, self.widths, delimiter)
        yield from list_cross_doubts(self.rows, self.widths, delimiter)
        yield from list_counted_doubts(self.rows, self.widths, delimiter)
        yield from list_well_doubts(self.rows, self.widths, delimiter)
        yield from list_paragraph_doubts(self.rows, self.widths, delimiter)
        yield from list_stated_doubts(self.rows, self.widths, delimiter)
        yield from list_heading_doubts(self.rows, self.widths, delimiter)
        yield from list_odd_words(self.rows, self.widths, delimiter, self.told)
        if is_whole:
            yield from list_ending_doubts(self.rows, self.widths, delimiter)

    def list_plain_doubts(self, delimiter: str, *, is_whole: bool) -> Iterator[str]:
        broken = list(self.find_broken_numbers())
        if broken:
            example = f"“{broken[0][1]}” in line {broken[0][0] + 1:,}"
            yield f"{len(broken):,} cells look like broken numbers ({example}): the file may be damaged."
        elif bare := self.find_bare_points(delimiter):
            yield f"“{bare}” begins with a point, as hardly any other number does: the file may be damaged."
        odd = Widths(self.rows, self.widths, delimiter).find_odd_row()
        odd = self.find_crowded_row() if odd is None and self.is_apart_by_blanks else odd
        if odd is not None:
            yield f"Line {odd + 1:,} has {self.widths[odd]:,} cells, unlike those around it: the file may be damaged."
        intruder = self.find_intruder()
        if odd is None and intruder is not None:
            yield f"Line {intruder + 1:,} is no row like those around it: the file may be damaged."
        yield from list_sequence_doubts(self.rows, self.widths, delimiter)
        yield from list_plate_doubts(self.rows, delimiter)
        last = next((row for row in reversed(self.rows) if row.strip()), "")
        if is_whole and self.text.count('"') % 2 and last.count('"') % 2:
            yield "It ends within quotation marks: the file may be cut off."
        elif is_whole and self.ends_early():
            yield "Its last line is shorter than those before it and has no end: the file may be cut off."

    def find_broken_numbers(self) -> Iterator[tuple[int, str]]:
        share = re.compile(rf'(?:^|[{self.delimiter}"])({SHARE.pattern})(?=[{self.delimiter}"\r]|$)')
        is_plain = plain_row(self.delimiter or "").fullmatch
        others = ((number, row) for number, row in enumerate(self.rows) if not is_plain(row))
        candidates = (number for number, row in others if CANDIDATE.search(row) or share.search(row))
        for number in islice(candidates, MOST_CANDIDATES):
            cells = self.split(number)
            for place, cell in enumerate(cells):
                is_candidate = CANDIDATE.search(cell) and is_broken(cell.strip())
                is_half = LOST_DECIMAL.fullmatch(cell.strip()) is not None
                if is_half or (is_candidate and self.stands_among_numbers(number, place)):
                    yield number, cell.strip()[:40]
                elif SHARE.fullmatch(cell) and self.is_below_a_number(number, place):
                    yield number, cell[:40]

    def find_bare_points(self, delimiter: str) -> str:
        """The only number without a zero before its point, in a row in which many have one; empty: none is."""
        bare = [row for row in self.rows if f"{delimiter}." in row]
        cells = [cell.strip() for row in bare for cell in row.split(delimiter)]
        odd = [cell for cell in cells if BARE_POINT.fullmatch(cell)]
        return odd[0] if len(odd) == 1 and sum(cell.startswith("0.") for cell in cells) >= MANY_BEGUN else ""

    def split_row(self, number: int) -> list[str]:
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

    def is_below_a_number(self, number: int, place: int) -> bool:
        """Of a column of numbers, and not its name: 260/280. Among whole numbers people write 1:10, or 3/8."""
        if not (number > 0 and self.widths[number - 1] == self.widths[number]):
            return False
        above, cell = self.split(number - 1)[place], self.split(number)[place]
        is_as_long = len(cell) == len(above) >= LEAST_DIGITS
        return is_number(above) and (is_as_long or not above.isdecimal()) and self.is_column_of_numbers(number, place)

    def find_crowded_row(self) -> int | None:
        """Of a text apart by blanks the first row with more cells than all rows of numbers, among them no number.

        The last cell may be a remark.
        """
        split = [self.split(number) for number in range(len(self.rows))]
        usual = Counter(len(cells) for cells in split if all(map(is_number, cells)))
        if len(usual) != 1 or usual.total() < LEAST_BLANK_ROWS:
            return None
        (width,) = usual
        first = next(number for number, cells in enumerate(split) if all(map(is_number, cells)))
        odd = (number for number in range(first + 1, len(split)) if len(split[number]) > width > 1)
        return next(
            (number for number in odd if is_number(split[number][0]) and not all(map(is_number, split[number][:-1]))),
            None,
        )

    def find_intruder(self) -> int | None:
        """The first row that is made of digits and yet no row of numbers, among such whose first numbers go one way."""
        if len(set(self.widths)) == 1:
            return None
        for number in range(ALIKE, len(self.rows) - ALIKE):
            row, width = self.rows[number].strip(), self.widths[number]
            if width != self.widths[number - 1] == self.widths[number + 1] > 1 and is_made_of_digits(row):
                near = [*range(number - ALIKE, number), *range(number + 1, number + 1 + ALIKE)]
                if self.go_one_way(near):
                    return number
        return None

    def go_one_way(self, numbers: Sequence[int]) -> bool:
        """Whether these rows are numbers only, as many in each, and the first ones rise or fall throughout."""
        cells = [self.split(number) for number in numbers]
        if len({len(row) for row in cells}) > 1 or not all(is_number(cell) for row in cells for cell in row):
            return False
        try:
            firsts = [float(row[0].replace(",", ".")) for row in cells]
        except ValueError:
            return False
        return all(map(gt, firsts[1:], firsts)) or all(map(lt, firsts[1:], firsts))

    def ends_early(self) -> bool:
        last = self.rows[-1]
        before = self.widths[-1 - ALIKE : -1]
        if self.breaks_off_below_names():
            return True
        if not last or len(before) < ALIKE or len(set(before)) > 1 or before[0] == 1:
            return False
        is_short = self.widths[-1] < before[0] and begins_like(self.split(-1), [self.split(n) for n in (-4, -3, -2)])
        return is_short or last.count('"') % 2 == 1 or self.lost_decimals()

    def breaks_off_below_names(self) -> bool:
        """Whether the first row below those of many names lacks cells."""
        above, last = (self.widths[-2], self.widths[-1]) if len(self.widths) > 1 else (0, 0)
        return bool(self.rows[-1]) and above >= LEAST_NAMES and LEAST_WIDTH <= last < above

    def lost_decimals(self) -> bool:
        """Whether the last number has fewer than all others, of its column or around it, which have as many each."""
        column = [self.split(number)[-1] for number in range(max(0, len(self.rows) - LEAST_DECIMALS), len(self.rows))]
        decimals = [len(cell) - cell.index(".") if "." in cell and is_number(cell) else 0 for cell in column]
        if not is_half_a_number(column[-1]) or not self.rows[-1].strip(BLANK_CELLS):
            return False
        is_odd_in_column = len(set(decimals[:-1])) == 1 and decimals[0] > 2 and decimals[-1] < decimals[0]
        return is_odd_in_column or self.is_odd_in_table(decimals[-1])

    def is_odd_in_table(self, decimals: int) -> bool:
        """Whether all other numbers with decimals, in the rows as wide above, have as many, and more than this one."""
        near = reversed(range(max(0, len(self.rows) - LEAST_DECIMALS), len(self.rows)))
        last, *above = (self.split(number) for number in near if self.widths[number] == self.widths[-1])
        cells = [cell for row in (last[:-1], *above) for cell in row if "." in cell and is_number(cell)]
        others = {len(cell) - cell.index(".") for cell in cells}
        return len(cells) >= LEAST_ALIKE and len(others) == 1 and max(others) > 2 and 0 < decimals < max(others)


def choose_delimiter(rows: Sequence[str]) -> str | None:
    """Tab before semicolon before comma, each if a third of the rows that hold anything have it."""
    held = [row for row in rows if row.strip()]
    return next((one for one in "\t;," if 3 * sum(one in row for row in held) >= len(held) > 0), None)


def is_apart_by_blanks(rows: Sequence[str]) -> bool:
    """Whether half of the rows that hold anything are numbers with blanks between them."""
    held = [row for row in rows if row.strip()]
    return 2 * sum(BLANK_ROW.fullmatch(row) is not None for row in held) >= len(held) >= LEAST_BLANK_ROWS


def count_cells(row: str, delimiter: str) -> int:
    plain = QUOTED.sub("", row) if '"' in row else row
    return plain.rstrip("\r").count(delimiter) + 1


def is_made_of_digits(row: str) -> bool:
    """It holds digits, and hardly anything that does not stand in numbers."""
    plain = [character for character in row if character not in ',;\t "']
    strangers = sum(STRANGER.match(character) is not None for character in plain)
    return len(plain) >= LEAST_DIGITS and strangers <= (1 - DIGITS_SHARE) * len(plain)


def is_broken(cell: str) -> bool:
    """Whether one character makes it no number, and is none of those that stand in and beside numbers."""
    if THOUSANDS.fullmatch(cell):
        return False
    if TWO_NUMBERS.fullmatch(cell):
        return True
    if SYMBOL_WITHIN.fullmatch(cell):
        return True
    if BEGUN.fullmatch(cell):
        return True
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
