"""Parts of a text between empty lines: rows of a plate, tables below the same names, a list of wells at its end."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, groupby, islice

from processing.doubts.plate_blocks import NUMBER, find_blocks, split_row
from processing.doubts.siblings import find_well_lists, is_heading
from processing.doubts.widths import kind_of

MOST_ROWS = 20_000  # that are looked at
EMPTY = ' \t,;"\r'
LETTER = re.compile(r'"?([A-P])"?[ "]*[\t,;]')
LEAST_PARAGRAPHS, LEAST_LINES = 4, 3  # rows of a plate, each with lines of its own
LEAST_TABLES, LEAST_ROWS = 2, 2  # below the same names, beside the one that has none
LEAST_WELLS, LEAST_PLATES = 12, 2  # of a list that ends early; plates that have all wells
FILE_NAME = re.compile(r"\bfile( ?path| ?name)?:?$", re.IGNORECASE)
PATH = re.compile(r"(?:[A-Z]:|\\)\\.*?([^\\]+)")
Rows = Sequence[str]


@dataclass(frozen=True)
class Paragraph:
    """Lines that say something, one below the other."""

    line: int  # from 0
    rows: Rows


def list_paragraph_doubts(rows: Rows, widths: Sequence[int], delimiter: str) -> Iterator[str]:
    """One sentence, about the first that is odd."""
    lines = [row.rstrip("\r") for row in rows[:MOST_ROWS]]
    said = (
        find_odd_paragraph(lines),
        find_bare_table(lines, widths, delimiter),
        find_short_list(lines, delimiter) if len(rows) <= MOST_ROWS else (),
        find_cut_path(lines, delimiter),
    )
    yield from islice(chain.from_iterable(said), 1)


def list_paragraphs(lines: Rows) -> Iterator[Paragraph]:
    for says, run in groupby(range(len(lines)), key=lambda number: bool(lines[number].strip(EMPTY))):
        numbers = list(run)
        if says:
            yield Paragraph(numbers[0], lines[numbers[0] : numbers[-1] + 1])


def find_odd_paragraph(lines: Rows) -> Iterator[str]:
    """The row of a plate with another number of lines than all others, each of which stands between empty lines."""
    plate: list[tuple[str, Paragraph]] = []
    for paragraph in map(begin_plate, list_paragraphs(lines)):
        found = LETTER.match(paragraph.rows[0])
        if plate and (found is None or ord(found[1]) != ord(plate[-1][0]) + 1):
            yield from judge_plate(plate)
            plate = []
        if found:
            plate.append((found[1], paragraph))
    yield from judge_plate(plate)


def begin_plate(paragraph: Paragraph) -> Paragraph:
    """From its row A on, where titles and numbers of columns stand right above that."""
    start = next((place for place, row in enumerate(paragraph.rows) if row[:1] == "A" and LETTER.match(row)), 0)
    return Paragraph(paragraph.line + start, paragraph.rows[start:])


def judge_plate(plate: Sequence[tuple[str, Paragraph]]) -> Iterator[str]:
    counts = [len(paragraph.rows) for _, paragraph in plate]
    usual = Counter(counts).most_common(1)[0][0] if counts else 0
    odd = [place for place, count in enumerate(counts) if count != usual]
    if len(plate) < LEAST_PARAGRAPHS or usual < LEAST_LINES or len(odd) != 1:
        return
    letter, paragraph = plate[odd[0]]
    if odd[0] < len(plate) - 1 or counts[-1] < usual:  # below the last one other lines may follow
        yield (
            f"Row {letter} in line {paragraph.line + 1:,} has {counts[odd[0]]:,} lines, and all others have"
            f" {usual:,}: lines may be missing, or stand there twice."
        )


def find_bare_table(lines: Rows, widths: Sequence[int], delimiter: str) -> Iterator[str]:
    """Rows that begin without the names that stand above all other rows like these."""
    tables = defaultdict[int, list[list[int]]](list)
    for width, run in groupby(
        range(len(lines)), key=lambda number: widths[number] if lines[number].strip(EMPTY) else 0
    ):
        numbers = list(run)
        if width > 1 and len(numbers) >= LEAST_ROWS:
            tables[width].append(numbers)
    for alike in tables.values():
        named = [numbers for numbers in alike if is_heading(lines[numbers[0]], delimiter)]
        bare = [numbers for numbers in alike if numbers not in named]
        names = {lines[numbers[0]] for numbers in named}
        if len(bare) != 1 or len(named) < LEAST_TABLES or len(names) != 1:
            continue
        kinds = {tuple(kinds_of(lines[number], delimiter)) for numbers in named for number in numbers[1:]}
        first = bare[0][0]
        if len(kinds) == 1 and first > named[0][0] and set(kinds) == {tuple(kinds_of(lines[first], delimiter))}:
            yield f"The table in line {first + 1:,} has no names above it, as all others have: a piece may be missing."


def kinds_of(row: str, delimiter: str) -> list[str]:
    return [kind_of(cell.strip(EMPTY)) for cell in row.split(delimiter)]


def find_short_list(lines: Rows, delimiter: str) -> Iterator[str]:
    """A list of the wells of a plate from A1 on, at the end of a text, of which all plates of numbers have more."""
    lists = list(find_well_lists(lines, delimiter))
    if not lists:
        return
    line, found = lists[-1]
    wells, last = list(found), line + len(found)
    if len(wells) < LEAST_WELLS or any(row.strip(EMPTY) for row in lines[last:]):
        return
    blocks = [block for block in find_blocks(lines) if block.is_complete and block.line < line]
    if len(blocks) < LEAST_PLATES or len({block.columns for block in blocks}) != 1:
        return
    whole = list(blocks[0].wells)
    is_measured = all(is_full(lines, block.line, block.columns, delimiter) for block in blocks)
    if is_measured and len(wells) < len(whole) and wells == whole[: len(wells)]:
        yield (
            f"The list in line {line + 1:,} ends with well {len(wells):,} of {len(whole):,}, and the plates above have"
            " numbers for all: the file may be cut off."
        )


def is_full(lines: Rows, start: int, columns: int, delimiter: str) -> bool:
    """Whether each of the rows below the numbers of columns, up to an empty line, has as many numbers."""
    body = [line for line in lines[start + 1 : start + 1 + 2 * columns] if LETTER.match(line)]
    counts = [sum(NUMBER.fullmatch(cell) is not None for cell in split_row(line, delimiter)) for line in body]
    return bool(counts) and min(counts) >= columns


def find_cut_path(lines: Rows, delimiter: str) -> Iterator[str]:
    """The path of a file without an ending, where that of another file has one."""
    found = []
    for number, line in enumerate(lines):
        name, is_apart, value = line.partition(delimiter)
        path = PATH.fullmatch(value.strip(EMPTY)) if is_apart and "\\" in value else None
        if path and FILE_NAME.search(name.strip(EMPTY)):
            found.append((number, path[1]))
    bare = [(number, last) for number, last in found if "." not in last]
    if len(bare) == 1 < len(found):
        number, last = bare[0]
        yield f"The path in line {number + 1:,} ends with “{last[:40]}”, and no ending of a file: it may be cut off."
