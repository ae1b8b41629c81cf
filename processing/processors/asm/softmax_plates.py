"""Plates of SoftMax Pro, whose rows have no letters: their number alone says which wells a row holds."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from processing.formats.plate import shape_with

SECTION = re.compile(r"^Plate:\t(.*)\n([\s\S]*?)(?=^~End|\Z)", re.MULTILINE)
FORMAT, FIRST_NUMBER = 2, 12  # of the head's cells: how it was exported; where those about columns begin
COLUMN_NUMBERS = re.compile(r"(?:^|\t)1\t2\t")


def list_odd_plates(text: str) -> Iterator[str]:
    """One sentence, about the first block with more rows than its plate: all wells below them are others."""
    for section in SECTION.finditer(text.replace("\r\n", "\n")):
        head, body = section[1].split("\t"), section[2]
        rows = count_rows(head)
        if not rows or head[FORMAT] != "PlateFormat":
            continue
        for block in list_blocks(body.split("\n")):
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


def count_rows(head: Sequence[str]) -> int:
    """Of the plate, whose wells stand behind its first column and the count of those read; 0 where that is unclear."""
    cells = [cell.strip() for cell in head[FIRST_NUMBER:]]
    places = range(2, len(cells))
    sizes = [int(cells[place]) for place in places if all(map(str.isdecimal, cells[place - 2 : place + 1]))]
    shape = shape_with(max(sizes, default=0))
    return shape[0] if shape else 0


def list_blocks(lines: Sequence[str]) -> Iterator[int]:
    """The rows of each, below its numbers of columns."""
    for is_row, block in groupby(lines, key=lambda line: "\t" in line):
        if is_row:
            yield sum(COLUMN_NUMBERS.search(line) is None for line in block)
