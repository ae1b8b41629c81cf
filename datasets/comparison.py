"""Datasets side by side along their common axis, and a picture of them."""

import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from datasets.columns import ColumnInfo, refuse
from datasets.engine import open_query
from datasets.models import Dataset
from datasets.row_formats import plain_rows
from datasets.rows import columns_of
from datasets.sources import locate
from datasets.sql import Statement, quote

MAX_POINTS = 2_000
WIDTH, HEIGHT, MARGIN = 900, 480, 60
COLOURS = ("#2563eb", "#dc2626", "#059669", "#d97706", "#7c3aed", "#0891b2", "#be185d", "#4d7c0f", "#6b7280", "#000000")


@dataclass(frozen=True)
class Comparison:
    """Rows of the axis and one value for each dataset, null where it has none there."""

    axis: ColumnInfo
    value: ColumnInfo
    datasets: Sequence[Dataset]
    rows: Sequence[Sequence[Any]]

    def as_json(self) -> dict[str, Any]:
        series = [
            {"dataset_id": str(one.pk), "run_id": one.run.run_id, "filename": one.source_file.filename}
            for one in self.datasets
        ]
        return {
            "axis": {"name": self.axis.name, "unit": self.axis.unit},
            "value": {"name": self.value.name, "unit": self.value.unit},
            "series": series,
            "data": list(self.rows),
        }


def compare(datasets: Sequence[Dataset], *, value: str = "") -> Comparison:
    """Means of each place on the axis; stretches of it where there are many places. Raises ValidationError."""
    axis = find_axis(datasets)
    first = columns_of(datasets[0])
    numbers = [column for column in first.with_role("value") if column.is_number]
    if not value and not numbers:
        raise refuse("value", "The first dataset has no column of the role value.")
    shown = first.find(value, parameter="value") if value else numbers[0]
    for dataset in datasets:
        if not columns_of(dataset).find(shown.name, parameter="value").is_number:
            raise refuse("value", f"{shown.name} holds no numbers.")
    with open_query() as query:
        reader = query.read_batches(build_comparison(datasets, axis, shown), columns=len(datasets) + 1)
        rows: list[list[Any]] = []
        while (batch := query.next_batch(reader)) is not None:
            rows += plain_rows(batch)
    return Comparison(axis, shown, datasets, rows)


def find_axis(datasets: Sequence[Dataset]) -> ColumnInfo:
    """The one that all of them have."""
    found = [next(iter(columns_of(dataset).with_role("axis")), None) for dataset in datasets]
    first = found[0]
    if first is None or not first.is_number or any(one is None or one.name != first.name for one in found):
        raise refuse("dataset_ids", "They have no axis in common: a column of the role axis, called alike, in numbers.")
    if len({one.unit for one in found if one}) > 1:
        raise refuse("dataset_ids", f"Their axes {first.name} are in different units.")
    return first


def build_comparison(datasets: Sequence[Dataset], axis: ColumnInfo, value: ColumnInfo) -> Statement:
    x, y = quote(axis.name), quote(value.name)
    parts = [
        f"SELECT {number} AS n, CAST({x} AS DOUBLE) AS x, CAST({y} AS DOUBLE) AS y FROM read_parquet(?)"
        for number in range(len(datasets))
    ]
    means = ", ".join(f"avg(y) FILTER (WHERE n = {number}) AS v{number}" for number in range(len(datasets)))
    stretch = f"nullif((SELECT max(x) - min(x) FROM p) / {MAX_POINTS}, 0)"
    place = (
        f"CASE WHEN (SELECT count(DISTINCT x) FROM p) > {MAX_POINTS} THEN floor(x / {stretch}) * {stretch} ELSE x END"
    )
    return Statement(
        f"WITH p AS (SELECT * FROM ({' UNION ALL '.join(parts)}) WHERE isfinite(x) AND isfinite(y)) "
        f"SELECT {place} AS place, {means} FROM p GROUP BY place ORDER BY place",
        locate(datasets),
    )


def draw_comparison(compared: Comparison) -> bytes:
    """A PNG: each dataset a line of its own colour, named below."""
    from PIL import Image, ImageDraw

    image = Image.new("RGB", (WIDTH, HEIGHT + 16 * len(compared.datasets)), "white")
    draw = ImageDraw.Draw(image)
    xs = [row[0] for row in compared.rows]
    ys = [one for row in compared.rows for one in row[1:] if one is not None]
    if not xs or not ys:
        draw.text((MARGIN, MARGIN), "No numbers", fill="black")
        return encode(image)
    left, right, low, high = min(xs), max(xs), min(ys), max(ys)

    def place(x: float, y: float) -> tuple[float, float]:
        along = (x - left) / ((right - left) or 1.0)
        up = (y - low) / ((high - low) or 1.0)
        return MARGIN + along * (WIDTH - 2 * MARGIN), HEIGHT - MARGIN - up * (HEIGHT - 2 * MARGIN)

    draw.rectangle((MARGIN, MARGIN, WIDTH - MARGIN, HEIGHT - MARGIN), outline="#9ca3af")
    for number, dataset in enumerate(compared.datasets):
        colour = COLOURS[number % len(COLOURS)]
        points = [place(row[0], row[number + 1]) for row in compared.rows if row[number + 1] is not None]
        if len(points) > 1:
            draw.line(points, fill=colour, width=2)
        name = f"{dataset.run.instrument_id} / {dataset.run.run_id}".encode("ascii", "replace").decode()
        draw.text((MARGIN, HEIGHT - 20 + 16 * number), name, fill=colour)
    for text, at in ((f"{low:.6g}", (4, HEIGHT - MARGIN - 6)), (f"{high:.6g}", (4, MARGIN - 6))):
        draw.text(at, text, fill="black")
    for text, at in (
        (f"{left:.6g}", (MARGIN, HEIGHT - MARGIN + 6)),
        (f"{right:.6g}", (WIDTH - MARGIN - 40, HEIGHT - 54)),
    ):
        draw.text(at, text, fill="black")
    said = f"{describe(compared.value)} against {describe(compared.axis)}".encode("ascii", "replace").decode()
    draw.text((MARGIN, 20), said, fill="black")
    return encode(image)


def describe(column: ColumnInfo) -> str:
    return f"{column.name} ({column.unit})" if column.unit else column.name


def encode(image: Any) -> bytes:
    out = io.BytesIO()
    image.save(out, "PNG", optimize=True)
    return out.getvalue()
