"""Workbooks: each sheet that holds something, as a table."""

from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

from python_calamine import CalamineError, CalamineWorkbook, PasswordError

from processing.formats.table import Cell
from processing.processors.columns.plate_grid import plate_in
from processing.processors.columns.typed import Grid, build_grid, number_of
from processing.readings import MIB, Unreadable

WORKBOOK_EXTENSIONS = {"xlsx", "xlsm", "xls", "xlsb", "ods"}
MOST_BYTES = 32 * MIB
MOST_SHEETS = 12
MOST_COLUMNS = 200


def read_workbook(path: Path) -> list[tuple[str, Grid]]:
    size = path.stat().st_size
    if size > MOST_BYTES:
        raise Unreadable(f"{MOST_BYTES // MIB} MiB is the most for a workbook; this one has {size / MIB:.0f} MiB.")
    try:
        workbook = CalamineWorkbook.from_path(str(path))
    except PasswordError as error:
        raise Unreadable("The workbook is protected by a password.") from error
    except CalamineError as error:
        raise Unreadable("It is no workbook, or a damaged one.") from error
    grids = []
    for name in workbook.sheet_names[:MOST_SHEETS]:
        rows = [row for row in sheet_rows(workbook, name) if any(cell is not None for cell in row)]
        if rows:
            grids.append((name, grid_of(rows)))
    if not grids:
        raise Unreadable("Its sheets are empty.")
    return grids


def sheet_rows(workbook: CalamineWorkbook, name: str) -> list[list[Cell]]:
    rows: Sequence[Sequence[Any]] = workbook.get_sheet_by_name(name).to_python(skip_empty_area=True)
    return [[cell_of(value) for value in row[:MOST_COLUMNS]] for row in rows]


def cell_of(value: Any) -> Cell:
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, str):
        return value.strip() or None
    return value if isinstance(value, bool | int | float) else None


def grid_of(rows: list[list[Cell]]) -> Grid:
    """A first row of words names the columns; elsewhere they are numbered, and every row is left in its place."""
    width = max(len(row) for row in rows)
    if is_header(rows[0]) and len(rows) > 1 and len(rows[0]) == width and all(rows[0]):
        return build_grid([str(cell) for cell in rows[0]], rows[1:], decimal_comma=False)
    plate = plate_in(rows, decimal_comma=False)
    grid = build_grid([f"Column {number}" for number in range(1, width + 1)], rows, decimal_comma=False)
    grid.plate = plate
    return grid


def is_header(row: Sequence[Cell]) -> bool:
    return all(number_of(cell, decimal_comma=False) is None for cell in row)
