"""ids-curve/1 as an SVG that needs no script: axes, ticks and traces in the numbers of a 1000 by 1000 field."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from files.drawing.documents import NotDrawable, number, shown, text

FIELD = 1000
MOST_SERIES, MOST_POINTS, MOST_ROWS = 24, 1_000, 400
STYLES = 6
Point = tuple[float, float | None]


@dataclass(frozen=True)
class Tick:
    """A place in percent of the axis and what stands there."""

    at: str
    text: str
    is_minor: bool


@dataclass(frozen=True)
class Trace:
    label: str
    style: str
    path: str


@dataclass(frozen=True)
class Plot:
    title: str
    description: str
    x_title: str
    y_title: str
    x_ticks: Sequence[Tick]
    y_ticks: Sequence[Tick]
    traces: Sequence[Trace]
    left_out: int  # series that are not drawn
    points: int
    table: Sequence[Sequence[str]]  # x, then y of each trace; only where all share their x


@dataclass(frozen=True)
class Range:
    low: float
    high: float
    is_reversed: bool = False

    def place(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return 1 - share if self.is_reversed else share


def plot_of(document: Mapping[str, Any]) -> Plot:
    """Raises NotDrawable."""
    series = [_points(one) for one in _listed(document.get("series"))[:MOST_SERIES]]
    labels = [text(one.get("label")) for one in _listed(document.get("series"))[:MOST_SERIES]]
    xs = [x for points in series for x, _ in points]
    ys = [y for points in series for _, y in points if y is not None]
    if document.get("format") != "ids-curve/1" or not xs or not ys:
        raise NotDrawable
    x_axis, y_axis = _mapping(document.get("x")), _mapping(document.get("y"))
    across, up = Range(*_bounds(xs), is_reversed=x_axis.get("reversed") is True), Range(*_bounds(_with_air(ys)))
    is_sticks = document.get("style") == "sticks"
    traces = [
        Trace(label, f"s{index % STYLES + 1}", _path(points, across, up, is_sticks=is_sticks))
        for index, (label, points) in enumerate(zip(labels, series, strict=True))
    ]
    return Plot(
        title=text(document.get("title")),
        description=_described(labels, series, x_axis, y_axis),
        x_title=_titled(x_axis),
        y_title=_titled(y_axis),
        x_ticks=_ticks(across, about=8),
        y_ticks=_ticks(Range(up.low, up.high, is_reversed=True)),  # the field counts from above
        traces=traces,
        left_out=max(0, len(_listed(document.get("series"))) - MOST_SERIES),
        points=max(len(points) for points in series),
        table=_table(series),
    )


def _points(one: Mapping[str, Any]) -> list[Point]:
    """Thinned evenly; points without a place are left out."""
    pairs = list(zip(_values(one.get("x")), _values(one.get("y")), strict=False))
    step = max(1, -(-len(pairs) // MOST_POINTS))
    return [(x, number(y)) for given, y in pairs[::step] if (x := number(given)) is not None]


def _path(points: Sequence[Point], across: Range, up: Range, *, is_sticks: bool) -> str:
    pieces, is_drawing = [], False
    for x, y in points:
        if y is None:
            is_drawing = False
            continue
        left, top = round(across.place(x) * FIELD, 1), round((1 - up.place(y)) * FIELD, 1)
        foot = round((1 - up.place(max(up.low, 0))) * FIELD, 1)
        pieces.append(f"M{left:g} {foot:g}V{top:g}" if is_sticks else f"{'L' if is_drawing else 'M'}{left:g} {top:g}")
        is_drawing = True
    return "".join(pieces)


def _ticks(axis: Range, *, about: int = 5) -> list[Tick]:
    """Round numbers."""
    step = _nice((axis.high - axis.low) / about)
    first = math.ceil(axis.low / step - 1e-9)
    places = [index * step for index in range(first, first + 14) if index * step <= axis.high + step * 1e-6]
    decimals = max(0, -math.floor(math.log10(step))) if step < 1 else 0
    return [
        Tick(f"{axis.place(value) * 100:.2f}%", f"{value:,.{min(decimals, 6)}f}", index % 2 == 1)
        for index, value in enumerate(places)
    ]


def _nice(step: float) -> float:
    power = 10.0 ** math.floor(math.log10(step))
    return next(power * factor for factor in (1, 2, 5, 10) if power * factor >= step * 0.999)


def _bounds(values: Sequence[float]) -> tuple[float, float]:
    low, high = min(values), max(values)
    if not math.isfinite(high - low):
        raise NotDrawable
    return (low, high) if high > low else (low - (abs(low) or 1) / 2, high + (abs(high) or 1) / 2)


def _with_air(values: Sequence[float]) -> list[float]:
    low, high = _bounds(values)
    ground = 0.0 if 0 <= low < high / 3 else low - (high - low) * 0.05
    return [ground, high + (high - low) * 0.05]


def _described(
    labels: Sequence[str], series: Sequence[Sequence[Point]], x: Mapping[str, Any], y: Mapping[str, Any]
) -> str:
    sentences = []
    for label, points in list(zip(labels, series, strict=True))[:3]:
        known = [(value, at) for at, value in points if value is not None]
        if known:
            peak, place = max(known)
            sentences.append(
                f"{label or 'The trace'} is highest at {shown(place)} {text(x.get('unit'))}"
                f" with {shown(peak)} {text(y.get('unit'))}."
            )
    return " ".join(sentences)


def _table(series: Sequence[Sequence[Point]]) -> list[list[str]]:
    first = [x for x, _ in series[0]][:MOST_ROWS]
    if any([x for x, _ in points][:MOST_ROWS] != first for points in series):
        return []
    columns = [[y for _, y in points] for points in series]
    return [
        [shown(x), *("—" if column[row] is None else shown(column[row] or 0.0) for column in columns)]
        for row, x in enumerate(first)
    ]


def _titled(axis: Mapping[str, Any]) -> str:
    label, unit = text(axis.get("label")), text(axis.get("unit"))
    return f"{label} ({unit})" if unit else label


def _listed(value: object) -> list[Mapping[str, Any]]:
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []


def _values(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
