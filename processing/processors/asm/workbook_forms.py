"""Forms in which a workbook is offered to vendors' parsers: without what people put into it, or as a text.

People put sheets of their own beside that of the instrument, rows and columns before its table, numbers into cells as
text, and save its text as a workbook.
"""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

import openpyxl
from python_calamine import CalamineError, CalamineWorkbook

from processing.facts import shorten_text
from processing.processors.asm.workbook_sheets import (
    Margin,
    Numbers,
    Rows,
    find_margin,
    find_stored_numbers,
    has_decimal_commas,
    share_margin,
)

KIB = 1024
COPIED_EXTENSIONS = ("xlsx", "xlsm")
WORKBOOK_EXTENSIONS = (*COPIED_EXTENSIONS, "xls", "xlsb", "ods")
MAX_BYTES = 256 * KIB  # larger workbooks are read as they are: each copy is written anew
LEAST_NUMBERS = 10  # of a workbook that are text
MAX_SHEETS = 2  # that are tried as the first, or alone
TEXTS = {"csv": ",", "txt": "\t"}


@dataclass(frozen=True)
class WorkbookForm:
    """A copy, and what is to be told of it."""

    path: Path
    said: tuple[str, ...] = ()


@dataclass(frozen=True)
class Plan:
    """Which sheets a copy has, in their order, without which margins; with numbers that were stored as text."""

    sheets: list[str]
    margins: dict[str, Margin]
    has_numbers: bool = False


@dataclass(frozen=True)
class Sheets:
    """Those of a workbook that hold anything."""

    names: list[str]  # of all, the empty ones among them
    filled: dict[str, Rows]

    @cached_property
    def margins(self) -> dict[str, Margin]:
        return {name: find_margin(rows) for name, rows in self.filled.items()}

    @cached_property
    def numbers(self) -> dict[str, Numbers]:
        with_commas = has_decimal_commas(self.filled.values())
        return {name: find_stored_numbers(rows, with_commas=with_commas) for name, rows in self.filled.items()}

    @property
    def has_numbers_as_text(self) -> bool:
        """All of them, or all that have decimals."""
        cells = [cell for rows in self.filled.values() for row in rows for cell in row if type(cell) in (int, float)]
        stored = [number for numbers in self.numbers.values() for number in numbers.values()]
        if any(cell != int(cell) for cell in cells):
            return False
        return sum(number != int(number) for number in stored) >= LEAST_NUMBERS or (
            not cells and len(stored) >= LEAST_NUMBERS
        )

    def list_plans(self) -> list[Plan]:
        """All sheets, each of the first as the first, then with numbers, then each of the first alone."""
        first = list(self.filled)[:MAX_SHEETS]
        alone = [[name] for name in first] if len(self.filled) > 1 else []
        orders = [[name, *(other for other in self.filled if other != name)] for name in first]
        shared = dict.fromkeys(self.filled, share_margin(list(self.margins.values())))
        has_numbers = any(self.numbers.values())
        bare = dict.fromkeys(self.filled, Margin())
        plans = [Plan(orders[0], margins) for margins in (shared, self.margins) if margins != bare] if orders else []
        plans += [Plan(order, self.margins) for order in orders if order != self.names]
        plans += [Plan(order, shared, has_numbers=True) for order in orders[:1] if has_numbers]
        plans += [Plan(order, self.margins) for order in alone]
        return plans + [Plan(order, self.margins, has_numbers=True) for order in alone if has_numbers]

    def tell(self, plan: Plan) -> Iterator[str]:
        """What is left out."""
        for title in dict.fromkeys(plan.margins[name].title for name in plan.sheets if plan.margins[name].title):
            yield f"“{shorten_text(title, 60)}” above the export is left out."
        others = [f"“{shorten_text(name, 40)}”" for name in self.filled if name not in plan.sheets]
        if others:
            yield f"What the file holds beside the sheet of the export is left out: {', '.join(others)}."

    def write(self, plan: Plan, workbook: Any) -> None:
        workbook._sheets = [workbook[name] for name in plan.sheets]
        workbook.active = 0
        self.fill_formulas(workbook, plan.sheets)
        for name in plan.sheets:
            for (row, column), number in self.numbers[name].items() if plan.has_numbers else ():
                workbook[name].cell(row + 1, column + 1).value = number
            plan.margins[name].cut(workbook[name])

    def fill_formulas(self, workbook: Any, names: Iterable[str]) -> None:
        """A copy has no results of formulas."""
        for name in names:
            for cell in (cell for row in workbook[name].iter_rows() for cell in row if cell.data_type == "f"):
                cell.value = self.filled[name][cell.row - 1][cell.column - 1]


def open_sheets(path: Path) -> Sheets | None:
    """None where it is too large, or no workbook."""
    if path.stat().st_size > MAX_BYTES:
        return None
    try:
        opened = CalamineWorkbook.from_path(str(path))
        sheets = {name: opened.get_sheet_by_name(name).to_python(skip_empty_area=False) for name in opened.sheet_names}
    except (CalamineError, OSError, ValueError):
        return None
    filled = {name: rows for name, rows in sheets.items() if any(cell != "" for row in rows for cell in row)}
    return Sheets(list(sheets), filled)


def write_plainly(path: Path, *, folder: Path) -> WorkbookForm | None:
    """A copy without empty columns before all tables, with numbers in place of texts: parsers lose some otherwise."""
    sheets = open_sheets(path) if path.suffix[1:].lower() in COPIED_EXTENSIONS else None
    if sheets is None or not sheets.filled:
        return None
    margin = Margin(0, share_margin(list(sheets.margins.values())).columns)
    if not margin.columns and not sheets.has_numbers_as_text:
        return None
    plan = Plan(list(sheets.filled), dict.fromkeys(sheets.filled, margin), has_numbers=sheets.has_numbers_as_text)
    return next(list_copies(path, folder / path.name, sheets, [plan]), None)


def list_workbook_forms(path: Path, *, folder: Path) -> Iterator[WorkbookForm]:
    """Copies of the workbook, one after the other. None where it is too large, or no workbook."""
    sheets = open_sheets(path)
    if sheets is None:
        return
    if path.suffix[1:].lower() in COPIED_EXTENSIONS:
        yield from list_copies(path, folder / path.name, sheets, sheets.list_plans())
    for name in list(sheets.filled)[:MAX_SHEETS]:
        for copy in write_as_text(path, folder, sheets.margins[name].of(sheets.filled[name])):
            yield WorkbookForm(copy, tuple(sheets.tell(Plan([name], sheets.margins))))


def list_copies(path: Path, copy: Path, sheets: Sheets, plans: Sequence[Plan]) -> Iterator[WorkbookForm]:
    try:
        for plan in plans:
            workbook = openpyxl.load_workbook(path)
            sheets.write(plan, workbook)
            workbook.save(copy)
            yield WorkbookForm(copy, tuple(sheets.tell(plan)))
    except Exception:  # what calamine reads, openpyxl may not
        return


def write_as_text(path: Path, folder: Path, rows: Rows) -> Iterator[Path]:
    """The sheet as its text was before somebody opened it with a spreadsheet: by commas, then by tabs."""
    for extension, delimiter in TEXTS.items():
        written = io.StringIO()
        csv.writer(written, delimiter=delimiter, lineterminator="\n").writerows(
            [write_cell(cell) for cell in row] for row in rows
        )
        copy = folder / f"{path.stem}.{extension}"
        copy.write_text(written.getvalue(), encoding="utf-8", newline="")
        yield copy


def write_cell(cell: Any) -> str:
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    if isinstance(cell, datetime | date):
        return cell.isoformat(" ") if isinstance(cell, datetime) else cell.isoformat()
    return str(cell)
