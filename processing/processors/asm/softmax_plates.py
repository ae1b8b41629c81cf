"""Plates of SoftMax Pro, whose rows have no letters: their number alone says which wells a row holds."""

import re
from collections.abc import Iterator, Sequence

from processing.formats.plate import shape_with

SECTION = re.compile(r"^Plate:\t(.*)\n([\s\S]*?)(?=^~End|\Z)", re.MULTILINE)
FORMAT, FIRST_NUMBER = 2, 12  # of the head's cells: how it was exported; where those about columns begin
BLOCKS = re.compile(r"^##BLOCKS= *(\d+)", re.MULTILINE)
END, BEGINNING = (
    re.compile(r"^~End", re.MULTILINE),
    re.compile(r"^(Plate|Group):|(?:^##BLOCKS|^~End)[^\n]*\s+(Note):", re.MULTILINE),
)  # a line of a note may begin as one does
GROUP = re.compile(r"^Group:[^\n]*\n([\s\S]*?)(?=^~End|\Z)", re.MULTILINE)
LEAST_WIDTH = 4  # cells of a row of a group
COLUMN_NUMBERS = re.compile(r"(?:^|\t)1\t2\t")


def list_odd_plates(text: str) -> Iterator[str]:
    """One sentence, about the first block with more rows than its plate: all wells below them are others."""
    for section in SECTION.finditer(text.replace("\r\n", "\n")):
        head, body = section[1].split("\t"), section[2]
        rows = count_rows(head)
        if not rows or head[FORMAT] != "PlateFormat":
            continue
        for block in list_blocks(body.split("\n"), rows=rows):
            if block > rows:
                yield (
                    f"A block of the plate “{head[0]}” has {block} rows; its plate has {rows}:"
                    " wells may be named wrongly."
                )
                return


def list_outsiders(text: str) -> Iterator[str]:
    """A word about rows that stand behind the end of a section, before the next one begins."""
    lines = text.replace("\r\n", "\n").split("\n")
    ended = False
    for line in lines:
        if line.startswith("~End"):
            ended = True
        elif ended and line.strip():
            if line.startswith("\t"):
                yield "Rows stand behind the end of a section (“~End”), and belong to none: some may stand twice."
                return
            ended = False


def list_lost_sections(text: str) -> Iterator[str]:
    """A word where sections begin that do not end, or are not as many as the first line says: all, or the plates."""
    begun = [plate_or_group or note for plate_or_group, note in BEGINNING.findall(text)]
    ended = len(END.findall(text))
    stated = BLOCKS.search(text)
    if len(begun) != ended:
        yield f"Of its sections {len(begun):,} begin, and {ended:,} end (“~End”): lines may be missing."
    elif stated and int(stated[1]) not in (len(begun), begun.count("Plate")):
        yield f"It says that it has {int(stated[1]):,} sections, and it has {len(begun):,}: some may be missing."


def list_broken_groups(text: str) -> Iterator[str]:
    """A word about the first group whose rows go on below an empty line: what stands there is not read as theirs."""
    for group in GROUP.finditer(text.replace("\r\n", "\n")):
        rows = [line.count("\t") if line.strip() else -1 for line in group[1].split("\n")]
        end = rows.index(-1) if -1 in rows else len(rows)
        if end > 1 and rows[0] >= LEAST_WIDTH - 1 and rows[0] == rows[end - 1] and rows[0] in rows[end:]:
            yield "The rows of a group go on below an empty line: one may have lost what it said."
            return


def count_rows(head: Sequence[str]) -> int:
    """Of the plate, whose wells stand behind its first column and the count of those read; 0 where that is unclear."""
    cells = [cell.strip() for cell in head[FIRST_NUMBER:]]
    places = range(2, len(cells))
    sizes = [int(cells[place]) for place in places if all(map(str.isdecimal, cells[place - 2 : place + 1]))]
    shape = shape_with(max(sizes, default=0))
    return shape[0] if shape else 0


def list_blocks(lines: Sequence[str], *, rows: int) -> Iterator[int]:
    """The rows of each, below its numbers of columns. A line of tabs alone is a row in which nothing was read until
    the plate is full, and behind that the empty line between two blocks, as spreadsheets save it.
    """
    block = 0
    for line in [*lines, ""]:
        if COLUMN_NUMBERS.search(line):
            continue
        if "\t" in line and (line.strip() or block < rows):
            block += 1
        elif block:
            yield block
            block = 0
