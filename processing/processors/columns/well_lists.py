"""Plates as lists: a row for each well, which one column names, or two: its row and its column."""

from collections.abc import Collection, Iterator, Mapping, Sequence

from processing.formats.plate import Plate, Well, WellValue, guess_shape
from processing.formats.table import Cell
from processing.processors.columns.layout import split_name_and_unit
from processing.processors.columns.plate_grid import MAX_PLATES
from processing.processors.columns.typed_columns import Grid

MIN_WELLS = 4
WELL_NAMES = {"well", "wells", "well id", "well position", "well location", "well name", "pos", "position", "location"}
ROW_NAMES, COLUMN_NAMES = {"row", "well row", "plate row"}, {"column", "col", "well column", "well col", "plate column"}
PLATE_NAMES = {"plate", "plate id", "plate name", "plate number", "plate barcode", "barcode"}
SAMPLE_NAMES = {"sample", "sample name", "sample id", "content", "name", "id"}


def find_plates_in_list(grid: Grid) -> Iterator[Plate]:
    """One for each column of numbers, of every plate that the list names; none where a well has two rows."""
    if not MIN_WELLS <= grid.total_rows == len(grid.rows):
        return
    names = [split_name_and_unit(header)[0].lower() for header in grid.header]
    wells, said_in = read_wells(grid, names)
    rows_of = group_by_plate(grid, names, wells)
    shape = guess_shape(wells)
    if shape is None or any(len({wells[row] for row in rows}) < len(rows) for rows in rows_of.values()):
        return
    sample = find_name(names, SAMPLE_NAMES)
    are_names = {sample, find_name(names, PLATE_NAMES), *said_in}
    for plate, rows in rows_of.items():
        for number, column in enumerate(grid.columns):
            if not column.holds_numbers or number in are_names:
                continue
            name, unit = split_name_and_unit(grid.header[number])
            told = [row for row in rows if grid.rows[row][number] is not None]
            read = {wells[row]: read_well(grid.rows[row], number, sample=sample) for row in told}
            yield Plate(f"{plate}: {name}" if plate else name, shape, name, unit, read)


def find_name(names: Sequence[str], wanted: Collection[str]) -> int | None:
    return next((number for number, name in enumerate(names) if name in wanted), None)


def read_wells(grid: Grid, names: Sequence[str]) -> tuple[list[Well], set[int]]:
    """Of every row, and the columns that say them; nothing where a row names none.

    Rows of a plate by numbers, as of any other grid, are wells where they are those of whole plates.
    """
    place = find_name(names, WELL_NAMES)
    row_place, column_place = find_name(names, ROW_NAMES), find_name(names, COLUMN_NAMES)
    if place is not None:
        wells = [Well.parse(text_of(row[place])) for row in grid.rows]
        return list_known(wells), {place}
    if row_place is None or column_place is None:
        return [], set()
    wells = [Well.parse(f"{letters_of(row[row_place])}{text_of(row[column_place])}") for row in grid.rows]
    known = list_known(wells)
    is_numbered = grid.columns[row_place].holds_numbers
    shape = guess_shape(known)
    if is_numbered and (shape is None or len(set(known)) < shape[0] * shape[1]):
        return [], set()
    return known, {row_place, column_place}


def list_known(wells: Sequence[Well | None]) -> list[Well]:
    known = [well for well in wells if well is not None]
    return known if len(known) == len(wells) else []


def text_of(cell: Cell) -> str:
    """3 of the number 3.0 too, as workbooks hold it."""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return "" if cell is None else str(cell)


def letters_of(cell: Cell) -> str:
    """B of the second row."""
    text = text_of(cell)
    return str(Well(int(text) - 1, 0))[:-1] if text.isdecimal() and 1 <= int(text) <= 32 else text


def group_by_plate(grid: Grid, names: Sequence[str], wells: Sequence[Well]) -> Mapping[str, Sequence[int]]:
    """The rows of each by its name, which is empty where there is but one."""
    place = find_name(names, PLATE_NAMES)
    everything = {"": range(len(wells))}
    if place is None or len(set(wells)) == len(wells):
        return everything
    rows_of: dict[str, list[int]] = {}
    for number in range(len(wells)):
        rows_of.setdefault(text_of(grid.rows[number][place]), []).append(number)
    return rows_of if len(rows_of) <= MAX_PLATES else everything


def read_well(row: Sequence[Cell], place: int, *, sample: int | None) -> WellValue:
    cell = row[place]
    return WellValue(
        cell if isinstance(cell, int | float) else None,
        sample=str(row[sample]) if sample is not None and row[sample] else None,
        note=cell if isinstance(cell, str) else None,
    )
