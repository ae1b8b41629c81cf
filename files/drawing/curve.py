"""ids-curve/1 as an SVG that needs no script: axes, ticks and traces in the numbers of a 1000 by 1000 field.

`static/curve.js` draws all points into the same markup; without script at most 1,000 are shown, every peak among them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from files.drawing.axes import Range, Tick, across, is_log, ticks, titled, upward
from files.drawing.documents import NotDrawable, shown, text, unit_of

FIELD = 1000
MOST_SERIES, MOST_POINTS, MOST_ROWS = 24, 1_000, 400
FEWEST_POINTS = 40  # of one trace among many
STYLES = 6
Point = tuple[float, float | None]
Known = tuple[float, float]


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
    measured: int  # points of the file, where readers thinned them
    table: Sequence[Sequence[str]]  # x, then y of each trace; only where all share their x


def plot_of(document: Mapping[str, Any]) -> Plot:
    """Of a document without fault. Raises NotDrawable where it holds no point."""
    x_axis, y_axis = document["x"], document["y"]
    given = document["series"][:MOST_SERIES]
    labels = [text(one["label"]) for one in given]
    series = [list(points_of(one, x_axis, y_axis)) for one in given]
    xs = [x for points in series for x, _ in points]
    ys = [y for points in series for _, y in points if y is not None]
    if not xs or not ys:
        raise NotDrawable
    are_sticks = document.get("style") == "sticks"
    x, y = across(x_axis, xs), upward(y_axis, ys, from_zero=are_sticks)
    most = max(FEWEST_POINTS, MOST_POINTS // len(series))
    path = sticks if are_sticks else line
    return Plot(
        title=text(document.get("title")),
        description=described(labels, series, x_axis, y_axis),
        x_title=titled(x_axis),
        y_title=titled(y_axis),
        x_ticks=ticks(x, about=8),
        y_ticks=ticks(y, from_above=True),
        traces=[
            Trace(label, f"s{number % STYLES + 1}", path(points, x, y, most=most))
            for number, (label, points) in enumerate(zip(labels, series, strict=True))
        ],
        left_out=len(document["series"]) - len(given),
        points=max(map(len, series)),
        measured=max(one["points"] if isinstance(one.get("points"), int) else 0 for one in given),
        table=table_of(series),
    )


def points_of(one: Mapping[str, Any], x_axis: Mapping[str, Any], y_axis: Mapping[str, Any]) -> Iterator[Point]:
    """What has no place on a logarithmic axis is left out, or a gap."""
    for x, y in zip(one["x"], one["y"], strict=True):
        if x > 0 or not is_log(x_axis):
            yield float(x), None if y is None or (y <= 0 and is_log(y_axis)) else float(y)


def line(points: Sequence[Point], x: Range, y: Range, *, most: int) -> str:
    """One stroke for each stretch without a gap. A point alone between gaps is a dash."""
    strokes = []
    for stretch in stretches(points):
        thinned = thin(stretch, most=max(2, most * len(stretch) // len(points)))
        places = "L".join(f"{field(x.place(at))} {field(1 - y.place(height))}" for at, height in thinned)
        strokes.append(f"M{places}" + ("h2" if len(thinned) == 1 else ""))
    return "".join(strokes)


def sticks(points: Sequence[Point], x: Range, y: Range, *, most: int) -> str:
    """The highest ones, as strokes from the axis."""
    known = [(at, height) for at, height in points if height is not None]
    highest = sorted(known, key=lambda point: -abs(point[1]))[:most]
    base = field(1 - y.place(y.low if y.is_log else max(y.low, 0.0)))
    return "".join(f"M{field(x.place(at))} {base}V{field(1 - y.place(height))}" for at, height in sorted(highest))


def stretches(points: Sequence[Point]) -> Iterator[list[Known]]:
    stretch: list[Known] = []
    for x, y in points:
        if y is not None:
            stretch.append((x, y))
        elif stretch:
            yield stretch
            stretch = []
    if stretch:
        yield stretch


def thin(points: list[Known], *, most: int) -> list[Known]:
    """The lowest and the highest of each bucket, in their order."""
    if len(points) <= most:
        return points
    size = -(-len(points) // max(1, most // 2))
    kept: list[Known] = []
    for start in range(0, len(points), size):
        bucket = points[start : start + size]
        extremes = {min(bucket, key=lambda point: point[1]), max(bucket, key=lambda point: point[1])}
        kept += [point for point in bucket if point in extremes][:2]
    return kept


def field(share: float) -> str:
    return f"{round(share * FIELD, 1):g}"


def described(
    labels: Sequence[str], series: Sequence[Sequence[Point]], x: Mapping[str, Any], y: Mapping[str, Any]
) -> str:
    """Where the first traces are highest: what a picture says at a glance."""
    sentences = []
    for label, points in list(zip(labels, series, strict=True))[:3]:
        known = [(height, at) for at, height in points if height is not None]
        if known:
            peak, place = max(known, key=lambda point: point[0])
            at, height = f"{shown(place)} {unit_of(x)}".strip(), f"{shown(peak)} {unit_of(y)}".strip()
            sentences.append(f"{label or 'The trace'} is highest at {at} with {height.rstrip('.')}.")
    return " ".join(sentences)


def table_of(series: Sequence[Sequence[Point]]) -> list[list[str]]:
    first = [x for x, _ in series[0]][:MOST_ROWS]
    if any([x for x, _ in points[:MOST_ROWS]] != first for points in series):
        return []
    return [
        [shown(x), *("—" if (y := points[row][1]) is None else shown(y) for points in series)]
        for row, x in enumerate(first)
    ]
