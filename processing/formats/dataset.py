"""The datasets of what pages draw: of a curve, a plate and a table, from the values that they were given."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from processing.dataset_values import Column, ColumnType, Dataset, DatasetKind, Role

if TYPE_CHECKING:
    from processing.formats.curve import Curve
    from processing.formats.plate import Plate, WellValue
    from processing.formats.table import Table

TIME_UNITS = {"s", "sec", "ms", "min", "h", "d", "hours", "minutes", "seconds"}
RETENTION = re.compile(r"retention|elution|chromatogram|volume", re.IGNORECASE)
TIME = re.compile(r"\btime\b|\bcycle", re.IGNORECASE)
ROW_LETTERS = re.compile(r"[A-Z]+")


def name_of_artefact(name: str) -> str:
    """`table` of `table-2.json`: without the number, which only tells several of one file apart."""
    stem = name.rpartition(".")[0] or name
    return re.sub(r"-\d+(?=-|$)", "", stem)


def datasets_of_curve(curve: "Curve", name: str) -> tuple[Dataset, ...]:
    """Long: trace, x, y. None of lines that only outline something, nor of points that are not all of them."""
    shown = [series for series in curve.series if len(series.x)]
    is_whole = all(series.total is None or series.total <= len(series.x) for series in shown)
    if not shown or not is_whole or curve.style == "contours":
        return ()
    lengths = [len(series.x) for series in shown]
    labels = [series.label or str(number) for number, series in enumerate(shown, start=1)]
    columns = [
        Column("trace", repeat_texts(labels, lengths), role=Role.KEY, title="Trace"),
        Column(curve.x.label or "x", join_floats(series.x for series in shown), curve.x.unit, Role.AXIS),
        Column(curve.y.label or "y", join_floats(series.y for series in shown), curve.y.unit, Role.VALUE),
    ]
    return (Dataset(name_of_artefact(name), curve.title, kind_of_curve(curve), columns),)


def repeat_texts(texts: Sequence[str], counts: Sequence[int]) -> Any:
    from processing.dataset_files import TextValues

    encoded = [text.encode("utf-8", "replace") for text in texts]
    lengths = np.repeat([len(text) for text in encoded], counts)
    offsets = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
    data = b"".join(text * count for text, count in zip(encoded, counts, strict=True))
    return TextValues(data, offsets, np.zeros(len(lengths), np.uint8))


def join_floats(parts: Any) -> Any:
    """One column; None and NaN are gaps, as in the picture."""
    return np.ma.masked_invalid(np.concatenate([np.asarray(part, dtype=np.float64) for part in parts]))


def kind_of_curve(curve: "Curve") -> DatasetKind:
    unit, said = (curve.x.unit or "").lower(), f"{curve.x.label} {curve.title}"
    is_time = unit in TIME_UNITS or TIME.search(curve.x.label) is not None
    if RETENTION.search(said) and (is_time or unit in ("ml", "l", "µl")):
        return DatasetKind.CHROMATOGRAM
    return DatasetKind.TIME_SERIES if is_time else DatasetKind.SPECTRUM


def datasets_of_plate(plate: "Plate", name: str) -> tuple[Dataset, ...]:
    """Long: well, row, column, the step where there are steps, value, sample, flag."""
    wells = sorted(plate.wells)
    if not wells:
        return ()
    steps: Sequence[Any] = plate.steps.values if plate.steps else [None]
    found = [(well, plate.wells[well], place) for well in wells for place in range(len(steps))]
    names = [str(well) for well, _, _ in found]
    columns = [
        Column("well", names, role=Role.KEY, title="Well"),
        Column("row", [letters_of(name) for name in names], role=Role.LABEL, title="Row"),
        Column("column", [well.column + 1 for well, _, _ in found], role=Role.LABEL, title="Column"),
    ]
    if plate.steps:
        values = [steps[place] for _, _, place in found]
        columns.append(Column(plate.steps.label or "step", values, plate.steps.unit, Role.STEP))
    numbers = [value_at(well, place, steps) for _, well, place in found]
    columns.append(
        Column("value", numbers, plate.unit, Role.VALUE, title=plate.quantity or "Value", type=ColumnType.FLOAT64)
    )
    if any(well.sample for _, well, _ in found):
        columns.append(Column("sample", [well.sample for _, well, _ in found], role=Role.LABEL, title="Sample"))
    columns.append(Column("flag", [well.note for _, well, _ in found], role=Role.LABEL, title="Flag"))
    return (Dataset(name_of_artefact(name), plate.title, DatasetKind.PLATE, columns),)


def letters_of(well: str) -> str:
    found = ROW_LETTERS.match(well)
    return found[0] if found else ""


def value_at(well: "WellValue", place: int, steps: Sequence[Any]) -> float | None:
    if len(steps) > 1 or well.values:
        return well.values[place] if place < len(well.values) else None
    return well.value


def datasets_of_table(table: "Table", name: str) -> tuple[Dataset, ...]:
    """As it is; none where only its first rows were given."""
    is_whole = table.total_rows is None or table.total_rows <= len(table.rows)
    if not table.columns or not table.rows or not is_whole:
        return ()
    columns = [
        Column(column.name, [row[place] if place < len(row) else None for row in table.rows], column.unit)
        for place, column in enumerate(table.columns)
    ]
    shown = [with_role(column) for column in columns]
    return (Dataset(name_of_artefact(name), table.title, DatasetKind.TABLE, shown),)


def with_role(column: Column) -> Column:
    """Numbers are values, everything else labels."""
    known = [value for value in column.values if value is not None]
    is_number = bool(known) and all(isinstance(value, int | float) and value is not True for value in known)
    return replace(column, role=Role.VALUE if is_number else Role.LABEL)
