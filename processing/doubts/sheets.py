"""Cells of workbooks that hold a word or an error in the place of a number, and that no reader told."""

import re
import struct
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from processing.doubts.containers import OLE_MAGIC
from processing.readings import MIB

ENDINGS = (".xlsx", ".xlsm", ".xls", ".xlsb", ".ods")
MOST_BYTES = MIB // 2  # of a larger workbook nothing is said
MOST_UNPACKED_BYTES = 16 * MIB
FEW = 3  # such cells of a workbook: more are what its program writes
MOST_NAMED = 40  # characters of a sheet's name
WORD = re.compile(r"error|err|invalid|ovrflw|overflow|saturated|out of range|\?{3,}|\*{3,}|#{3,}", re.IGNORECASE)
UNNAMED = "no reason is given"  # as readers say of empty cells
SHEET = re.compile(r"xl/worksheets/[^/]+\.xml")
ERROR_CELL = re.compile(
    rb'<c\b[^>]{0,99}\br="([A-Z]{1,3}\d{1,7})"[^>]{0,99}\bt="e"[^>]{0,99}>'
    rb"(?:<f[^>]{0,999}>[^<]{0,9999}</f>)?<v>(#[^<]{1,10})</v>"
)
BIFF_ERRORS = {0: "#NULL!", 7: "#DIV/0!", 15: "#VALUE!", 23: "#REF!", 29: "#NAME?", 36: "#NUM!", 42: "#N/A"}
BIFF_CELL = re.compile(  # of XLS: an error, or a formula that gives one
    rb"(?:\x05\x02\x08\x00(....)..([\x00\x07\x0f\x17\x1d\x24\x2a])\x01"
    rb"|\x06\x00..(....)..\x02\x00([\x00\x07\x0f\x17\x1d\x24\x2a])\x00\x00\x00\xff\xff)",
    re.DOTALL,
)
MOST_DASHES = 20  # of a sheet: more are what its program writes
DASH, LEAST_NUMBERS = re.compile(r"-{1,3}|[–—]"), 4  # noqa: RUF001  # of its row and its column
Cell = Any


def list_sheet_doubts(path: Path, told: Sequence[str]) -> Iterator[str]:
    """One sentence about the first; `told` is what was said of the file before."""
    if path.suffix.lower() not in ENDINGS or path.stat().st_size > MOST_BYTES:
        return
    with path.open("rb") as file:
        head = file.read(len(OLE_MAGIC))
    if head != OLE_MAGIC and not is_small_archive(path):
        return
    said = " ".join(told)
    sheets = open_sheets(path)
    words = [(place, word) for place, word in find_words(sheets) if word not in said]
    words += [(place, dash) for place, dash in find_dashes(sheets) if f"({dash})" not in said]
    errors = [] if UNNAMED in said else list(find_biff_errors(path) if head == OLE_MAGIC else find_errors(path))
    if 0 < len(words) + len(errors) <= FEW:
        place, word = [*words, *errors][0]
        yield f"“{word}” in cell {place} stands in the place of a number: those around it are numbers."


def is_small_archive(path: Path) -> bool:
    try:
        with zipfile.ZipFile(path) as archive:
            return sum(part.file_size for part in archive.infolist()) <= MOST_UNPACKED_BYTES
    except (zipfile.BadZipFile, OSError):
        return False


def open_sheets(path: Path) -> dict[str, list[list[Cell]]]:
    """None of what is no workbook."""
    from python_calamine import CalamineError, CalamineWorkbook  # here: who reads nothing does not load it

    try:
        workbook = CalamineWorkbook.from_path(str(path))
        return {
            name: workbook.get_sheet_by_name(name).to_python(skip_empty_area=False) for name in workbook.sheet_names
        }
    except (CalamineError, OSError, ValueError):
        return {}


def find_words(sheets: Mapping[str, Sequence[Sequence[Cell]]]) -> Iterator[tuple[str, str]]:
    """Each with its place; of a sheet in which the cell above or below is a number, and one of its row."""
    for name, rows in sheets.items():
        for row, cells in enumerate(rows):
            for column, cell in enumerate(cells):
                if isinstance(cell, str) and cell and WORD.fullmatch(cell.strip()) and is_measured(rows, row, column):
                    yield f"{name_column(column)}{row + 1} of “{name[:MOST_NAMED]}”", cell.strip()


def find_dashes(sheets: Mapping[str, Sequence[Sequence[Cell]]]) -> Iterator[tuple[str, str]]:
    """The only dash of a column and of a row of numbers: many have several for what is none by nature."""
    for name, rows in sheets.items():
        places = [
            (row, column)
            for row, cells in enumerate(rows)
            if any(map(is_dash, cells)) and sum(map(is_number, cells)) >= LEAST_NUMBERS
            for column, cell in enumerate(cells)
            if is_dash(cell)
        ]
        for row, column in places if len(places) <= MOST_DASHES else ():
            cells = [one[column] for one in rows if column < len(one)]
            is_alone = [place for place in places if row == place[0] or column == place[1]] == [(row, column)]
            is_long = sum(map(is_number, cells)) >= LEAST_NUMBERS and sum(map(is_dash, cells)) == 1
            if is_alone and is_long and is_measured(rows, row, column):
                yield f"{name_column(column)}{row + 1} of “{name[:MOST_NAMED]}”", str(rows[row][column]).strip()


def is_dash(cell: Cell) -> bool:
    return isinstance(cell, str) and DASH.fullmatch(cell.strip()) is not None


def is_measured(rows: Sequence[Sequence[Cell]], row: int, column: int) -> bool:
    beside = [rows[near][column] for near in (row - 1, row + 1) if 0 <= near < len(rows)]
    return any(map(is_number, beside)) and any(map(is_number, rows[row]))


def is_number(cell: Cell) -> bool:
    return isinstance(cell, int | float) and not isinstance(cell, bool)


def find_errors(path: Path) -> Iterator[tuple[str, str]]:
    """Of XLSX: what a formula gives where it gives no number, which readers take for an empty cell."""
    try:
        with zipfile.ZipFile(path) as archive:
            for part in filter(SHEET.fullmatch, archive.namelist()):
                for place, word in ERROR_CELL.findall(archive.read(part)):
                    yield place.decode(), word.decode(errors="replace")
    except (zipfile.BadZipFile, OSError, EOFError, NotImplementedError, RuntimeError):
        return


def find_biff_errors(path: Path) -> Iterator[tuple[str, str]]:
    """Of XLS, likewise; these bytes stand nowhere by chance."""
    for error, of_error, formula, of_formula in BIFF_CELL.findall(path.read_bytes()):
        row, column = struct.unpack("<HH", error or formula)
        yield f"{name_column(column)}{row + 1}", BIFF_ERRORS[(of_error or of_formula)[0]]


def name_column(column: int) -> str:
    """A is 0, AA is 26."""
    letters = ""
    column += 1
    while column:
        column, place = divmod(column - 1, 26)
        letters = chr(ord("A") + place) + letters
    return letters
