"""A plate written as a grid: column numbers above, row letters at the left, a number in each well."""

from collections.abc import Sequence

from processing.formats.plate import SHAPES, Plate, Well, WellValue
from processing.formats.table import Cell
from processing.processors.columns.typed import number_of


def plate_in(rows: Sequence[Sequence[Cell]], *, decimal_comma: bool) -> Plate | None:
    """The plate, if these rows begin with one of a known format."""
    if not rows:
        return None
    numbers = [number_of(cell, decimal_comma=False) for cell in rows[0][1:]]
    columns = next((count for _, count in SHAPES if numbers == list(range(1, count + 1))), None)
    count = next((rows_of for rows_of, columns_of in SHAPES if columns_of == columns), 0)
    letters = [Well.parse(f"{row[0]}1") if row else None for row in rows[1 : count + 1]]
    if columns is None or letters != [Well(row, 0) for row in range(count)]:
        return None
    wells = {}
    for row, cells in enumerate(rows[1 : count + 1]):
        for column, cell in enumerate(cells[1 : columns + 1]):
            number = number_of(cell, decimal_comma=decimal_comma)
            is_number = number is not None and number == number
            note = str(cell) if cell and not is_number else None
            wells[Well(row, column)] = WellValue(number if is_number else None, note=note)
    return Plate("Plate", (count, columns), "value", None, wells)
