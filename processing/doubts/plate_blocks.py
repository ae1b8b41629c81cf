"""Plates within a text: what their columns, their letters and their siblings say is missing."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise

COLUMNS = re.compile(r'(?<![\w.])"?0?1"?([\t,;]|[ \t]+)"?0?2"?\1?[\t,; ]*"?0?3\b')
COLUMN_CELLS = re.compile(r"[\t,;] *\"?(2|3|11|12)\"? *[\t,;]")  # of which at least one is whole
LETTERS = re.compile(r'[\s,;"]*([A-Z]|A[A-F])(?![\w.:-])')
NUMBER = re.compile(r"[<>]?[+-]?\d[\d.,]*(?:[eE][+-]?\d+)?")
FIRST_ROW = re.compile(r'"?A"?[\t,; ]')
LAST_COLUMNS = (12, 24, 48)  # smaller plates are often measured in parts
ALPHABET = [chr(ord("A") + place) for place in range(26)]
WHOLE = {12: ALPHABET[:8], 24: ALPHABET[:16], 48: [*ALPHABET, *(f"A{letter}" for letter in ALPHABET[:6])]}
LEAST_ROWS = 5  # among which one gap is odd
LEAST_SIBLINGS = 2  # plates alike, beside which one is odd
MOST_PLATES = 2000  # that are looked at
MOST_BETWEEN = 3  # lines between the numbers of columns and the first row, the first row among them
EDGE = 3  # numbers in sequence at the end of a row of column numbers


@dataclass(frozen=True)
class Block:
    """Where a plate stands, its columns by their numbers, the letters of its rows and how many cells each has."""

    line: int
    columns: int
    letters: Sequence[str]
    widths: Sequence[int]

    @property
    def is_complete(self) -> bool:
        return list(self.letters) == WHOLE[self.columns]

    @property
    def wells(self) -> dict[tuple[int, int], None]:
        """By row and column, from 0."""
        return dict.fromkeys((place_of(letter), column) for letter in self.letters for column in range(self.columns))


def list_block_doubts(rows: Sequence[str], delimiter: str) -> Iterator[str]:
    """One sentence, about the first plate that lacks something."""
    blocks = list_plates(rows)
    found = [
        *find_lost_rows(blocks),
        *find_short_rows(blocks),
        *find_short_siblings(blocks),
        *find_cut_columns(rows, delimiter),
    ]
    found += [*find_few_columns(rows, delimiter), *find_lost_heads(rows, delimiter, blocks)]
    found += find_broken_heads(rows, delimiter)
    yield from found[:1]


def list_plates(rows: Sequence[str]) -> list[Block]:
    return list(islice(find_blocks(rows), MOST_PLATES))


def find_blocks(rows: Sequence[str]) -> Iterator[Block]:
    for number, row in enumerate(rows):
        head = COLUMNS.search(row)
        if head is None:
            continue
        cells = split_row(row[head.start() :], head[1])
        count = next((n for n, cell in enumerate(cells) if cell.lstrip("0") != str(n + 1)), len(cells))
        if count in LAST_COLUMNS:
            before = len(split_row(row[: head.start()], head[1])) - 1
            lettered = list(follow_letters(rows, number + 1))
            widths = [len(split_row(line, head[1])) - max(1, before) for _, line in lettered]
            yield Block(number, count, [letter for letter, _ in lettered], widths)


def follow_letters(rows: Sequence[str], start: int) -> Iterator[tuple[str, str]]:
    """The rows of a plate, from below its columns, or behind empty lines and rules; of several lines the first."""
    start = next(
        (place for place in range(start, start + MOST_BETWEEN) if not is_empty(rows[place : place + 1])), start
    )
    last = ""
    for row in take_from(rows, start):
        found = LETTERS.match(row)
        if found is None or (last and place_of(found[1]) <= place_of(last)):
            if not last or not row[:1].isspace() or not row.strip():
                return
            continue
        last = found[1]
        yield last, row


def take_from(rows: Sequence[str], start: int) -> Iterator[str]:
    """Those from this line on, of which few are asked for: a slice of a long text is as long."""
    return (rows[place] for place in range(start, len(rows)))


def is_empty(rows: Sequence[str]) -> bool:
    """Whether the row, if there is one, says nothing."""
    return not any(row.strip(' \t,;"_\r') for row in rows)


def find_lost_rows(blocks: Sequence[Block]) -> Iterator[str]:
    """One gap among rows that follow each other; whoever measures every second row leaves several."""
    for block in blocks:
        if list(block.letters) == WHOLE[block.columns][1:]:
            yield f"The plate in line {block.line + 1:,} has no row A, and all others: rows may be missing."
        gaps = [pair for pair in pairwise(block.letters) if place_of(pair[1]) != place_of(pair[0]) + 1]
        if len(gaps) == 1 and len(block.letters) >= LEAST_ROWS:
            before, after = gaps[0]
            yield f"Of the plate in line {block.line + 1:,} row {after} follows row {before}: rows may be missing."


def find_short_rows(blocks: Sequence[Block]) -> Iterator[str]:
    """Where one row has fewer cells than the plate has columns, and all others have them."""
    for block in blocks:
        short = [n for n, width in enumerate(block.widths) if width < block.columns]
        if len(short) == 1 < len(block.widths):
            letter, width = block.letters[short[0]], block.widths[short[0]]
            yield (
                f"Row {letter} of the plate in line {block.line + 1:,} has {width:,} cells for {block.columns} columns:"
                " the file may be damaged."
            )


def find_short_siblings(blocks: Sequence[Block]) -> Iterator[str]:
    """Where one plate has fewer rows than all others of as many columns."""
    for columns in LAST_COLUMNS:
        alike = [block for block in blocks if block.columns == columns]
        counts = Counter(len(block.letters) for block in alike)
        usual = max(counts, default=0)
        odd = [block for block in alike if len(block.letters) < usual]
        if len(odd) == 1 and counts[usual] == len(alike) - 1 >= LEAST_SIBLINGS:
            yield (
                f"The plate in line {odd[0].line + 1:,} has {len(odd[0].letters)} rows, where all others have {usual}:"
                " rows may be missing."
            )


def find_cut_columns(rows: Sequence[str], delimiter: str) -> Iterator[str]:
    """Above the first row of a plate the numbers of its last columns, without those of the first."""
    for number, (above, row) in enumerate(pairwise(rows)):
        if FIRST_ROW.match(row) is None:
            continue
        numbers = [int(cell) for cell in above.split(delimiter) if cell.strip().isdecimal()]
        last = max(numbers, default=0)
        if last in LAST_COLUMNS and numbers[-EDGE:] == [last - 2, last - 1, last] and 1 not in numbers:
            yield f"The numbers of columns in line {number + 1:,} do not begin with 1: a piece may be missing."


def find_few_columns(rows: Sequence[str], delimiter: str) -> Iterator[str]:
    """Above the first row of a plate a half of the numbers of its columns, or fewer, and no others."""
    for number, (above, row) in enumerate(pairwise(rows)):
        if FIRST_ROW.match(row) is None or not above.startswith(delimiter):
            continue
        heads = [cell.strip(' "\r') for cell in above.split(delimiter)][1:]
        numbers = [head for head in heads if head]
        cells = [cell for cell in row.split(delimiter)[1:] if cell.strip(' "\r')]
        is_counted = numbers == [str(place) for place in range(1, len(numbers) + 1)]
        if numbers and is_counted and len(numbers) < len(heads) + 1 and len(cells) >= 2 * len(numbers):
            yield f"Line {number + 1:,} names {len(numbers):,} columns of a plate with more: a piece may be missing."


def find_broken_heads(rows: Sequence[str], delimiter: str) -> Iterator[str]:
    """Numbers of all columns of a plate but one, in whose place stands something else."""
    for number, row in enumerate(rows):
        if f"{delimiter}{delimiter}" in row.strip(f"{delimiter}\r ") or not COLUMN_CELLS.search(row):
            continue
        cells = [cell for cell in split_row(row, delimiter) if cell]
        odd = [place for place, cell in enumerate(cells) if cell != str(place + 1)]
        if len(cells) in LAST_COLUMNS and len(odd) == 1:
            odd_cell = cells[odd[0]][:40]
            yield f"“{odd_cell}” in line {number + 1:,} stands among the numbers of columns: the file may be damaged."


def find_lost_heads(rows: Sequence[str], delimiter: str, blocks: Sequence[Block]) -> Iterator[str]:
    """The rows of a plate of numbers, the same as of another, and above them no numbers of its columns."""
    headed = {block.line + place for block in blocks for place in range(MOST_BETWEEN + 1)}
    for number, row in enumerate(rows):
        if FIRST_ROW.match(row) is None or number in headed:
            continue
        cells = split_row(row, delimiter)[1:]
        columns = sum(NUMBER.fullmatch(cell) is not None for cell in cells)
        letters = [letter for letter, _ in follow_letters(rows, number)]
        above = {cell for row in rows[max(0, number - MOST_BETWEEN) : number] for cell in split_row(row, delimiter)}
        is_headed = str(columns) in above
        usual = [block.letters for block in blocks if block.columns == columns]
        is_alone = (
            not blocks and columns in LAST_COLUMNS and number > MOST_BETWEEN and is_empty(rows[number - 1 : number])
        )
        is_plate = letters in usual or (is_alone and len(letters) >= LEAST_SIBLINGS)
        is_measured_in_parts = columns and all(not cell or NUMBER.fullmatch(cell) for cell in cells)
        if not blocks and is_measured_in_parts and number > MOST_BETWEEN and is_empty(rows[number - 1 : number]):
            is_whole = letters == WHOLE.get(len(cells))
            columns, is_plate = (len(cells), True) if is_whole else (columns, is_plate)
        if not is_headed and is_plate and columns in (len(cells), len(cells) - 1):
            yield f"The plate in line {number + 1:,} has no numbers of columns above it: a line may be missing."


def split_row(row: str, delimiter: str) -> list[str]:
    if delimiter.isspace() and delimiter != "\t":
        return [cell.strip('"') for cell in row.split()]
    return [cell.strip(' "\r') for cell in row.split(delimiter)]


def place_of(letters: str) -> int:
    """A is 0, AA is 26."""
    return ord(letters[-1]) - ord("A") + (26 if len(letters) > 1 else 0)
