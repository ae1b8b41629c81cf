"""What the order of rows shows of damage: one that is there twice, two that changed places, a last table cut short."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise

from processing.doubts.sequences import hide_quoted, read_place
from processing.doubts.siblings import are_finds

MEASURED = re.compile(r"\d{2}|\d\.\d")
NAME, LEAST_NAME = re.compile(r"[^\W\d_]{2,}|\(%\) \w"), 8  # characters of one that stands alone
LONG_NUMBER = re.compile(r"[+-]?\d[\d.,]*\d(?:[eE][+-]?\d+)?")
LEAST_NUMBERS = 3  # of a row, all different
EMPTY = ' \t,;"\r'
LEAST_ROWS = 8  # of a table, among which one is odd
LEAST_SHORT_ROWS = 5
LEAST_CELLS = 2
MOST_ROWS = 20_000  # that are looked at
MOST_WIDTH = 1000  # of rows whose letters are looked at
PLATE_CELL = re.compile(r"[A-P][\t,;]")
PLATE_ROW = re.compile(r"[A-P]")
LEAST_TABLE_ROWS = 4
LEAST_TABLES = 2  # alike, beside the last one


def list_order_doubts(rows: Sequence[str], widths: Sequence[int], delimiter: str) -> Iterator[str]:
    """One sentence of each kind, about the first."""
    lines = rows[:MOST_ROWS]
    if (doubled := find_doubled(lines, widths, delimiter)) is not None:
        yield f"Lines {doubled:,} and {doubled + 1:,} are the same, and no others are: one may stand there twice."
    if (moved := find_moved(lines, widths, delimiter)) is not None:
        yield f"Line {moved + 1:,} is out of order among those around it: rows may have changed places."
    if (short := find_short_table(rows)) is not None:
        count, usual = short
        yield f"Its last table has {count:,} rows, all others with these names have {usual:,}: it may be cut off."


def find_doubled(rows: Sequence[str], widths: Sequence[int], delimiter: str) -> int | None:
    """The number of the one line that is the same as the next, where it says something that nobody says twice."""
    same = [number for number, (one, next_) in enumerate(pairwise(rows)) if one == next_ and one.strip(EMPTY)]
    if len(same) != 1:
        return None
    row, width = rows[same[0]], widths[same[0]]
    filled = [text for cell in hide_quoted(row, delimiter).split(delimiter) if (text := cell.strip(EMPTY))]
    is_named = (filled[0].endswith(":") and len(filled) > 1) or is_row_of_plate(rows, same[0])
    if is_named or is_fact(filled) or len({cell for cell in filled if LONG_NUMBER.fullmatch(cell)}) >= LEAST_NUMBERS:
        return same[0] + 1
    alike = [one for one, wide in zip(rows, widths, strict=False) if wide == width and one.strip()]
    is_only = len(set(alike)) == len(alike) - 1 >= LEAST_SHORT_ROWS - 1 and width >= LEAST_CELLS
    return same[0] + 1 if is_only and MEASURED.search(row) else None


def is_row_of_plate(rows: Sequence[str], number: int) -> bool:
    """Of which the letters before and behind both are the next."""
    letters = [row[:1] for row in (rows[max(0, number - 1)], rows[number], rows[min(number + 2, len(rows) - 1)])]
    is_lettered = PLATE_CELL.match(rows[number]) is not None and number > 0
    return is_lettered and [ord(letter) - ord(letters[1]) for letter in letters if letter] == [-1, 0, 1]


def is_fact(filled: Sequence[str]) -> bool:
    """A name alone, or with what is said of it."""
    return len(filled) <= 2 and NAME.match(filled[0]) is not None and len("".join(filled)) >= LEAST_NAME


def find_moved(rows: Sequence[str], widths: Sequence[int], delimiter: str) -> int | None:
    """The first row whose first cell is out of order where, but for two rows, all go one way, or from A to H."""
    numbered = zip(range(len(rows)), rows, widths, strict=False)
    for width, run in groupby(numbered, key=lambda one: one[2]):
        block = [(number, hide_quoted(row, delimiter).split(delimiter, 1)[0].strip(' "')) for number, row, _ in run]
        places = [(number, place) for number, cell in block if (place := place_of(cell)) is not None]
        odd = find_out_of_order([place for _, place in places]) if len(places) >= LEAST_ROWS else None
        if width > 1 and odd is not None:
            return places[odd][0]
        letters = [(number, float(ord(cell))) for number, cell in block if PLATE_ROW.fullmatch(cell)]
        elsewhere = find_elsewhere([place for _, place in letters]) if len(letters) >= LEAST_ROWS else None
        if width > 1 and elsewhere is not None:
            return letters[elsewhere][0]
    return None


def place_of(cell: str) -> float | None:
    return float(ord(cell)) if PLATE_ROW.fullmatch(cell) else read_place(cell)


def find_out_of_order(places: Sequence[float]) -> int | None:
    """Where the first of two that changed places stands, or of one that is elsewhere."""
    if len(set(places)) < len(places):
        return None
    rising = sorted(places)
    order = rising if sum(after > before for before, after in pairwise(places)) * 2 > len(places) else rising[::-1]
    odd = [place for place, (is_, ought) in enumerate(zip(places, order, strict=True)) if is_ != ought]
    return odd[0] if len(odd) == 2 else None


def find_elsewhere(letters: Sequence[float]) -> int | None:
    """Which of the letters from A on, each there once, stands elsewhere, where all others follow each other."""
    if sorted(letters) != [float(ord("A") + number) for number in range(len(letters))]:
        return None
    others = ([*letters[:place], *letters[place + 1 :]] for place in range(len(letters)))
    return next(
        (place for place, rest in enumerate(others) if rest == sorted(rest) and letters != sorted(letters)), None
    )


def find_short_table(rows: Sequence[str]) -> tuple[int, int] | None:
    """How many rows the last of several tables has, each below the same names, and how many all others have."""
    held = [row.strip() for row in rows]
    names = Counter(row for row in held if row and not any(character.isdigit() for character in row))
    repeated = [
        name for name, count in names.items() if count > LEAST_TABLES and len(re.split("[\t;,]", name)) >= LEAST_CELLS
    ]
    for name in repeated:
        starts = [number for number, row in enumerate(held) if row == name]
        counts = [count_rows(held, start + 1) for start in starts]
        last = [re.split("[\t;,]", row)[0] for row in held[starts[-1] + 1 : starts[-1] + 1 + counts[-1]]]
        is_short = len(set(counts[:-1])) == 1 and 0 < counts[-1] < counts[0] - 1
        if is_short and counts[0] >= LEAST_TABLE_ROWS and not are_finds(last, counts[0]):
            return counts[-1], counts[0]
    return None


def count_rows(rows: Sequence[str], start: int) -> int:
    """Up to an empty one, or the end."""
    return next((number for number in range(start, len(rows)) if not rows[number]), len(rows)) - start
