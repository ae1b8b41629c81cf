"""The datasets of chosen runs as one table, and as lines that a page can draw."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from accounts.callers import Caller
from datasets.columns import ColumnInfo
from datasets.engine import Abandonment
from datasets.models import Dataset, RunKey
from datasets.row_formats import build_json
from datasets.row_query import RowRequest
from datasets.stacking import join_columns, stack_rows
from files.drawing.conventions import is_scattering, runs_left

OF_RUN = ("instrument_id", "run_id")
MAX_POINTS_OF_LINE, MAX_DRAWN_ROWS = 1_000, 50_000


@dataclass(frozen=True)
class Lines:
    """What is drawn: `across` None puts the runs side by side, the oldest first; `by` makes a line of each value."""

    up: ColumnInfo
    across: ColumnInfo | None
    by: ColumnInfo | None

    @property
    def is_thinned(self) -> bool:
        """Of an axis every extreme is drawn; where a place comes again and again, the mean of what is there."""
        return self.across is not None and self.across.role == "axis" and self.up.role == "value"


def list_of_runs(runs: Sequence[RunKey], *, by: Caller) -> list[Dataset]:
    """Of those of the runs that the caller may see and that are not deleted; the newest run first."""
    found = Dataset.objects.visible_to(by).active().with_files().of_runs(runs).filter(run__deleted_at=None)
    return list(found.order_by("-run__happened_at", "-run_id", "source_file_id", "id"))


def count_names(datasets: Sequence[Dataset]) -> dict[str, int]:
    """In how many runs each name is, that of most runs first."""
    counted = Counter(name for name, _ in {(one.name, one.run_id) for one in datasets})
    return dict(sorted(counted.items(), key=lambda item: (-item[1], item[0])))


def list_columns(datasets: Sequence[Dataset], *, name: str) -> list[ColumnInfo]:
    """That all of them share a type of; without those that say where a row is from."""
    return join_columns(datasets, RowRequest(columns=[name]))


def choose_lines(columns: Sequence[ColumnInfo], *, across: str, up: str, by: str) -> Lines | None:
    """As asked, else as the columns' roles say; None where no column holds numbers."""
    known = {column.name: column for column in columns}
    numbers = [column for column in columns if column.is_number]
    if not numbers:
        return None
    values = [column for column in numbers if column.role == "value"] or numbers
    axis = next((column for column in numbers if column.role == "axis"), None)
    texts = [column for column in columns if column.type == "string" and column.name != "flag"]
    keys = [one for one in texts if one.name in ("trace", "sample") or (axis is not None and one.role == "key")]
    usual = next(iter(keys), None)
    asked = known.get(across)
    return Lines(
        up=known[up] if up in known and known[up].is_number else values[0],
        across=None if across == "run" else asked if asked is not None and asked.is_number else axis,
        by=None if by == "none" else known.get(by) or usual,
    )


def read_lines(
    datasets: Sequence[Dataset],
    lines: Lines,
    *,
    name: str,
    where: Sequence[str] = (),
    abandonment: Abandonment | None = None,
) -> dict[str, Any]:
    """An ids-curve/1 document. Raises what stack_rows raises."""
    kept = [one for one in (lines.by, lines.across) if one is not None]
    columns = [*OF_RUN, *(one.name for one in kept)]
    if lines.is_thinned:
        most = MAX_POINTS_OF_LINE
        asked = RowRequest(columns=[*columns, lines.up.name], where=where, max_points=most, limit=MAX_DRAWN_ROWS)
    else:
        mean = [f"mean:{lines.up.name}"]
        asked = RowRequest(group_by=columns, where=where, aggregate=mean, limit=MAX_DRAWN_ROWS)
    rows = stack_rows(datasets, asked, name=name, with_total=False, abandonment=abandonment)
    return draw_lines(build_json(rows)["data"], lines, runs=order_runs(datasets), title=name)


def order_runs(datasets: Sequence[Dataset]) -> list[RunKey]:
    """The oldest first."""
    return list(dict.fromkeys((one.run.instrument_id, one.run.run_id) for one in reversed(datasets)))


def draw_lines(rows: Sequence[Sequence[Any]], lines: Lines, *, runs: Sequence[RunKey], title: str) -> dict[str, Any]:
    place_of = {run: number for number, run in enumerate(runs, start=1)}
    has_parts = lines.by is not None and len({row[len(OF_RUN)] for row in rows}) > 1
    series: dict[str, list[tuple[float, float | None]]] = {}
    for instrument, run, *rest, height in rows:
        of = [str(rest[0])] if has_parts else []
        across = rest[-1] if lines.across is not None else place_of[instrument, run]
        label = " · ".join([run, *of] if lines.across is not None else of or [lines.up.title or lines.up.name])
        if across is not None:
            series.setdefault(label, []).append((across, height))
    return {
        "format": "ids-curve/1",
        "title": title,
        "style": "line",
        **describe_axes(lines),
        "series": [draw_series(label, sorted(points, key=lambda one: one[0])) for label, points in series.items()],
        "downsampled": lines.is_thinned,
    }


def describe_axes(lines: Lines) -> dict[str, dict[str, Any]]:
    """x and y as the field has them: wavenumbers run to the left, scattering is logarithmic."""
    y = describe_axis(lines.up)
    if lines.across is None:
        return {"x": {"label": "Run, the oldest first", "unit": None, "whole": True}, "y": y}
    x = describe_axis(lines.across)
    if is_scattering(x["label"], x["unit"]):
        return {"x": x | {"log": True}, "y": y | {"log": True}}
    return {"x": x | ({"reversed": True} if runs_left(x["label"], x["unit"]) else {}), "y": y}


def describe_axis(column: ColumnInfo) -> dict[str, Any]:
    return {"label": column.title or column.name, "unit": column.unit}


def draw_series(label: str, points: Sequence[tuple[float, float | None]]) -> dict[str, Any]:
    x, y = [point[0] for point in points], [point[1] for point in points]
    return {"label": label, "x": x, "y": y, "points": len(points)}
