"""What is made of curves over each other: heights made alike, an offset, differences to the first, means with bands."""

from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from itertools import pairwise
from typing import Any

from datasets.combining import Lines, describe_axes, draw_series
from datasets.overlay import OverlaidCurve
from files.drawing.documents import NotDrawable, format_number

OFFSET_SHARE = 0.3  # of the greatest range, by which each curve stands above the one before
MAX_COMMON_POINTS, MAX_MEANS = 1_000, 8
NOTHING_IN_COMMON = "They have no stretch of the axis in common."


class Scale(StrEnum):
    MEASURED = "measured"
    HIGHEST = "highest"
    AREA = "area"


class Layout(StrEnum):
    OVER = "over"
    OFFSET = "offset"
    DIFFERENCE = "difference"
    MEAN = "mean"


def needs_means(scale: Scale, layout: Layout) -> bool:
    """Extremes are for looking at; areas, differences and means are of what is between them too."""
    return scale is Scale.AREA or layout in (Layout.DIFFERENCE, Layout.MEAN)


def draw_overlay(
    curves: Sequence[OverlaidCurve], lines: Lines, *, scale: Scale, layout: Layout, title: str
) -> dict[str, Any]:
    """An ids-curve/1 document; `bands` names the two traces between which each band lies. Raises NotDrawable."""
    made = [scale_curve(curve, scale) for curve in curves]
    x, y = describe_axes(lines).values()
    if layout is Layout.DIFFERENCE:
        x, y = ({name: value for name, value in axis.items() if name != "log"} for axis in (x, y))
    if scale is not Scale.MEASURED:
        y |= {"label": f"{y['label']}, {'highest' if scale is Scale.HIGHEST else 'area'} = 1", "unit": None}
    bands: list[tuple[str, str]] = []
    if layout is Layout.OFFSET:
        made = offset_curves(made)
    elif layout is Layout.DIFFERENCE:
        y, made = y | {"label": f"{y['label']} less {curves[0].run[1]}"}, list_differences(made)
    elif layout is Layout.MEAN:
        made, bands = list_means(made)
    series = [draw_series(curve.label, list(zip(curve.x, curve.y, strict=True))) for curve in made]
    document = {"format": "ids-curve/1", "title": title, "style": "line", "x": x, "y": y}
    return document | {"series": series, "bands": bands}


def scale_curve(curve: OverlaidCurve, scale: Scale) -> OverlaidCurve:
    """As it is where nothing is above zero, or the area is none."""
    if scale is Scale.MEASURED:
        return curve
    size = max(curve.y) if scale is Scale.HIGHEST else abs(measure_area(curve))
    return replace(curve, y=[height / size for height in curve.y]) if size > 0 else curve


def measure_area(curve: OverlaidCurve) -> float:
    """By trapezoids."""
    points = list(zip(curve.x, curve.y, strict=True))
    return sum((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in pairwise(points))


def offset_curves(curves: Sequence[OverlaidCurve]) -> list[OverlaidCurve]:
    """Each says by how much it stands too high: a step of two digits, so that it is read off easily."""
    step = float(f"{OFFSET_SHARE * max((max(curve.y) - min(curve.y) for curve in curves), default=0.0):.1e}")
    return [
        replace(curve, y=[height + number * step for height in curve.y], label=_name_raised(curve.label, number * step))
        for number, curve in enumerate(curves)
    ]


def _name_raised(label: str, by: float) -> str:
    return f"{label} + {format_number(by)}" if by else label


def list_differences(curves: Sequence[OverlaidCurve]) -> list[OverlaidCurve]:
    """Of every curve to the first of its part, at its own places, between which the first is a straight line."""
    import numpy as np

    first: dict[str, OverlaidCurve] = {}
    found = []
    for curve in curves:
        of = first.setdefault(curve.part, curve)
        places = [number for number, x in enumerate(curve.x) if of.x[0] <= x <= of.x[-1]]
        if of is curve or not places:
            continue
        x, y = [curve.x[place] for place in places], [curve.y[place] for place in places]
        found.append(replace(curve, x=x, y=(np.asarray(y) - np.interp(x, of.x, of.y)).tolist()))
    if not found:
        raise NotDrawable(NOTHING_IN_COMMON)
    return found


def list_means(curves: Sequence[OverlaidCurve]) -> tuple[list[OverlaidCurve], list[tuple[str, str]]]:
    """Of the curves of each part the mean, and one sample standard deviation below and above it."""
    parts = list(dict.fromkeys(curve.part for curve in curves))
    found: list[OverlaidCurve] = []
    bands = []
    for part in parts[:MAX_MEANS]:
        of_part = [curve for curve in curves if curve.part == part]
        name = " · ".join(filter(None, (f"Mean of {len(of_part)}", part if len(parts) > 1 else "")))
        made = average(of_part, name) if len(of_part) > 1 else []
        found += made
        bands += [(made[1].label, made[2].label)] if made else []
    if not found:
        raise NotDrawable(NOTHING_IN_COMMON if len(curves) > 1 else "A mean needs two curves.")
    return found, bands


def average(curves: Sequence[OverlaidCurve], name: str) -> list[OverlaidCurve]:
    """On every place that one of them has, or on 1,000 even ones; nothing where they do not overlap."""
    import numpy as np

    low, high = max(curve.x[0] for curve in curves), min(curve.x[-1] for curve in curves)
    if low >= high:
        return []
    places = np.unique([x for curve in curves for x in curve.x if low <= x <= high])
    if len(places) > MAX_COMMON_POINTS:
        places = np.linspace(low, high, MAX_COMMON_POINTS)
    heights = np.array([np.interp(places, curve.x, curve.y) for curve in curves])
    mean, spread, x = heights.mean(axis=0), heights.std(axis=0, ddof=1), places.tolist()
    shown = ((name, mean), (f"{name}, less s", mean - spread), (f"{name}, plus s", mean + spread))
    return [replace(curves[0], label=label, x=x, y=y.tolist()) for label, y in shown]
