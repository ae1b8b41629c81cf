"""Plates of chosen runs side by side, in the same colours, and for two of them the second less the first."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from datasets.columns import ColumnInfo
from datasets.combining import list_columns
from datasets.engine import Abandonment
from datasets.models import Dataset
from datasets.row_formats import build_json
from datasets.row_query import RowRequest
from datasets.stacking import stack_rows
from files.drawing.plate import PlateView, build_plate_view

WELL = re.compile(r"([A-Z]{1,2})0?([1-9]\d?)")
SIZES = ((8, 12), (16, 24), (32, 48))
MAX_WELLS, MAX_STEPS = 50_000, 200
DIFFERENCE_LEVELS = 2  # of colour on each side of zero


@dataclass(frozen=True)
class ComparedPlate:
    title: str
    filename: str
    wells: Mapping[str, float | None]


@dataclass(frozen=True)
class Plates:
    value: ColumnInfo
    step: ColumnInfo | None
    steps: Sequence[Any]
    at: int  # the place of the step that is shown
    plates: Sequence[ComparedPlate]

    @property
    def difference(self) -> dict[str, float | None]:
        """By well, where both have a number; empty unless there are two."""
        if len(self.plates) != 2:
            return {}
        first, second = (plate.wells for plate in self.plates)
        both = {well: (first[well], second[well]) for well in first if well in second}
        return {well: None if a is None or b is None else b - a for well, (a, b) in both.items()}


def is_plate(dataset: Dataset) -> bool:
    return dataset.kind == "plate" and "well" in dataset.column_names


def read_plates(
    datasets: Sequence[Dataset], *, name: str, value: str, step: str, abandonment: Abandonment | None = None
) -> Plates | None:
    """In the order of `datasets`. None where no column holds numbers. Raises what stack_rows raises."""
    columns = list_columns(datasets, name=name)
    numbers = [column for column in columns if column.role == "value" and column.is_number]
    if not numbers:
        return None
    shown = next((column for column in numbers if column.name == value), numbers[0])
    of_steps = next((column for column in columns if column.role == "step"), None)
    steps: list[Any] = []
    where = []
    at = 0
    if of_steps:
        asked = RowRequest(group_by=[of_steps.name], order_by=of_steps.name, limit=MAX_STEPS)
        steps = [row[0] for row in _read(datasets, asked, name, abandonment) if row[0] is not None]
        at = min(int(step), len(steps) - 1) if step.isascii() and step.isdigit() and len(step) < 5 else 0
        where = [f"{of_steps.name}:eq:{steps[at]}"] if steps else []
    asked = RowRequest(
        columns=["instrument_id", "run_id", "filename", "well", shown.name], where=where, limit=MAX_WELLS
    )
    rows = _read(datasets, asked, name, abandonment)
    return Plates(shown, of_steps, steps, at, group_wells(rows, datasets))


def _read(datasets: Sequence[Dataset], asked: RowRequest, name: str, abandonment: Abandonment | None) -> list[Any]:
    return list(build_json(stack_rows(datasets, asked, name=name, with_total=False, abandonment=abandonment))["data"])


def group_wells(rows: Sequence[Sequence[Any]], datasets: Sequence[Dataset]) -> list[ComparedPlate]:
    wells: dict[tuple[str, str, str], dict[str, float | None]] = {
        (one.run.instrument_id, one.run.run_id, one.source_file.filename): {} for one in datasets
    }
    for instrument, run, filename, well, value in rows:
        wells[instrument, run, filename].setdefault(str(well), value)
    return [ComparedPlate(run, filename, found) for (_, run, filename), found in wells.items() if found]


def view_plates(found: Plates) -> tuple[list[tuple[ComparedPlate, PlateView]], PlateView | None]:
    """Each with its picture, and the difference of two."""
    known = [value for plate in found.plates for value in plate.wells.values() if value is not None]
    span = (min(known), max(known)) if known else None
    size = choose_size([*(well for plate in found.plates for well in plate.wells)])
    views = [(plate, view(plate.wells, found.value, size, span)) for plate in found.plates]
    difference = found.difference
    most = max((abs(value) for value in difference.values() if value is not None), default=0.0)
    less = view(difference, found.value, size, (-most, most)) if difference else None
    return views, recolour(less, most) if less else None


def view(
    wells: Mapping[str, float | None],
    value: ColumnInfo,
    size: tuple[int, int],
    span: tuple[float, float] | None,
) -> PlateView:
    known = {place_of(well): {"value": number} for well, number in wells.items()}
    document = {"format": "ids-plate/1", "rows": size[0], "columns": size[1], "wells": known}
    about = {"quantity": value.title or value.name, "unit": value.unit}
    return build_plate_view(document | about, span=span)


def recolour(shown: PlateView, most: float) -> PlateView:
    """Two steps below zero, two above it, and one for what is near it."""

    def look(text: str) -> str:
        return f"d{1 + DIFFERENCE_LEVELS + round(float(text) / most * DIFFERENCE_LEVELS)}" if most else "d3"

    rows = [
        (
            letter,
            [
                replace(well, look=look(well.value)) if well.look.startswith("v") and well.value else well
                for well in wells
            ],
        )
        for letter, wells in shown.rows
    ]
    return replace(shown, rows=rows)


def place_of(well: str) -> str:
    """A1 for A01."""
    found = WELL.fullmatch(well)
    return f"{found[1]}{found[2]}" if found else well


def choose_size(wells: Sequence[str]) -> tuple[int, int]:
    """The least plate that has all of them."""
    rows, columns = 1, 1
    for found in map(WELL.fullmatch, set(wells)):
        if found:
            number = 0
            for letter in found[1]:
                number = 26 * number + ord(letter) - 64
            rows, columns = max(rows, number), max(columns, int(found[2]))
    return next((size for size in SIZES if rows <= size[0] and columns <= size[1]), SIZES[-1])


def describe_wells(found: Plates) -> dict[str, Any]:
    """An ids-table/1 document, for CSV: a row for each well, a column for each plate."""
    difference = found.difference
    names = [f"{plate.title} {plate.filename}" for plate in found.plates]
    columns = [{"name": "Well", "unit": None}, *({"name": name, "unit": found.value.unit} for name in names)]
    wells = dict.fromkeys(well for plate in found.plates for well in plate.wells)
    rows = [[well, *(plate.wells.get(well) for plate in found.plates)] for well in wells]
    if difference:
        columns.append({"name": "The second less the first", "unit": found.value.unit})
        rows = [[*row, difference.get(str(row[0]))] for row in rows]
    return {"format": "ids-table/1", "columns": columns, "rows": rows, "total_rows": len(rows)}
