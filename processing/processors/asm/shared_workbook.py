"""A workbook that is opened once for all of allotropy's sniffers: each of them would open it again, some twice."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import openpyxl
from python_calamine import CalamineError, CalamineWorkbook

WORKBOOK_EXTENSIONS = {"xlsx", "xlsm", "xls"}
DESCRIBED_SHEETS = 2
SNIFFED_ROWS = 60  # no sniffer looks further down than 50


class SniffedSheet:
    """The first rows of a sheet, as openpyxl gives them."""

    def __init__(self, rows: Sequence[Sequence[Any]]) -> None:
        self.rows = [tuple(None if cell == "" else cell for cell in row) for row in rows]

    def iter_rows(self, *, max_row: int | None = None, values_only: bool = True) -> Iterator[tuple[Any, ...]]:
        if not values_only:
            raise NotImplementedError("A sniffer asks for cells, and has values only.")
        return iter(self.rows[:max_row])


class SniffedWorkbook:
    """What sniffers ask of openpyxl's workbook: the names of its sheets and their first rows, read when asked for."""

    def __init__(self, path: Path) -> None:
        self.workbook = CalamineWorkbook.from_path(str(path))
        self.sheetnames = self.workbook.sheet_names
        self.sheets: dict[str, SniffedSheet] = {}

    def __getitem__(self, name: str) -> SniffedSheet:
        if name not in self.sheets:
            sheet = self.workbook.get_sheet_by_name(name)
            self.sheets[name] = SniffedSheet(sheet.to_python(skip_empty_area=False, nrows=SNIFFED_ROWS))
        return self.sheets[name]

    def close(self) -> None:
        """Stays open for the next sniffer."""

    def describe(self) -> str:
        """The names of the sheets and the first rows of the first two, a line for each, with tabs between cells.

        The first may be one of notes.
        """
        first = [row for name in self.sheetnames[:DESCRIBED_SHEETS] for row in self[name].rows]
        rows = ("\t".join("" if cell is None else str(cell) for cell in row) for row in first)
        return "\n".join(["\t".join(self.sheetnames), *rows])


@contextmanager
def shared_workbook(path: Path) -> Iterator[SniffedWorkbook | None]:
    """While this is open, openpyxl gives the one workbook to whoever loads one. None: the file is none."""
    if path.suffix[1:].lower() not in WORKBOOK_EXTENSIONS:
        yield None
        return
    try:
        opened = SniffedWorkbook(path)
    except CalamineError:
        yield None
        return
    usual = openpyxl.load_workbook
    openpyxl.load_workbook = lambda *_, **__: opened
    try:
        yield opened
    finally:
        openpyxl.load_workbook = usual
