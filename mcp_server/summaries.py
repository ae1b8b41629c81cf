"""What an artefact says, in a few hundred bytes: heads of tables, extents of curves, the range of a plate."""

import statistics
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from files.drawing.documents import MEANINGLESS_UNITS

MAX_ROWS, MAX_COLUMNS, MAX_SERIES = 5, 12, 8
Summary = dict[str, Any]


def summarise_document(document: Any) -> tuple[str, Summary] | None:
    """("tables" | "curves" | "plates", summary) of a JSON artefact; None for a document of another format."""
    form = document.get("format") if isinstance(document, Mapping) else None
    known = SUMMARISERS.get(str(form))
    return (known[0], known[1](document)) if known else None


def summarise_table(document: Mapping[str, Any]) -> Summary:
    columns = document["columns"][:MAX_COLUMNS]
    return {
        "columns": [_with_unit(column["name"], column.get("unit")) for column in columns],
        "rows": [row[:MAX_COLUMNS] for row in document["rows"][:MAX_ROWS]],
        "total_rows": document["total_rows"],
        "total_columns": len(document["columns"]),
    }


def summarise_curve(document: Mapping[str, Any]) -> Summary:
    series = document["series"]
    return {
        "x": _with_unit(document["x"]["label"], document["x"].get("unit")),
        "y": _with_unit(document["y"]["label"], document["y"].get("unit")),
        "series": [_summarise_series(one) for one in series[:MAX_SERIES]],
        "total_series": len(series),
    }


def summarise_plate(document: Mapping[str, Any]) -> Summary:
    wells = document["wells"]
    numbers = {name: well["value"] for name, well in wells.items() if well["value"] is not None}
    summary = {
        "quantity": _with_unit(document["quantity"], document.get("unit")),
        "format": document["rows"] * document["columns"],
        "wells": len(wells),
        "without_number": len(wells) - len(numbers),
    }
    if numbers:
        lowest, highest = min(numbers, key=numbers.__getitem__), max(numbers, key=numbers.__getitem__)
        summary["lowest"] = {"well": lowest, "value": numbers[lowest]}
        summary["highest"] = {"well": highest, "value": numbers[highest]}
        summary["mean"] = float(f"{statistics.fmean(numbers.values()):.6g}")
    return summary


SUMMARISERS: dict[str, tuple[str, Callable[[Mapping[str, Any]], Summary]]] = {
    "ids-table/1": ("tables", summarise_table),
    "ids-curve/1": ("curves", summarise_curve),
    "ids-plate/1": ("plates", summarise_plate),
}


def _summarise_series(series: Mapping[str, Any]) -> Summary:
    points: Sequence[tuple[float, float]] = [
        (x, y) for x, y in zip(series["x"], series["y"], strict=False) if y is not None
    ]
    summary: Summary = {"label": series["label"], "points": series.get("points", len(series["x"]))}
    if points:
        low, high = min(points, key=lambda point: point[1]), max(points, key=lambda point: point[1])
        summary |= {"x_from": points[0][0], "x_to": points[-1][0]}
        summary |= {"lowest": {"x": low[0], "y": low[1]}, "highest": {"x": high[0], "y": high[1]}}
    return summary


def _with_unit(name: str, unit: str | None) -> str:
    return f"{name} ({unit})" if unit and unit not in MEANINGLESS_UNITS else name
