"""Words in the place of numbers where they stand: in a text, or in the cells of a workbook; and copies with numbers."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import openpyxl
from openpyxl import Workbook

from processing.doubts.rows import choose_delimiter
from processing.processors.asm.cell_words import CellWord, find_in_lists, find_in_plates, find_words
from processing.processors.asm.stand_ins import Word, put_numbers, stand_in
from processing.processors.asm.workbook_forms import COPIED_EXTENSIONS, Sheets, open_sheets, write_cell
from processing.readings import MIB

MAX_BYTES = 2 * MIB  # of a text in which words are looked for
MOST_WORDS = 2000  # of a workbook


class Written(ABC):
    """A file with words in the place of numbers."""

    words: Sequence[Word]

    @abstractmethod
    def write(self, path: Path, first: int, without: set[int]) -> str | None:
        """A copy with a number for each word but those let alone; the encoding of a text."""


@dataclass(frozen=True)
class WrittenText(Written):
    text: str  # with LF at the ends of its lines
    words: Sequence[CellWord]

    def write(self, path: Path, first: int, without: set[int]) -> str | None:
        path.write_text(put_numbers(self.text, self.words, first, without), encoding="utf-8", newline="")
        return "utf-8"


@dataclass(frozen=True)
class SheetWord:
    """Row and column from 0."""

    sheet: str
    row: int
    column: int
    word: str


@dataclass(frozen=True)
class WrittenWorkbook(Written):
    path: Path
    sheets: Sheets
    words: Sequence[SheetWord]

    @cached_property
    def copy(self) -> Workbook:
        """Opened once for all that is written. Without pictures, which can be saved only once."""
        workbook = openpyxl.load_workbook(self.path)
        self.sheets.fill_formulas(workbook, self.sheets.filled)
        for sheet in workbook.worksheets:
            sheet._images = []
        return workbook

    @cached_property
    def originals(self) -> list[Any]:
        return [self.cell_of(word).value for word in self.words]

    def cell_of(self, word: SheetWord) -> Any:
        return self.copy[word.sheet].cell(word.row + 1, word.column + 1)

    def write(self, path: Path, first: int, without: set[int]) -> str | None:
        for place, (word, original) in enumerate(zip(self.words, self.originals, strict=True)):
            self.cell_of(word).value = original if place in without else stand_in(first, place)
        self.copy.save(path)
        return None


def find_written(path: Path, encoding: str | None, *, with_results: bool) -> Written | None:
    """None where there are no words, or what holds them is too large."""
    if path.suffix[1:].lower() in COPIED_EXTENSIONS:
        return find_in_workbook(path, with_results=with_results)
    if encoding is None or path.stat().st_size > MAX_BYTES:
        return None
    text = path.read_bytes().decode(encoding, errors="replace").replace("\r\n", "\n").replace("\r", "\n")
    words = find_words(text, choose_delimiter(text.split("\n")) or ",", with_results=with_results)
    return WrittenText(text, words) if words else None


def find_in_workbook(path: Path, *, with_results: bool) -> WrittenWorkbook | None:
    sheets = open_sheets(path)
    if sheets is None:
        return None
    words = [
        word for name, rows in sheets.filled.items() for word in find_in_sheet(name, rows, with_results=with_results)
    ]
    return WrittenWorkbook(path, sheets, words) if 0 < len(words) <= MOST_WORDS else None


def find_in_sheet(name: str, rows: Sequence[Sequence[Any]], *, with_results: bool) -> list[SheetWord]:
    shown = [[write_cell(cell).strip() for cell in row] for row in rows]
    places = {(row, column) for row, columns in find_in_plates(shown).items() for column in columns}
    places |= set(find_in_lists(shown, is_certain=not with_results))
    return [SheetWord(name, row, column, shown[row][column]) for row, column in sorted(places)]
