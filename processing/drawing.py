"""A curve as SVG, for pages without script, paper and mail: classes only, at most 1,000 points, no library.

The markup is that of `static/curve.js`, which redraws it in place: an outer SVG in percent, so that text keeps its
size, and an inner one of 1,000 by 1,000 that is stretched.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

FIELD = 1000  # the inner drawing's width and height
MOST_POINTS = 1000
MOST_SERIES = 60  # beyond this a picture without script says nothing
COLOURS = 6
X_TICKS, Y_TICKS = 8, 5

Point = tuple[float, float]


@dataclass(frozen=True)
class Range:
    """What an axis shows, from its left or lower end to the other."""

    start: float
    stop: float

    def share(self, value: float) -> float:
        return (value - self.start) / (self.stop - self.start)

    def ticks(self, about: int) -> list[float]:
        """Round values within."""
        low, high = sorted((self.start, self.stop))
        step = round_step((high - low) / about)
        first = math.ceil(low / step - 1e-9)
        return [number * step for number in range(first, math.floor(high / step + 1e-9) + 1)]


def draw_curve(curve: Mapping[str, Any], *, name: str) -> str:
    """The SVG element of an ids-curve/1 document. `name` keeps its ids apart from others on the page."""
    drawn = [series for series in curve["series"] if any(y is not None for y in series["y"])][:MOST_SERIES]
    if not drawn:
        return ""
    are_sticks = curve.get("style") == "sticks"
    x, y = x_range(curve, drawn), y_range(drawn, from_zero=are_sticks)
    share = max(2, MOST_POINTS // len(drawn))
    traces = (
        trace(series, x, y, number=place, most=share, are_sticks=are_sticks) for place, series in enumerate(drawn)
    )
    return "".join(
        (
            f'<svg class="field-of-view" role="img" aria-labelledby="{name}-t {name}-d">',
            f'<title id="{name}-t">{escape(title_of(curve))}</title>',
            f'<desc id="{name}-d">{escape(description(curve, drawn, x))}</desc>',
            '<g aria-hidden="true">',
            *axes(curve, x, y),
            f'<svg width="100%" height="100%" viewBox="0 0 {FIELD} {FIELD}" preserveAspectRatio="none"',
            ' overflow="hidden">',
            *traces,
            "</svg></g></svg>",
        )
    )


def x_range(curve: Mapping[str, Any], drawn: Sequence[Mapping[str, Any]]) -> Range:
    values = [x for series in drawn for x in series["x"]]
    low, high = widened(min(values), max(values))
    return Range(high, low) if curve["x"].get("reversed") else Range(low, high)


def y_range(drawn: Sequence[Mapping[str, Any]], *, from_zero: bool) -> Range:
    """A twentieth of air above and below, unless the axis begins at zero."""
    values = [y for series in drawn for y in series["y"] if y is not None]
    low, high = min(values), max(values)
    if from_zero:
        low, high = min(low, 0.0), max(high, 0.0)
    low, high = widened(low, high)
    air = (high - low) / 20
    return Range(low if from_zero and low == 0 else low - air, high + air)


def widened(low: float, high: float) -> tuple[float, float]:
    if low < high:
        return low, high
    half = abs(low) / 2 or 0.5
    return low - half, high + half


def round_step(rough: float) -> float:
    """1, 2 or 5 times a power of ten."""
    power = 10 ** math.floor(math.log10(rough))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough * (1 - 1e-9))


def axes(curve: Mapping[str, Any], x: Range, y: Range) -> Iterator[str]:
    for value in y.ticks(Y_TICKS):
        place = percent(1 - y.share(value))
        yield f'<line class="grid" x1="0" x2="100%" y1="{place}" y2="{place}"/>'
        yield f'<text class="tick" x="0" dx="-10" y="{place}" dy="4" text-anchor="end">{number(value)}</text>'
    yield '<line class="axis" x1="0" x2="100%" y1="100%" y2="100%"/>'
    for place_of_tick, value in enumerate(x.ticks(X_TICKS)):
        place, minor = percent(x.share(value)), " minor" if place_of_tick % 2 else ""
        yield f'<line class="grid{minor}" x1="{place}" x2="{place}" y1="0" y2="100%"/>'
        yield f'<text class="tick{minor}" x="{place}" y="100%" dy="18" text-anchor="middle">{number(value)}</text>'
    yield f'<text class="unit" x="50%" y="100%" dy="38" text-anchor="middle">{escape(with_unit(curve["x"]))}</text>'
    yield f'<text class="unit" x="0" y="0" dx="-36" dy="-14">{escape(with_unit(curve["y"]))}</text>'


def trace(series: Mapping[str, Any], x: Range, y: Range, *, number: int, most: int, are_sticks: bool) -> str:
    colour = f"s{number % COLOURS + 1}"
    points = ((x.share(px), py) for px, py in zip(series["x"], series["y"], strict=True))
    path = sticks(points, y) if are_sticks else line(points, y, most=most)
    return f'<path class="trace {colour}" d="{path}"/>'


def line(points: Iterator[tuple[float, float | None]], y: Range, *, most: int) -> str:
    """One stroke for each stretch without a gap."""
    known = list(points)
    strokes = []
    for stretch in stretches(known):
        thinned = thin(stretch, most=max(2, most * len(stretch) // max(1, len(known))))
        strokes.append("M" + "L".join(f"{place(px)} {place(1 - y.share(py))}" for px, py in thinned))
    return "".join(strokes)


def sticks(points: Iterator[tuple[float, float | None]], y: Range) -> str:
    """The highest ones, as strokes from the axis."""
    known = [(px, py) for px, py in points if py is not None]
    highest = sorted(known, key=lambda point: -abs(point[1]))[: MOST_POINTS // 2]
    base = place(1 - y.share(0.0))
    return "".join(f"M{place(px)} {base}V{place(1 - y.share(py))}" for px, py in sorted(highest))


def stretches(points: Sequence[tuple[float, float | None]]) -> Iterator[list[Point]]:
    stretch: list[Point] = []
    for px, py in points:
        if py is None:
            if stretch:
                yield stretch
            stretch = []
        else:
            stretch.append((px, py))
    if stretch:
        yield stretch


def thin(points: list[Point], *, most: int) -> list[Point]:
    """The lowest and the highest of each bucket, in their order."""
    if len(points) <= most:
        return points
    size = -(-len(points) // max(1, most // 2))
    kept: list[Point] = []
    for start in range(0, len(points), size):
        bucket = points[start : start + size]
        extremes = {min(bucket, key=lambda point: point[1]), max(bucket, key=lambda point: point[1])}
        kept += [point for point in bucket if point in extremes][:2]
    return kept


def place(share: float) -> str:
    return f"{round(share * FIELD)}"


def percent(share: float) -> str:
    return f"{share * 100 + 0.0:.2f}%"


def number(value: float) -> str:
    return f"{value + 0.0:.6g}"


def with_unit(axis: Mapping[str, Any]) -> str:
    unit = axis.get("unit")
    return f"{axis['label']} ({unit})" if unit and unit != "(unitless)" else str(axis["label"])


def title_of(curve: Mapping[str, Any]) -> str:
    axes_of = f"{curve['y']['label']} against {str(curve['x']['label']).lower()}"
    return f"{curve['title']}, {axes_of.lower()}" if curve.get("title") and curve["title"] != axes_of else axes_of


def description(curve: Mapping[str, Any], drawn: Sequence[Mapping[str, Any]], x: Range) -> str:
    """The range, and where the highest point lies: what a picture says at a glance."""
    unit, y_unit = (f" {curve[axis].get('unit')}" if curve[axis].get("unit") else "" for axis in ("x", "y"))
    top = max(
        (
            (py, px, series["label"])
            for series in drawn
            for px, py in zip(series["x"], series["y"], strict=True)
            if py is not None
        ),
        key=lambda point: point[0],
    )
    count = f" {len(drawn)} series." if len(drawn) > 1 else ""
    of = f" ({top[2]})" if len(drawn) > 1 else ""
    shown = f"{number(x.start)} to {number(x.stop)}{unit}."
    return f"{shown}{count} Highest at {number(top[1])}{unit} with {number(top[0])}{y_unit}{of}."
