"""The table of a text or a workbook as a dataset: every row, every number as it was written."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, tzinfo
from typing import Any

import numpy as np

from processing.processors.columns.curves import COUNTER_NAMES
from processing.processors.columns.layout import split_name_and_unit
from processing.processors.columns.typed_columns import Content, Grid, TypedColumn
from processing.processors.columns.well_lists import WELL_NAMES
from processing.readings import Column, Dataset, DatasetKind, Role

NAME = "table"


def dataset_of_grid(grid: Grid, *, title: str, zone: tzinfo, roles: Mapping[str, Role] | None = None) -> Dataset | None:
    """None where it has no rows, or where the columns hold the first of them only. `roles`: those that are known."""
    if not grid.columns or not 0 < len(grid.columns[0].texts.nulls) == grid.total_rows:
        return None
    has_axis = is_axis(grid)
    columns = [
        build_column(header, column, is_axis=has_axis and place == 0, zone=zone)
        for place, (header, column) in enumerate(zip(grid.header, grid.columns, strict=True))
    ]
    known = [replace(column, role=(roles or {}).get(column.name, column.role)) for column in columns]
    return Dataset(NAME, title, DatasetKind.TABLE, known)


def is_axis(grid: Grid) -> bool:
    """Whether the page draws the other columns against the first."""
    first, *others = grid.columns
    name, _ = split_name_and_unit(grid.header[0])
    is_drawn = first.is_measured and first.runs_steadily and bool(others)
    return is_drawn and all(column.holds_numbers for column in others) and name.lower() not in COUNTER_NAMES


def build_column(header: str, column: TypedColumn, *, is_axis: bool, zone: tzinfo) -> Column:
    name, unit = split_name_and_unit(header)
    role = Role.AXIS if is_axis else Role.VALUE
    if holds(column, Content.NUMBERS):
        return Column(name, with_gaps(column.numbers), unit, role, header)
    if holds(column, Content.DURATIONS):
        return Column(name, with_gaps(column.numbers), "s", role, header)
    if holds(column, Content.MOMENTS):
        return Column(name, moments_of(column, zone=zone), None, Role.AXIS if is_axis else Role.LABEL, header)
    key = Role.KEY if name.lower() in WELL_NAMES else Role.LABEL
    return Column(name, column.texts.as_values(), unit, key, header)


def holds(column: TypedColumn, content: Content) -> bool:
    return column.is_numeric and column.content is content and column.missing < len(column.numbers)


def with_gaps(numbers: Sequence[float]) -> Any:
    """An array where every cell is a number, else None in place of what is missing."""
    values = np.frombuffer(numbers, np.float64)  # type: ignore[call-overload]  # an array of the standard library
    missing = np.isnan(values)
    return np.ma.masked_array(values, missing) if missing.any() else values


def moments_of(column: TypedColumn, *, zone: tzinfo) -> list[datetime | None]:
    """Those without an offset are of the instrument's zone."""
    is_naive = not column.moments[0].tzinfo
    return [None if number != number else moment_of(number, zone if is_naive else UTC) for number in column.numbers]


def moment_of(number: float, zone: tzinfo) -> datetime:
    return datetime.fromtimestamp(number, UTC).replace(tzinfo=zone)
