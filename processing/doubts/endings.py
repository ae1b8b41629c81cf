"""How the tables of a text end: with half a name, half a number, half a row, or a heading with nothing below."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, pairwise, permutations, takewhile

from processing.doubts.plate_blocks import COLUMNS, take_from
from processing.doubts.siblings import MOST_FINDS, are_finds
from processing.doubts.widths import Widths, is_number

EMPTY = ' \t,;"\r'
LEAST_CHARACTERS = 4  # of half a line
LEAST_ROWS = 4  # as wide each, before a shorter last one
LEAST_CELLS = 3  # of the shorter one; fewer are a foot
SIGNS, LEAST_SIGNS = ",;\t", 2  # between cells; in each row
MOST_SHORT = 4  # rows, one below the other
LEAST_HEADINGS, LEAST_LISTED = 1, 2
LEAST_ALIKE = 2  # tables below the same names, beside the last one
LEAST_LETTERS = 3  # of half a word
LEAST_NUMBERS, MANY_NUMBERS = 6, 20  # above the last of a column: where zeros at their end are written, or may not be
DECIMALS = re.compile(r"[+-]?\d+[.,](\d{2,})")
FEWER_DECIMALS = re.compile(r"[+-]?\d+(?:[.,](\d*))?")


def list_ending_doubts(rows: Sequence[str], widths: Sequence[int], delimiter: str) -> Iterator[str]:
    """One sentence, of a text that is here as a whole."""
    has_end = not rows[-1].strip("\r")
    if not has_end and is_half_a_line(rows):
        yield "Its last line is the beginning of one that stands above: the file may be cut off."
    elif not has_end and is_half_a_number(rows[-1].split(delimiter)):
        yield "Its last number has a point and nothing behind it: the file may be cut off."
    elif not has_end and is_half_a_word(rows, delimiter):
        yield "Its last word is the beginning of one that stands above: the file may be cut off."
    elif not has_end and has_fewer_decimals(rows, widths, delimiter):
        yield "Its last number has fewer decimals than those above it: the file may be cut off."
    elif is_shorter_than_its_like(rows, widths, has_end=has_end):
        yield "Its last table has fewer rows than those above with the same names: the file may be cut off."
    elif other := find_other_delimiter(rows):
        yield f"From line {other + 1:,} on its cells are apart by other signs: its end may be that of another file."
    elif other := find_other_table(rows, widths, delimiter):
        yield f"From line {other + 1:,} on its rows have other cells and no names: the end may be another file's."
    elif ends_with_half_a_row(rows, widths, delimiter):
        yield "Its last row has fewer cells than those before it: the file may be damaged."
    elif heading := find_bare_heading(rows, delimiter, has_end=has_end):
        yield f"It ends with the heading “{heading[:60]}” and nothing below: the file may be cut off."


def is_half_a_line(rows: Sequence[str]) -> bool:
    last = rows[-1]
    is_name = len(last.strip(EMPTY)) >= LEAST_CHARACTERS and any(character.isalpha() for character in last)
    return is_name and any(row.startswith(last) and row.rstrip(EMPTY) != last.rstrip(EMPTY) for row in rows[:-1])


def is_half_a_number(cells: Sequence[str]) -> bool:
    last = cells[-1].strip()
    return len(cells) > 1 and last.endswith(".") and last[:-1].isdecimal()


def is_half_a_word(rows: Sequence[str], delimiter: str) -> bool:
    """The last cell breaks off within a word of others, and is none of them itself."""
    cells = rows[-1].split(delimiter)
    last = cells[-1].strip('" ')
    if last and is_half_of_few(rows, len(cells), last, delimiter):
        return True
    if len(last) < LEAST_LETTERS or not last[-1].isalpha() or delimiter not in rows[-1]:
        return False
    alike = [cell.strip('" \r') for row in rows[:-1] if last in row for cell in row.split(delimiter)]
    return last not in alike and any(cell.startswith(last) and cell[len(last)].isalpha() for cell in alike)


def is_half_of_few(rows: Sequence[str], width: int, last: str, delimiter: str) -> bool:
    """Whether the column has the same few words in all rows, with which this one only begins."""
    split = takewhile(lambda cells: len(cells) == width, (row.split(delimiter) for row in rows[-2::-1]))
    above = list(takewhile(bool, (cells[-1].strip('" \r') for cells in islice(split, MANY_NUMBERS))))
    above = above[:-1] if above.count(above[-1] if above else "") == 1 else above  # the name of the column
    words = Counter(above)
    is_of_few = len(above) >= LEAST_ROWS and all(count > 1 and word[:1].isalpha() for word, count in words.items())
    return is_of_few and last not in words and any(word.startswith(last) for word in words)


def has_fewer_decimals(rows: Sequence[str], widths: Sequence[int], delimiter: str) -> bool:
    """Than all others of the last column of its table have, which have as many each."""
    last = FEWER_DECIMALS.fullmatch(rows[-1].split(delimiter)[-1].strip('" '))
    if last is None or widths[-1] < 2:
        return False
    above = range(len(rows) - 2, -1, -1)
    block = takewhile(lambda number: widths[number] == widths[-1], above)
    cells = (rows[number].split(delimiter)[-1].strip('" \r') for number in block)
    decimals = [found[1] for found in takewhile(bool, map(DECIMALS.fullmatch, cells)) if found]
    least = LEAST_NUMBERS if any(one.endswith("0") for one in decimals) else MANY_NUMBERS
    return len(decimals) >= least and len(set(map(len, decimals))) == 1 and len(last[1] or "") < len(decimals[0])


def is_shorter_than_its_like(rows: Sequence[str], widths: Sequence[int], *, has_end: bool) -> bool:
    """Whether the last table begins as those below the same names, row by row, and ends before them.

    Where its last line has no end, one other is enough.
    """
    held = [row.strip(EMPTY) for row in rows]
    last = next((number for number in range(len(held) - 1, 0, -1) if held[number]), 0)
    start = next((number for number in range(last, -1, -1) if widths[number] < 2), -1) + 1
    ours = list_firsts(held[start : last + 1])
    if len(ours) < LEAST_CELLS or len(set(ours)) < len(ours):
        return False
    alike = (number for number in range(start) if held[number] == held[start] and widths[number] == widths[start])
    above, most = held[:start], len(ours) + MOST_FINDS  # rows that are compared
    others = [list_firsts(islice(takewhile(bool, take_from(above, number)), most)) for number in alike]
    begin_alike = all(other[: len(ours) - 1] == ours[:-1] and len(other) > len(ours) for other in others)
    is_last_begun = all(other[len(ours) - 1 : len(ours)] == ours[-1:] or not has_end for other in others)
    varies = has_end and are_finds(ours[1:], max(map(len, others), default=0))
    return begin_alike and is_last_begun and len(others) >= (LEAST_ALIKE if has_end else 1) and not varies


def list_firsts(rows: Iterable[str]) -> list[str]:
    return [re.split(r"[\t,;]", row)[0] for row in rows]


def find_other_delimiter(rows: Sequence[str]) -> int:
    """The first of the last rows that have as many cells each, apart by another sign than those right above them.

    One line between them may be of both.
    """
    last = next((number for number in range(len(rows) - 1, 0, -1) if rows[number].strip(EMPTY)), 0)
    for other, usual in permutations(SIGNS, 2):
        count = rows[last].count(other)
        if not last or count < LEAST_SIGNS or usual in rows[last]:
            continue
        below = take_rows(rows[last:0:-1], other, without=usual)
        first = last - len(below) + 1
        for end in (first - 1, first - 2):
            signs = rows[end].count(usual)
            above = [row for row in rows[max(0, end - LEAST_ROWS + 2) : end + 1] if row.count(usual) == signs]
            is_apart = signs >= LEAST_SIGNS and rows[end].count(other) != count and rows[first - 1].strip(EMPTY)
            if not is_apart or len(below) < LEAST_ROWS or len(above) < LEAST_ROWS - 1:
                continue
            if all(is_measured_row(row, usual) for row in above) and is_measured_row(below[-2], other):
                return first
    return 0


def take_rows(rows: Sequence[str], sign: str, *, without: str) -> list[str]:
    """The first of these, as long as they have as many signs of the one kind and none of the other."""
    return list(takewhile(lambda row: row.count(sign) == rows[0].count(sign) and without not in row, rows))


def take_as_wide(widths: Sequence[int], end: int) -> list[int]:
    """The rows up to this one that have as many cells, from the last on."""
    return list(takewhile(lambda number: widths[number] == widths[end], range(end, 0, -1)))


def find_other_table(rows: Sequence[str], widths: Sequence[int], delimiter: str) -> int:
    """The first of the last rows that have more or fewer cells each than those of the table right above, and numbers.

    One line between them may be of neither.
    """
    last = next((number for number in range(len(rows) - 1, 0, -1) if rows[number].strip(EMPTY)), 0)
    below = take_as_wide(widths, last)
    first = below[-1] if below else 0
    for end in range(first - 1, max(-1, first - 3), -1):
        above = take_as_wide(widths, end)
        is_apart = widths[end] == widths[last] or min(widths[end], widths[last]) < 2
        if is_apart or min(len(above), len(below)) < LEAST_ROWS - 1 or not all(map(str.strip, rows[end : first + 1])):
            continue
        if all(
            is_measured_row(rows[number], delimiter)
            for number in (*above[: LEAST_ROWS - 1], *range(end, first), *below)
        ):
            table = Widths(rows, list(widths), delimiter)
            return 0 if table.leaves_out_empty_ends(max(widths[end], widths[last])) else first
    return 0


def is_measured_row(row: str, delimiter: str) -> bool:
    """Whether most of what it holds are digits, and it holds something in half of its cells."""
    cells = [cell.strip(' "\r') for cell in row.split(delimiter)]
    filled = [cell for cell in cells if cell]
    return 2 * len(filled) >= len(cells) and 2 * sum(any(map(str.isdigit, cell)) for cell in filled) > len(filled)


def ends_with_half_a_row(rows: Sequence[str], widths: Sequence[int], delimiter: str) -> bool:
    """Where the rows before are as wide each, and full."""
    last = next((number for number in range(len(rows) - 1, -1, -1) if rows[number].strip(EMPTY)), 0)
    first = (
        next((number for number in range(last, max(-1, last - MOST_SHORT), -1) if widths[number] != widths[last]), -1)
        + 1
    )
    first = first or last
    before = widths[max(0, first - LEAST_ROWS) : first]
    if len(before) < LEAST_ROWS or len(set(before)) > 1 or any(row.strip() for row in rows[last + 1 :]):
        return False
    cells = [cell for cell in rows[last].split(delimiter) if cell.strip(EMPTY)]
    is_short = LEAST_CELLS <= widths[last] < before[0] and 2 * widths[last] > before[0]
    is_row = has_number(rows[last], delimiter) or not has_number(rows[first - 1], delimiter)  # else a foot
    is_full = all(cell.strip(EMPTY) for row in rows[first - LEAST_ROWS : first] for cell in row.split(delimiter))
    return is_short and is_row and is_full and len(cells) == widths[last]


def has_number(row: str, delimiter: str) -> bool:
    return any(is_number(cell.strip(EMPTY)) for cell in row.split(delimiter))


def find_bare_heading(rows: Sequence[str], delimiter: str, *, has_end: bool) -> str:
    """The last line, alone, where others that begin with the same word stand above plates, or tables.

    Where it has no end, one table is enough.
    """
    last = next((number for number in range(len(rows) - 1, 0, -1) if rows[number].strip(EMPTY)), 0)
    heading = rows[last].strip(EMPTY)
    first = heading.partition(" ")[0]
    if not last or rows[last - 1].strip(EMPTY) or not first.isalpha():
        return ""
    headed = [above for above, below in pairwise(rows[:last]) if above.startswith(first) and COLUMNS.search(below)]
    listed = [above for above, below in pairwise(rows[:last]) if above.startswith(f"{first} ") and delimiter in below]
    is_bare = len(headed) >= LEAST_HEADINGS or (
        delimiter not in heading and len(listed) >= (LEAST_LISTED if has_end else 1)
    )
    return heading if is_bare else ""
