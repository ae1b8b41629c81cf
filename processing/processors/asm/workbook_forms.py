"""Forms in which a workbook is offered to vendors' parsers: without empty sheets, another sheet first, a sheet as text.

People put sheets of their own before that of the instrument, and save its text as a workbook.
"""

import csv
import io
from collections.abc import Iterator
from datetime import date, datetime
from pathlib import Path
from typing import Any

import openpyxl
from python_calamine import CalamineError, CalamineWorkbook

KIB = 1024
COPIED_EXTENSIONS = ("xlsx", "xlsm")
WORKBOOK_EXTENSIONS = (*COPIED_EXTENSIONS, "xls", "xlsb", "ods")
MAX_BYTES = 256 * KIB  # larger workbooks are read as they are: each copy is written anew
MAX_SHEETS = 2  # that are tried as the first
TEXTS = {"csv": ",", "txt": "\t"}

Rows = list[list[Any]]


def list_workbook_forms(path: Path, *, folder: Path) -> Iterator[Path]:
    """Copies of the workbook, one after the other. None where it is too large, or no workbook."""
    if path.stat().st_size > MAX_BYTES:
        return
    try:
        workbook = CalamineWorkbook.from_path(str(path))
        sheets = {name: workbook.get_sheet_by_name(name).to_python() for name in workbook.sheet_names}
    except (CalamineError, OSError, ValueError):
        return
    filled = [name for name, rows in sheets.items() if any(cell != "" for row in rows for cell in row)]
    if path.suffix[1:].lower() in COPIED_EXTENSIONS:
        yield from copy_with_other_order(path, folder, filled=filled, names=list(sheets))
    for name in filled[:MAX_SHEETS]:
        yield from write_as_text(path, folder, sheets[name])


def copy_with_other_order(path: Path, folder: Path, *, filled: list[str], names: list[str]) -> Iterator[Path]:
    """Each filled sheet as the first, empty ones left out."""
    orders = [[first, *(name for name in filled if name != first)] for first in filled[:MAX_SHEETS]]
    if all(order == names for order in orders):
        return
    copy = folder / path.name
    try:
        workbook = openpyxl.load_workbook(path)
        of_name = {name: workbook[name] for name in filled}
        for order in orders:
            if order != names:
                workbook._sheets = [of_name[name] for name in order]
                workbook.active = 0
                workbook.save(copy)
                yield copy
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
