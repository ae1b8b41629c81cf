"""Workbooks: the rows of each sheet that holds something."""

from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

from python_calamine import CalamineError, CalamineWorkbook, PasswordError

from processing.formats.table import Cell
from processing.readings import MAX_ARTEFACTS, MIB, Unreadable, Unrecognised

WORKBOOK_EXTENSIONS = {"xlsx", "xlsm", "xls", "xlsb", "ods"}
MAX_WORKBOOK_BYTES = 32 * MIB
MAX_SHEETS = MAX_ARTEFACTS  # more of them could not be shown
MAX_COLUMNS = 200


def read_workbook(path: Path) -> tuple[list[tuple[str, list[list[Cell]]]], list[str]]:
    """Name and rows of every sheet that holds something, and a word about sheets that were not looked at."""
    size = path.stat().st_size
    if size > MAX_WORKBOOK_BYTES:
        raise Unrecognised(
            f"It is kept, and not read: {MAX_WORKBOOK_BYTES // MIB} MiB is the most for a workbook; "
            f"this one has {size / MIB:.0f} MiB."
        )
    try:
        workbook = CalamineWorkbook.from_path(str(path))
    except PasswordError as error:
        raise Unreadable("The workbook is protected by a password.") from error
    except CalamineError as error:
        raise Unreadable("It is no workbook, or a damaged one.") from error
    sheets = []
    for name in workbook.sheet_names[:MAX_SHEETS]:
        rows = [row for row in sheet_rows(workbook, name) if any(cell is not None for cell in row)]
        if rows:
            sheets.append((name, rows))
    if not sheets:
        raise Unreadable("Its sheets are empty.")
    count = len(workbook.sheet_names)
    return sheets, [f"The first {MAX_SHEETS} of {count} sheets are read."] if count > MAX_SHEETS else []


def sheet_rows(workbook: CalamineWorkbook, name: str) -> list[list[Cell]]:
    rows: Sequence[Sequence[Any]] = workbook.get_sheet_by_name(name).to_python(skip_empty_area=True)
    return [[cell_of(value) for value in row[:MAX_COLUMNS]] for row in rows]


def cell_of(value: Any) -> Cell:
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, str):
        return value.strip() or None
    return value if isinstance(value, bool | int | float) else None
