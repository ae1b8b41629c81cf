"""Sheets of a workbook with plates of numbers of which the document made of it has none: parsers take the first."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from processing.facts import shorten_text
from processing.formats.plate import Well
from processing.processors.asm.unread import NO_DIGIT, NUMBERS, key_of
from processing.processors.asm.workbook_forms import open_sheets

LEAST_COLUMNS, LEAST_ROWS = 6, 4  # of a plate
LEAST_NUMBERS = 2  # of a sheet, of which at most a tenth is read by chance
LEAST_DIGITS = 2  # of a number that counts
CHANCE, TAKEN = 0.1, 0.5
MOST_SHEETS = 4  # that are named
Rows = Sequence[Sequence[Any]]


def list_unread_sheets(path: Path, document: bytes) -> Iterator[str]:
    """One sentence, where plates of some sheets were read and those of others not."""
    sheets = open_sheets(path)
    if sheets is None or len(sheets.filled) < 2:
        return
    known = {key_of(number.decode()) for number in NUMBERS.findall(document)}
    shares = dict(measure_shares(sheets.filled, known))
    unread = [name for name, share in shares.items() if share <= CHANCE]
    if unread and any(share >= TAKEN for share in shares.values()):
        named = ", ".join(f"“{shorten_text(name, 40)}”" for name in unread[:MOST_SHEETS])
        more = f" and {len(unread) - MOST_SHEETS:,} more" if len(unread) > MOST_SHEETS else ""
        yield f"The plates of these sheets were not read: {named}{more}."


def measure_shares(sheets: Mapping[str, Rows], known: set[str]) -> Iterator[tuple[str, float]]:
    """For each sheet with a plate of numbers, the share of these that is known."""
    for name, rows in sheets.items():
        texts = [f"{cell:.10g}" for cell in list_plate_cells(rows)]
        numbers = [text for text in texts if len(NO_DIGIT.sub("", text.split("e")[0]).strip("0")) >= LEAST_DIGITS]
        if len(numbers) >= LEAST_NUMBERS:
            yield name, sum(key_of(number) in known for number in numbers) / len(numbers)


def list_plate_cells(rows: Rows) -> Iterator[float]:
    """Numbers in rows with letters that follow each other, below numbers of columns."""
    for number, head in enumerate(rows):
        columns = [place for place, cell in enumerate(head) if type(cell) is float and cell == place]
        letters = [str(row[0]).strip() for row in rows[number + 1 : number + 1 + LEAST_ROWS]]
        if len(columns) >= LEAST_COLUMNS and letters == [str(Well(row, 0))[:1] for row in range(LEAST_ROWS)]:
            for row in rows[number + 1 :]:
                if Well.parse(f"{str(row[0]).strip()}1") is None:
                    break
                yield from (row[place] for place in columns if place < len(row) and type(row[place]) is float)
