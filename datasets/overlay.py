"""Curves of chosen runs over each other: what datasets of one name hold along their axis, thinned where it is long."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from datasets.columns import ColumnInfo
from datasets.combining import MAX_DRAWN_ROWS, MAX_POINTS_OF_LINE, Lines
from datasets.engine import Abandonment, open_query
from datasets.models import Dataset, RunKey
from datasets.row_formats import plain_rows
from datasets.sql import Statement, quote
from datasets.stacking import PLACE, build_stack

MAX_CURVES = 48


@dataclass(frozen=True)
class OverlaidCurve:
    """Points by rising abscissa, without gaps. `part` is the trace or sample within its file, where it has any."""

    run: RunKey
    filename: str
    part: str
    label: str
    x: Sequence[float]
    y: Sequence[float]


def keep_alike(datasets: Sequence[Dataset], lines: Lines) -> list[Dataset]:
    """Those that measure in the units of the first."""
    wanted = (lines.across, lines.up)
    units = [{column["name"]: column.get("unit") for column in one.columns} for one in datasets]
    first = [units[0].get(column.name) for column in wanted if column]
    return [
        dataset
        for dataset, has in zip(datasets, units, strict=True)
        if all(column.name in has for column in wanted if column)
        and [has[column.name] for column in wanted if column] == first
    ]


def read_curves(
    datasets: Sequence[Dataset], lines: Lines, *, as_means: bool, abandonment: Abandonment | None = None
) -> list[OverlaidCurve]:
    """In the order of `datasets`, then of their parts; at most MAX_CURVES of them.

    Of a curve of more than 1,000 points the least and the greatest value of 500 stretches are kept; or `as_means` the
    means of 1,000, with which can be reckoned. Raises QueryTooLarge, QueriesBusy, DatasetDamaged, StoreUnavailable.
    """
    stretches = MAX_POINTS_OF_LINE if as_means else MAX_POINTS_OF_LINE // 2
    statement = build_stretches(build_stack(datasets, list_needed(lines)), lines, stretches)
    found = []
    for (place, part), grouped in groupby(read_stretches(statement, abandonment), key=lambda row: (row[0], row[1])):
        rows = list(grouped)
        points = [(row[2], row[3]) for row in rows] if as_means else list_extremes(rows)
        x, y = zip(*points, strict=True)
        of = datasets[place]
        key = (of.run.instrument_id, of.run.run_id)
        found.append(OverlaidCurve(key, of.source_file.filename, part or "", "", x, y))
    return name_curves(found[:MAX_CURVES])


def list_extremes(rows: Iterable[Sequence[Any]]) -> list[tuple[float, float]]:
    """The two of each stretch, as they stand on the axis."""
    return sorted({point for *_, low_at, low, high_at, high in rows for point in ((low_at, low), (high_at, high))})


def name_curves(curves: Sequence[OverlaidCurve]) -> list[OverlaidCurve]:
    """By their runs, and by what else tells them apart: instrument, file, part."""
    instruments, files, parts = defaultdict(set), defaultdict(set), defaultdict(set)
    for curve in curves:
        instruments[curve.run[1]].add(curve.run[0])
        files[curve.run].add(curve.filename)
        parts[curve.run].add(curve.part)
    told = [
        (
            curve.run[1],
            curve.run[0] if len(instruments[curve.run[1]]) > 1 else "",
            curve.filename if len(files[curve.run]) > 1 else "",
            curve.part if len(parts[curve.run]) > 1 else "",
        )
        for curve in curves
    ]
    return [replace(curve, label=" · ".join(filter(None, words))) for curve, words in zip(curves, told, strict=True)]


def list_needed(lines: Lines) -> list[ColumnInfo]:
    if lines.across is None:
        raise ValueError("curves need an axis")
    axis, up = replace(lines.across, role="axis"), replace(lines.up, role="value")
    return [*([replace(lines.by, role="key")] if lines.by else []), axis, up]


def read_stretches(statement: Statement, abandonment: Abandonment | None) -> list[Sequence[Any]]:
    rows: list[Any] = []
    with open_query(abandonment) as query:
        reader = query.read_batches(statement, columns=8)
        while (batch := query.next_batch(reader)) is not None:
            rows += plain_rows(batch)
    return rows


def build_stretches(stack: Statement, lines: Lines, stretches: int) -> Statement:
    """Of each stretch of each curve its middle, its mean, its least and its greatest value with their places.

    Of a curve of no more than 1,000 points every place is a stretch. Rows are read twice and kept nowhere.
    """
    axis, *_ = (quote(column.name) for column in [lines.across] if column)
    part = f"CAST({quote(lines.by.name)} AS VARCHAR)" if lines.by else "''"
    place = f"least({stretches - 1}, floor((x - low) / (high - low) * {stretches}))"
    return Statement(
        f"WITH s AS NOT MATERIALIZED (SELECT * FROM (SELECT {PLACE} AS n, {part} AS part, CAST({axis} AS DOUBLE) AS x,"
        f" CAST({quote(lines.up.name)} AS DOUBLE) AS y FROM ({stack.sql})) WHERE isfinite(x) AND isfinite(y)),"
        " r AS (SELECT n, part, count(*) AS c, min(x) AS low, max(x) AS high FROM s GROUP BY n, part)"
        " SELECT s.n, s.part, avg(x) AS middle, avg(y), arg_min(x, y), min(y), arg_max(x, y), max(y)"
        " FROM s JOIN r ON s.n = r.n AND s.part IS NOT DISTINCT FROM r.part"
        f" GROUP BY s.n, s.part, CASE WHEN c <= {MAX_POINTS_OF_LINE} OR low = high THEN x ELSE {place} END"
        f" ORDER BY s.n, s.part, middle LIMIT {MAX_DRAWN_ROWS}",
        stack.bound,
    )
