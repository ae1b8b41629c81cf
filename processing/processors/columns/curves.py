"""Curves in a table: one abscissa for all columns, or pairs of columns with an abscissa each."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from processing.formats.curve import Axis, Curve, Series
from processing.formats.long_tables import LongColumn
from processing.processors.columns.electrochemistry import draw_electrochemistry
from processing.processors.columns.layout import split_name_and_unit
from processing.processors.columns.times import choose_unit
from processing.processors.columns.typed_columns import Content, Grid, TypedColumn
from processing.readings import Artefact

REMARK = re.compile(
    r"\b(remarks?|comments?|notes?|flags?|status|events?|messages?|annotations?|markers?|alarms?|operator|user)\b",
    re.IGNORECASE,
)
COUNTER_NAMES = {"", "#", "no", "no.", "nr", "nr.", "number", "index", "id", "row", "sample", "well", "position"}


@dataclass(frozen=True)
class Trace:
    x: Axis
    y: Axis
    label: str
    xs: Sequence[float]
    ys: Sequence[float]


def curves_of(grid: Grid, *, title: str, suffix: str) -> list[Artefact]:
    """One for each pair of units; none where the table is no curve."""
    if electrochemistry := draw_electrochemistry(grid, title=title, suffix=suffix):
        return electrochemistry
    traces = find_paired_traces(grid) or find_traces_against_first(grid)
    groups: dict[tuple[Axis, str | None], list[Trace]] = {}
    for trace in traces:
        groups.setdefault((trace.x, trace.y.unit), []).append(trace)
    made = []
    for place, ((x, unit), found) in enumerate(groups.items(), start=1):
        names = {trace.y.label for trace in found}
        y = Axis(names.pop() if len(names) == 1 else "Value", unit)
        series = [Series(trace.label, trace.xs, trace.ys) for trace in found]
        made.append(Curve(title, x, y, series).artefact(f"curves{suffix}{'' if place == 1 else f'-{place}'}.json"))
    return made


def find_traces_against_first(grid: Grid) -> list[Trace]:
    """Every other column, where the first runs steadily through numbers or times. A numbered list is no curve."""
    first = grid.columns[0]
    name, unit = split_name_and_unit(grid.header[0])
    remarks = list_remarks(grid)
    others = [place for place in range(1, len(grid.columns)) if place not in remarks]
    others_measured = bool(others) and all(grid.columns[place].holds_numbers for place in others)
    if not (first.is_measured and first.runs_steadily and others_measured) or name.lower() in COUNTER_NAMES:
        return []
    x, xs = build_abscissa(first, name=name, unit=unit)
    named = [(place, *split_name_and_unit(grid.header[place])) for place in others]
    return [Trace(x, Axis(name, unit), name, xs, grid.columns[place].numbers) for place, name, unit in named]


def list_remarks(grid: Grid) -> list[int]:
    """Columns of what people and programs say beside what was measured: the numbers are curves without them."""
    texts = [place for place, column in enumerate(grid.columns) if place and not column.holds_numbers]
    return [place for place in texts if REMARK.search(grid.header[place])]


def build_abscissa(column: TypedColumn, *, name: str, unit: str | None) -> tuple[Axis, Sequence[float]]:
    """Times count from the first, in the unit in which they are read best."""
    if column.content is Content.NUMBERS:
        return Axis(name, unit), column.numbers
    start = column.numbers[0] if column.content is Content.MOMENTS else 0.0
    unit, length = choose_unit(abs(column.numbers[-1] - start))
    label = "Elapsed time" if column.content is Content.MOMENTS else name
    return Axis(label, unit), [round((number - start) / length, 9) for number in column.numbers]


def find_paired_traces(grid: Grid) -> list[Trace]:
    """Wavelength, sample 1, wavelength, sample 2 …: as spectrophotometers write several scans side by side."""
    abscissae = {header.lower() for header in grid.header[::2]}
    is_paired = len(grid.columns) >= 4 and len(grid.columns) % 2 == 0 and len(abscissae) == 1
    if not is_paired or not all(column.is_numeric and column.content is Content.NUMBERS for column in grid.columns):
        return []
    traces = []
    for place in range(0, len(grid.columns), 2):
        name, unit = split_name_and_unit(grid.header[place])
        y_name, y_unit = split_name_and_unit(grid.header[place + 1])
        points = zip(grid.columns[place].numbers, grid.columns[place + 1].numbers, strict=True)
        xs, ys = zip(*((x, y) for x, y in points if not math.isnan(x)), strict=True)
        label = (grid.groups[place] if grid.groups else "") or f"{y_name} {place // 2 + 1}".strip()
        traces.append(Trace(Axis(name, unit), Axis(y_name, y_unit), label, xs, ys))
    return traces


def list_long_columns(grid: Grid) -> list[LongColumn]:
    """The whole table, each column as numbers or as texts; nothing where only its first rows are held."""
    if not grid.columns or len(grid.columns[0].texts.nulls) != grid.total_rows:
        return []
    found = []
    for header, column in zip(grid.header, grid.columns, strict=True):
        name, unit = split_name_and_unit(header)
        if column.is_measured and column.content in (Content.NUMBERS, Content.DURATIONS):
            in_seconds = column.content is Content.DURATIONS
            numbers = np.asarray(column.numbers, dtype=np.float64)
            found.append(LongColumn(name, "s" if in_seconds else unit, numbers=numbers))
        else:
            found.append(LongColumn(name, unit, texts=column.texts.as_list()))
    return found
