"""Long tables as curves: a row for each point, with a column that says whose it is and one that says where it stands.

One rule for CSV, workbooks, Parquet and tables in HDF5. Keys that are wells are drawn as a plate over its steps too.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from processing.dataset_making.values import Role
from processing.formats.curve import MAX_SERIES, Axis, Curve, Series
from processing.formats.plate import Plate, Steps, Well, WellValue, guess_shape
from processing.readings import Artefact

AXIS_NAME = re.compile(
    r"\b(cycles?( (count|number))?|time|elapsed( time)?|wavelength|wavenumbers?|raman shift|temp(erature)?|m/?z"
    r"|retention( time)?|rt|elution volume|chemical shift|potential|voltage|frequency|q|2 ?(theta|θ)|energy)\b",
    re.IGNORECASE,
)
KEY_NAME = re.compile(
    r"\b(well|wells|sample|target|channel|trace|curve|series|compound|analyte|detector|reporter|dye|replicate|run"
    r"|spectrum|position|pos|name|id|label|group|strain|condition)\b",
    re.IGNORECASE,
)
WELL_NAME = re.compile(r"\b(well|wells|pos|position|location)\b", re.IGNORECASE)
NO_VALUE_NAME = re.compile(r"^(index|row|column|col|no|nr|number|#|plate|order)\b", re.IGNORECASE)
UNIT_BEHIND = re.compile(r"(?P<name>.*\w)_(?P<unit>s|sec|ms|min|h|nm|um|°?C|degC|mAU|AU|mV|V|RFU|mL|uL|ppm|eV|Hz)")
MIN_POINTS = 4  # of each curve, on average
MAX_ROWS, MAX_VALUES, MAX_KEYS = 1_000_000, 6, 3


@dataclass(frozen=True)
class LongColumn:
    """Numbers, NaN where there is none; or texts, of which None is an empty cell."""

    name: str
    unit: str | None = None
    numbers: NDArray[np.float64] | None = None
    texts: Sequence[str | None] | None = None

    @property
    def floats(self) -> NDArray[np.float64]:
        """None of them where it holds texts."""
        return np.empty(0) if self.numbers is None else self.numbers

    @property
    def plain_name(self) -> str:
        return self.name.replace("_", " ")

    def as_axis(self) -> Axis:
        """Time in s for time_s; OD600 for od600."""
        behind = UNIT_BEHIND.fullmatch(self.name) if self.unit is None else None
        name, unit = (behind["name"], behind["unit"]) if behind else (self.name, self.unit)
        name = re.sub(r"^od(?=\d|$)", "OD", name.replace("_", " "))
        return Axis(name if name[1:2].isupper() else f"{name[:1].upper()}{name[1:]}", unit)


@dataclass(frozen=True)
class LongTable:
    keys: Sequence[LongColumn]
    axis: LongColumn
    values: Sequence[LongColumn]
    rows_of: dict[tuple[str, ...], NDArray[np.intp]]  # by key, in the order of the file; rows by rising abscissa


def draw_long_table(table: LongTable | None, *, title: str, suffix: str = "") -> list[Artefact]:
    """Curves of each column of values, and plates where the keys are wells; nothing without a table."""
    if table is None:
        return []
    made = []
    for number, value in enumerate(table.values, start=1):
        ending = f"{suffix}{'' if number == 1 else f'-{number}'}.json"
        made.append(draw_curves(table, value, title=title).artefact(f"curves{ending}"))
        if plate := draw_plate(table, value):
            made.append(plate.artefact(f"plate{ending}"))
    return [replace(one, datasets=()) for one in made]  # the table itself is the dataset


def roles_of(table: LongTable | None) -> dict[str, Role]:
    """By the name of the column."""
    if table is None:
        return {}
    return {table.axis.name: Role.AXIS} | {key.name: Role.KEY for key in table.keys}


def find_long_table(columns: Sequence[LongColumn]) -> LongTable | None:
    """None where the table is another: without keys that come again, or with two points of one curve at one place."""
    count = max((len(one.texts or ()) if one.numbers is None else len(one.numbers) for one in columns), default=0)
    if not MIN_POINTS <= count <= MAX_ROWS:
        return None
    axes = [one for one in columns if one.numbers is not None and AXIS_NAME.search(one.plain_name) and runs(one)]
    keys = [one for one in columns if KEY_NAME.search(one.plain_name) and tells_apart(one)]
    keys.sort(key=lambda one: WELL_NAME.search(one.plain_name) is None)
    chosen = (few for size in range(1, MAX_KEYS + 1) for few in combinations(keys, size))
    for few in chosen:
        for axis in axes:
            rows_of = group_rows(few, axis) if axis not in few else None
            if rows_of is not None and (values := list_values(columns, few, axis, rows_of)):
                return LongTable(few, axis, values, rows_of)
    return None


def runs(column: LongColumn) -> bool:
    numbers = column.numbers
    return numbers is not None and bool(np.isfinite(numbers).all()) and len(np.unique(numbers)) >= MIN_POINTS


def tells_apart(column: LongColumn) -> bool:
    """Words, or whole numbers: neither one for all rows nor one for each."""
    written = texts_of(column)
    if written is None:
        return False
    different = len(set(written))
    return 2 <= different <= min(MAX_SERIES, len(written) // 2)


def texts_of(column: LongColumn) -> list[str] | None:
    """None where a cell is empty, or a number is not whole."""
    if column.numbers is not None:
        is_whole = np.isfinite(column.numbers).all() and (column.numbers == np.round(column.numbers)).all()
        return [f"{number:.0f}" for number in column.numbers.tolist()] if is_whole else None
    return None if column.texts is None or None in column.texts else [str(text) for text in column.texts]


def group_rows(keys: Sequence[LongColumn], axis: LongColumn) -> dict[tuple[str, ...], NDArray[np.intp]] | None:
    """None where a curve has two points at one place, or the curves are too many or too short."""
    written = [texts for key in keys if (texts := texts_of(key)) is not None]
    groups: dict[tuple[str, ...], list[int]] = {}
    for row, key in enumerate(zip(*written, strict=True)):
        groups.setdefault(key, []).append(row)
    if not 2 <= len(groups) <= MAX_SERIES or len(written[0]) < MIN_POINTS * len(groups) or axis.numbers is None:
        return None
    sorted_rows = {}
    for key, rows in groups.items():
        places = axis.numbers[rows]
        order = np.argsort(places, kind="stable")
        if len(places) > 1 and not (np.diff(places[order]) > 0).all():
            return None
        sorted_rows[key] = np.asarray(rows, dtype=np.intp)[order]
    return sorted_rows


def list_values(
    columns: Sequence[LongColumn],
    keys: Sequence[LongColumn],
    axis: LongColumn,
    rows_of: dict[tuple[str, ...], NDArray[np.intp]],
) -> list[LongColumn]:
    """Numbers that change along the curves."""
    found = []
    for one in columns:
        if one in keys or one is axis or one.numbers is None or NO_VALUE_NAME.match(one.plain_name):
            continue
        numbers = one.numbers
        if any(len(np.unique(known)) > 1 for rows in rows_of.values() if len(known := drop_missing(numbers[rows]))):
            found.append(one)
    return found[:MAX_VALUES]


def drop_missing(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    return numbers[np.isfinite(numbers)]


def draw_curves(table: LongTable, value: LongColumn, *, title: str) -> Curve:
    axis, numbers = table.axis.floats, value.floats
    series = [Series(" · ".join(key), axis[rows], numbers[rows]) for key, rows in table.rows_of.items()]
    return Curve(title, table.axis.as_axis(), value.as_axis(), series)


def draw_plate(table: LongTable, value: LongColumn) -> Plate | None:
    """Where the one key is a well of a plate, and every well was read at the same steps."""
    axis, numbers = table.axis.floats, value.floats
    wells = {key: Well.parse(key[0]) for key in table.rows_of if len(key) == 1}
    known = [well for well in wells.values() if well is not None]
    shape = guess_shape(known)
    steps = axis[next(iter(table.rows_of.values()))]
    is_even = all(np.array_equal(axis[rows], steps) for rows in table.rows_of.values())
    if len(known) < len(table.rows_of) or len(set(known)) < len(known) or shape is None or not is_even:
        return None
    read = {}
    for key, well in wells.items():
        values = [None if np.isnan(number) else number for number in numbers[table.rows_of[key]].tolist()]
        if well is not None:
            read[well] = WellValue(values[0], values=values)
    x, y = table.axis.as_axis(), value.as_axis()
    return Plate(y.label, shape, y.label, y.unit, read, Steps(x.label, x.unit, steps.tolist()))
