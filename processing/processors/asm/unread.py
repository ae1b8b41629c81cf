"""What stands in the tables of a text and is missing in the document that a parser made of it.

Parsers leave out columns, rows and sections by design, so that little can be said of numbers that are not there: that
hardly any is, that a plate was taken in part, or the first of two exports in one file.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from processing.doubts.rows import choose_delimiter

NUMBERS = re.compile(rb"-?\d+\.?\d*(?:[eE][+-]?\d+)?")
NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
WITH_UNIT = re.compile(r"(?P<number>[+-]?\d+(?:\.\d+)?) ?(?:[A-Za-zµ°][\w/%°]{0,5}|%)")
CENSORED = re.compile(r"[<>≤≥]=? ?\d[\d.,]*")
NO_NUMBERS = {"ovrflw", "overflow", "over", "underflow", "masked", "*****", "#n/a", "#value!", "#div/0!", "saturated"}
NO_DIGIT = re.compile(r"\D")
PLATE_ROW = re.compile(r"[A-Z]|A[A-F]")
LEAST_DIGITS = 3  # of a number that is found nowhere by chance
LEAST_PLATE, PLATE_SHARE = 8, 0.5  # numbers of a plate, and how many of them make it one that is taken
LEAST_COLUMN, COLUMN_SHARE = 4, 0.75  # numbers of a column, and their share, among which a word is odd
LEAST_COPY, LEAST_HEAD = 4, 8  # numbers of a second export; characters of its first line
LEAST_TEXT, TEXT_SHARE = 10, 0.05  # of a text, of which hardly anything was taken
EMPTY = ' \t,;"\r'


@dataclass(frozen=True)
class Told:
    """A number of the text, and whether the document has it."""

    line: int
    text: str
    is_taken: bool


@dataclass(frozen=True)
class Stretch:
    """Rows that follow each other and have as many cells."""

    is_plate: bool
    numbers: Sequence[Told]
    words: Sequence[tuple[int, str]]  # lines and cells that say why there is no number where others have one

    @property
    def missing(self) -> list[Told]:
        return [number for number in self.numbers if not number.is_taken]

    def holds(self, *, least: int, share: float) -> bool:
        taken = len(self.numbers) - len(self.missing)
        return len(self.numbers) >= least and taken >= share * len(self.numbers)


def list_unread(text: str, document: bytes) -> Iterator[str]:
    """One sentence about numbers of the text (lines end with LF) that are not in the document, as JSON."""
    rows = text.split("\n")
    delimiter = choose_delimiter(rows)
    if delimiter is None or text.lstrip().startswith(("{", "[", "<")):
        return  # JSON and XML hold what no reader shows
    known = {key_of(number.decode()) for number in NUMBERS.findall(document)}
    stretches = list(find_stretches(rows, delimiter, known))
    numbers = [number for stretch in stretches for number in stretch.numbers]
    taken = sum(number.is_taken for number in numbers)
    if len(numbers) >= LEAST_TEXT and taken < TEXT_SHARE * len(numbers):
        yield f"Of {len(numbers):,} numbers in its tables {taken:,} were read: it may be damaged, or of another form."
        return
    words = [(line, word) for stretch in stretches for line, word in stretch.words if word.encode() not in document]
    if words:
        line, word = min(words)
        said = f"the first is “{word}” in line {line:,}"
        yield f"{len(words):,} cells among numbers hold none, and were left out ({said})."
    if lost := [*find_lost_in_plates(stretches), *find_lost_copy(rows, numbers)]:
        first = min(lost, key=lambda number: number.line)
        yield f"{len(lost):,} numbers of its tables were not read (the first is “{first.text}” in line {first.line:,})."


def find_lost_in_plates(stretches: Sequence[Stretch]) -> Iterator[Told]:
    for stretch in stretches:
        if stretch.is_plate and stretch.holds(least=LEAST_PLATE, share=PLATE_SHARE):
            yield from stretch.missing


def find_lost_copy(rows: Sequence[str], numbers: Sequence[Told]) -> Iterator[Told]:
    """Of what stands behind a second line as the first one, where hardly any of it was taken: a second export."""
    line = next((number for number, row in enumerate(rows, start=1) if row.strip(EMPTY)), 0)
    first = rows[line - 1].strip(EMPTY) if line else ""
    again = next((number for number in range(line + 1, len(rows) + 1) if rows[number - 1].strip(EMPTY) == first), 0)
    if not again or len(first) < LEAST_HEAD:
        return
    behind = [number for number in numbers if number.line >= again]
    before = [number for number in numbers if number.line < again]
    taken_before, taken_behind = (sum(number.is_taken for number in part) for part in (before, behind))
    if len(behind) >= LEAST_COPY and 2 * taken_before >= len(before):
        yield from (number for number in behind if not number.is_taken and 2 * taken_behind < len(behind))


def find_stretches(rows: Sequence[str], delimiter: str, known: set[str]) -> Iterator[Stretch]:
    split = [[cell.strip(' "') for cell in row.rstrip("\r").split(delimiter)] for row in rows]
    line = 0
    for width, run in groupby(split, key=len):
        table = list(run)
        if width > 1:
            told = (
                Told(line + place, cell, key_of(cell) in known)
                for place, cells in enumerate(table, start=1)
                for cell in cells
                if is_telling(cell)
            )
            yield Stretch(is_plate(table), list(told), list(find_words(table, first=line + 1)))
        line += len(table)


def find_words(table: Sequence[Sequence[str]], *, first: int) -> Iterator[tuple[int, str]]:
    """In columns of numbers, and in rows of them: a list may have but one."""
    found = list(find_words_in_columns(table, first=first))
    lines = {line for line, _ in found}
    yield from found
    yield from (one for one in find_words_in_rows(table, first=first) if one[0] not in lines)


def find_words_in_rows(table: Sequence[Sequence[str]], *, first: int) -> Iterator[tuple[int, str]]:
    for line, row in enumerate(table, start=first):
        words = [cell for cell in row if cell.lower() in NO_NUMBERS or CENSORED.fullmatch(cell)]
        if words and sum(NUMBER.fullmatch(cell) is not None for cell in row) >= LEAST_COLUMN:
            yield from ((line, word) for word in words)


def find_words_in_columns(table: Sequence[Sequence[str]], *, first: int) -> Iterator[tuple[int, str]]:
    for column in zip(*table, strict=True):
        if not any(is_no_number(cell) for cell in column):
            continue
        filled = [cell for cell in column if cell]
        numbers = sum(NUMBER.fullmatch(cell) is not None for cell in filled)
        if numbers >= LEAST_COLUMN and numbers >= COLUMN_SHARE * len(filled):
            begin = next(place for place, cell in enumerate(column) if NUMBER.fullmatch(cell))
            words = ((place, cell) for place, cell in enumerate(column) if is_no_number(cell))
            yield from ((first + place, cell) for place, cell in words if place > begin or is_plate(table))


def is_no_number(cell: str) -> bool:
    """Whether it is what programs write in place of a number, or a number with something beside it."""
    if not cell or NUMBER.fullmatch(cell):
        return False
    return cell.lower() in NO_NUMBERS or any(kind.fullmatch(cell) for kind in (CENSORED, WITH_UNIT))


def is_plate(table: Sequence[Sequence[str]]) -> bool:
    """Whether its rows begin with one letter each, but for those above them."""
    letters = [row[0] for row in table if PLATE_ROW.fullmatch(row[0])]
    in_order = sorted(set(letters), key=lambda letter: (len(letter), letter))
    return len(letters) > 1 and 2 * len(letters) >= len(table) and letters == in_order


def is_telling(cell: str) -> bool:
    """A number with so many digits that it is in a document for no other reason."""
    if len(cell) < LEAST_DIGITS or (NUMBER.fullmatch(cell) is None and WITH_UNIT.fullmatch(cell) is None):
        return False
    return len(NO_DIGIT.sub("", re.split("[eE]", cell)[0]).strip("0")) >= LEAST_DIGITS


def key_of(number: str) -> str:
    with_unit = WITH_UNIT.fullmatch(number)
    return f"{float(with_unit['number'] if with_unit else number):.6g}"
