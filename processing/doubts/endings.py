"""How the tables of a text end: with half a name, half a number, half a row, or a heading with nothing below."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise, takewhile

from processing.doubts.plate_blocks import COLUMNS

EMPTY = ' \t,;"\r'
LEAST_CHARACTERS = 4  # of half a line
LEAST_ROWS = 4  # as wide each, before a shorter last one
LEAST_CELLS = 3  # of the shorter one; fewer are a foot
MOST_SHORT = 4  # rows, one below the other
LEAST_HEADINGS, LEAST_LISTED = 1, 2
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
    elif ends_with_half_a_row(rows, widths, delimiter):
        yield "Its last row has fewer cells than those before it: the file may be damaged."
    elif heading := find_bare_heading(rows, delimiter):
        yield f"It ends with the heading “{heading[:60]}” and nothing below: the file may be cut off."


def is_half_a_line(rows: Sequence[str]) -> bool:
    last = rows[-1]
    is_name = len(last) >= LEAST_CHARACTERS and any(character.isalpha() for character in last)
    return is_name and any(row.startswith(last) and row.rstrip(EMPTY) != last for row in rows[:-1])


def is_half_a_number(cells: Sequence[str]) -> bool:
    last = cells[-1].strip()
    return len(cells) > 1 and last.endswith(".") and last[:-1].isdecimal()


def is_half_a_word(rows: Sequence[str], delimiter: str) -> bool:
    """The last cell breaks off within a word of others, and is none of them itself."""
    last = rows[-1].split(delimiter)[-1].strip('" ')
    if len(last) < LEAST_LETTERS or not last[-1].isalpha() or delimiter not in rows[-1]:
        return False
    alike = [cell.strip('" \r') for row in rows[:-1] if last in row for cell in row.split(delimiter)]
    return last not in alike and any(cell.startswith(last) and cell[len(last)].isalpha() for cell in alike)


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
    is_full = all(cell.strip(EMPTY) for row in rows[first - LEAST_ROWS : first] for cell in row.split(delimiter))
    return is_short and is_full and len(cells) == widths[last]


def find_bare_heading(rows: Sequence[str], delimiter: str) -> str:
    """The last line, alone, where others that begin with the same word stand above plates, or tables."""
    last = next((number for number in range(len(rows) - 1, 0, -1) if rows[number].strip(EMPTY)), 0)
    heading = rows[last].strip(EMPTY)
    first = heading.partition(" ")[0]
    if not last or rows[last - 1].strip(EMPTY) or not first.isalpha():
        return ""
    headed = [above for above, below in pairwise(rows[:last]) if above.startswith(first) and COLUMNS.search(below)]
    listed = [above for above, below in pairwise(rows[:last]) if above.startswith(f"{first} ") and delimiter in below]
    is_bare = len(headed) >= LEAST_HEADINGS or (delimiter not in heading and len(listed) >= LEAST_LISTED)
    return heading if is_bare else ""
