"""Plates in tables as a grid of rows and columns under column numbers."""

from collections.abc import Iterable, Iterator, Sequence

from processing.formats.plate import SHAPES, Plate, Well, WellValue
from processing.formats.table import Cell
from processing.processors.columns.typed_columns import number_of

MAX_PLATES = 12
MAX_WELLS = 6  # that a warning names
MOST_WORDS = 2  # of so many wells one may hold a word


def find_plates(rows: Sequence[Sequence[Cell]], *, decimal_comma: bool) -> list[Plate]:
    """Every grid of a known format, with what is said alone in the line above it as its title."""
    found: list[Plate] = []
    start = 0
    while start < len(rows) and len(found) < MAX_PLATES:
        plate = read_plate(rows[start:], decimal_comma=decimal_comma)
        if plate is None:
            start += 1
            continue
        found.append(Plate(title_above(rows, start), plate.shape, plate.quantity, plate.unit, plate.wells))
        start += plate.shape[0] + 1
    return found


def title_above(rows: Sequence[Sequence[Cell]], start: int) -> str:
    above = next((row for row in reversed(rows[max(0, start - 2) : start]) if any(row)), [])
    said = [str(cell) for cell in above if cell not in (None, "")]
    return said[0][:100] if len(said) == 1 else ""


def read_plate(rows: Sequence[Sequence[Cell]], *, decimal_comma: bool) -> Plate | None:
    """The plate, if these rows begin with one of a known format."""
    if not rows or len(rows[0]) < 3:
        return None
    numbers = [number_of(cell, decimal_comma=False) for cell in drop_trailing_empty(rows[0][1:])]
    columns = next((count for _, count in SHAPES if numbers == list(range(1, count + 1))), None)
    count = next((rows_of for rows_of, columns_of in SHAPES if columns_of == columns), 0)
    letters = [Well.parse(f"{row[0]}1") if row else None for row in rows[1 : count + 1]]
    if columns is None or letters != [Well(row, 0) for row in range(count)]:
        return None
    wells = {}
    for row, cells in enumerate(rows[1 : count + 1]):
        for column, cell in enumerate(cells[1 : columns + 1]):
            if cell is not None and cell != "":
                wells[Well(row, column)] = value_of(cell, decimal_comma=decimal_comma)
    return Plate("", (count, columns), "value", None, wells)


def drop_trailing_empty(cells: Sequence[Cell]) -> list[Cell]:
    """Without the empty ones at the end."""
    last = max((place for place, cell in enumerate(cells) if cell not in (None, "")), default=-1)
    return list(cells[: last + 1])


def value_of(cell: Cell, *, decimal_comma: bool) -> WellValue:
    number = number_of(cell, decimal_comma=decimal_comma)
    is_number = number is not None and number == number
    return WellValue(number if is_number else None, note=None if is_number else str(cell))


def list_words(plates: Iterable[Plate]) -> Iterator[str]:
    """Of plates of numbers, the wells that hold a word, by each word."""
    for plate in plates:
        words = {well: value.note for well, value in plate.wells.items() if value.value is None and value.note}
        if words and MOST_WORDS * len(words) < len(plate.wells):
            for word in dict.fromkeys(words.values()):
                wells = [str(well) for well, found in words.items() if found == word]
                more = f" and {len(wells) - MAX_WELLS:,} more" if len(wells) > MAX_WELLS else ""
                yield f"No number but “{word}” stands in the plate: {', '.join(wells[:MAX_WELLS])}{more}."
