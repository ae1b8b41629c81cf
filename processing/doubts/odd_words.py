"""A word in the place of a number, in a row or a column where all others are numbers."""

import re
from collections.abc import Iterator, Sequence
from itertools import chain, groupby, islice

from processing.doubts.lettered_rows import has_letter, plain_row
from processing.doubts.sequences import hide_quoted

NUMBER = re.compile(r"[<>~]?[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?%?|nan", re.IGNORECASE)
LETTERS = re.compile(r"[^\W\d_]{2}")
WORD = re.compile(r"[^\W\d_]{2,}[^\d]*")
KNOWN = re.compile(  # what programs write for no number, which parsers tell
    r".*(range|fl?o?w|mask|satur|undef|unknown|empty|miss|n/?a\b|none|null|[#*?!])|ok\b|pass|fail|valid|yes\b|no\b|true\b|false\b",
    re.IGNORECASE,
)
LEAST_NUMBERS = 4  # of the column, or the row
DECIMALS_SHARE = 0.5  # of the numbers: whole numbers may be names
LEAST_WHOLE = 8  # of a column of numbers without decimals
EACH_SIDE, LEAST_BESIDE = 2, 6  # rows beside a word in a short column; numbers of its row
LEAST_WIDTH = 4  # of tables whose columns are looked at: narrower ones are lists of facts
LONE = re.compile(  # a dash, and what programs write for too much and for what went wrong
    r"-{1,5}|[–—]|\*{2,}|#(?:DIV/0!|VALUE!|NUM!|REF!|N/A)"  # noqa: RUF001
    r"|OVRFLW|OVERFLOW|OVER|UNDERFLOW|OUT OF RANGE|SAT|SATURATED|TNTC",
    re.IGNORECASE,
)
LONE_CELL = re.compile(rf'[\t,;]"? *(?:{LONE.pattern}) *"?(?=[\t,;\r]|$)', re.IGNORECASE)
MANY_NUMBERS = 20  # of a column, where its row has few
FAILED = "error|err|invalid"  # not OVRFLW: readers tell that
ERROR = re.compile(rf"[\t,;]\"?({FAILED})\"?(?=[\t,;\r]|$)", re.IGNORECASE)
ERROR_CELL = re.compile(rf"(\d+,)?({FAILED})", re.IGNORECASE)
SAID = re.compile(r"error|status|flag|result|note|comment|message|remark|warning|call|quality|qc", re.IGNORECASE)
MOST_ABOVE = 200  # lines, that may name its column
UNIT = re.compile(r"\((%|[µmnkcup]?[glLMmsAVW]|[\w%µ]{1,6}/\w{1,4}|um|nm|min|°C)\):?$")
PLATE_ROW = re.compile(r"[A-P]|A[A-F]")
MOST_ROWS = 20_000  # that are looked at
Odd = tuple[int, str]  # line and cell


def list_odd_words(
    rows: Sequence[str], widths: Sequence[int], delimiter: str, told: Sequence[str] | None = None
) -> Iterator[str]:
    """One sentence about the first such word; `told` is what was said of the file before."""
    numbered = zip(range(MOST_ROWS), rows, widths, strict=False)
    blocks = [
        [(number, row) for number, row, _ in run]
        for width, run in groupby(numbered, key=lambda one: one[2])
        if width > 1
    ]
    found = (
        f"“{word[:40]}” in line {line + 1:,} stands in the place of a number: those around it are numbers."
        for find in (find_odd_words, find_odd_cells, *([] if told is None else [find_lone_words]))
        for block in blocks
        for line, word in find(block, delimiter)
        if not any((word if word.isalpha() else f"({word})") in one or f"“{word}”" in one for one in told or ())
    )
    lines = rows[:MOST_ROWS]
    further = (list_words_with_units(lines, delimiter), list_error_words(lines, widths, delimiter))
    yield from islice(chain(found, *further), 1)


def list_error_words(rows: Sequence[str], widths: Sequence[int], delimiter: str) -> Iterator[str]:
    """The only word of all that programs write for what went wrong, in a row of numbers, and not below “Error”."""
    found = (
        line for line, row in enumerate(rows) if has_letter(row) and ERROR.search(row) and widths[line] > EACH_SIDE
    )
    places = [line for line in found if sum(map(is_number, split_cells(rows[line], delimiter))) >= EACH_SIDE]
    if len(places) != 1:
        return
    line = places[0]
    cells = split_cells(rows[line], delimiter)
    errors = [place for place, cell in enumerate(cells) if ERROR_CELL.fullmatch(cell)]
    numbers = sum(map(is_number, cells))
    if len(errors) != 1:
        return
    alike = [number for number in range(max(0, line - MOST_ABOVE), line) if widths[number] == widths[line]]
    above = [other[errors[0]] for number in alike if len(other := split_cells(rows[number], delimiter)) == len(cells)]
    is_measured_above = bool(above) and is_number(above[-1])
    if above and not any(map(SAID.search, above)) and (numbers >= LEAST_NUMBERS or is_measured_above):
        yield f"“{cells[errors[0]]}” in line {line + 1:,} stands in the place of a number: those around it are numbers."


def is_number(cell: str) -> bool:
    return NUMBER.fullmatch(cell) is not None


def split_cells(row: str, delimiter: str) -> list[str]:
    return [cell.strip(' "\r') for cell in hide_quoted(row, delimiter).split(delimiter)]


def list_words_with_units(rows: Sequence[str], delimiter: str) -> Iterator[str]:
    """Of a list of facts: a word behind a name with a unit, where all other such names have numbers."""
    named = ((line, row) for line, row in enumerate(rows, start=1) if "(" in row)
    pairs = [(line, cells) for line, row in named if len(cells := split_pair(row, delimiter)) == 2]
    stated = [(line, value) for line, (name, value) in pairs if UNIT.search(name)]
    words = [(line, value) for line, value in stated if not value[:1].isdigit() and value[:1] not in "<>~+-."]
    if len(words) == 1 and len(stated) > LEAST_NUMBERS and WORD.fullmatch(words[0][1]) and not KNOWN.match(words[0][1]):
        yield f"“{words[0][1][:40]}” in line {words[0][0]:,} stands behind a unit, and is no number."


def split_pair(row: str, delimiter: str) -> list[str]:
    return [text for cell in row.split(delimiter) if (text := cell.strip(' "\r'))]


def find_odd_words(block: Sequence[tuple[int, str]], delimiter: str) -> Iterator[Odd]:
    """Most rows are looked at only as far as to see that they have no words: long tables are numbers throughout."""
    worded = [number for number, (_, row) in enumerate(block) if has_letter(row) and LETTERS.search(row)]
    if not worded:
        return
    judged = block if worded != [0] else block[:2]  # the names of the columns
    table = [split_cells(row, delimiter) for _, row in judged]
    for number in worded:
        cells = table[number]
        place = find_odd_place(cells)
        near = [row[place] for row in (*table[number - 1 : number], *table[number + 1 : number + 2]) if place]
        is_row = share_of_decimals(cells) >= DECIMALS_SHARE or is_plate_row(cells)
        if place is not None and is_row and any(map(NUMBER.fullmatch, near)):
            yield block[number][0], cells[place]
    is_looked_at = worded != [0] and len(block) > LEAST_NUMBERS and len(table[0]) >= LEAST_WIDTH
    for column in zip(*table, strict=True) if is_looked_at else ():
        place = find_odd_place(column) if any(WORD.fullmatch(column[number]) for number in worded) else None
        if place is not None and is_measured(column):
            yield block[place][0], column[place]


def find_odd_cells(block: Sequence[tuple[int, str]], delimiter: str) -> Iterator[Odd]:
    """The only cell of a long column that is no number, in a row that has numbers where those beside it have some."""
    lettered = [line for line, (_, row) in enumerate(block) if has_letter(row)]
    if not lettered or (lettered == [0] and not any(map(is_number, split_cells(block[0][1], delimiter)))):
        return
    table = [split_cells(row, delimiter) for _, row in block]
    is_named = not any(map(is_number, table[0]))
    for place, column in enumerate(zip(*table, strict=True)):
        odd = [line for line in lettered if is_odd_cell(column[line]) and not is_number(column[line])]
        odd = odd[1:] if odd[:1] == [0] and is_named else odd  # the names of the columns
        if len(odd) != 1:
            continue
        line, numbers = odd[0], sum(map(is_number, column))
        if numbers < EACH_SIDE:
            continue
        shapes = {
            near: list(map(is_number, table[near])) for near in range(line - 1, line + 2) if 0 <= near < len(table)
        }
        if numbers < LEAST_WHOLE or share_of_decimals(column) < DECIMALS_SHARE:
            near = [shapes[other] for other in (line - 1, line + 1) if other in shapes]
            is_wide = sum(shapes[line]) >= LEAST_BESIDE and WORD.fullmatch(column[line])
            if is_wide and len(near) == EACH_SIDE and all(n[place] and is_same(shapes[line], n, place) for n in near):
                yield block[line][0], column[line]
            continue
        beside = [shapes[near] for near in (line - 1, line + 1) if near in shapes and shapes[near][place]]
        is_row = any(any(shapes[line]) and is_same(shapes[line], shape, place) for shape in beside)
        if is_row:
            yield block[line][0], column[line]


def find_lone_words(block: Sequence[tuple[int, str]], delimiter: str) -> Iterator[Odd]:
    """The only such word of a column of numbers, and of its row: lists have several for what is none by nature."""
    is_plain = plain_row(delimiter).fullmatch
    if not any(LONE_CELL.search(f"\t{row}") for _, row in block if not is_plain(row)):
        return
    table = [split_cells(row, delimiter) for _, row in block]
    for column in zip(*table, strict=True):
        others = [line for line, cell in enumerate(column) if cell and not is_number(cell) and not is_lone(cell)]
        first = others[-1] + 1 if others else 0  # below the names of the columns
        lone = [line for line in range(first, len(column)) if is_lone(column[line])]
        if len(lone) != 1:
            continue
        line = lone[0]
        numbers = sum(map(is_number, column[first:]))
        beside = [*column[max(first, line - 1) : line], *column[line + 1 : line + EACH_SIDE]]
        wide = sum(map(is_number, table[line]))
        needed = MANY_NUMBERS if 0 < wide < LEAST_NUMBERS else LEAST_NUMBERS if wide < LEAST_BESIDE else EACH_SIDE
        if wide and numbers >= needed and sum(map(is_lone, table[line])) == 1 and any(map(is_number, beside)):
            yield block[line][0], column[line]


def is_lone(cell: str) -> bool:
    return LONE.fullmatch(cell) is not None


def is_same(shape: Sequence[bool], other: Sequence[bool], place: int) -> bool:
    return [*shape[:place], *shape[place + 1 :]] == [*other[:place], *other[place + 1 :]]


def is_odd_cell(cell: str) -> bool:
    return any(character.isalpha() for character in cell) and not KNOWN.match(cell)


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
    return sum("." in cell or "," in cell for cell in numbers) / len(numbers) if numbers else 0.0


def is_plate_row(cells: Sequence[str]) -> bool:
    """A letter and nearly as many numbers as the smallest plate that is measured as a whole has columns."""
    return PLATE_ROW.fullmatch(cells[0]) is not None and sum(map(bool, map(NUMBER.fullmatch, cells))) >= LEAST_WHOLE


def is_measured(column: Sequence[str]) -> bool:
    """Whether its numbers have decimals, or are many."""
    return (
        share_of_decimals(column) >= DECIMALS_SHARE
        or sum(NUMBER.fullmatch(cell) is not None for cell in column) >= LEAST_WHOLE
    )
