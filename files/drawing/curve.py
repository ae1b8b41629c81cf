"""ids-curve/1 as an SVG that needs no script: axes, ticks and traces in the numbers of a 1000 by 1000 field.

`static/curve.js` draws all points into the same markup; without script at most 1,000 are shown, every peak among them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from files.drawing.axes import (
    AxisRange,
    Tick,
    fit_x_range,
    fit_y_range,
    format_axis_title,
    is_log_axis,
    place_ticks,
    square_ranges,
    widen_range,
)
from files.drawing.conventions import has_bands_below, is_sweep
from files.drawing.documents import NotDrawable, format_number, list_shown_series, text_or_empty, unit_or_empty
from files.drawing.summits import find_told

FIELD_SIZE = 1000
MAX_SERIES_PER_CURVE, MAX_POINTS_PER_CURVE, MAX_TABLE_ROWS_PER_CURVE = 24, 1_000, 400
MIN_POINTS_PER_SERIES = 40  # of one trace among many
TRACE_STYLES = 6
MAX_TICK_CHARACTERS = 14  # static/css/ticks.css has room for so many
BASES = ["A", "C", "G", "T"]
CONTOURS_AIR = 0.04  # of the range, around lines that may lie at its very end
MAX_DOTS = 100  # traces of no more points show where they were measured
Point = tuple[float, float | None]
KnownPoint = tuple[float, float]


@dataclass(frozen=True)
class Trace:
    label: str
    style: str
    path: str
    dots: str = ""


@dataclass(frozen=True)
class Plot:
    title: str
    description: str
    x_title: str
    y_title: str
    x_unit: str  # as they are written, for script
    y_unit: str
    x_ticks: Sequence[Tick]
    y_ticks: Sequence[Tick]
    traces: Sequence[Trace]
    left_out: int  # series that are not drawn
    points: int
    measured: int  # points of the file, where readers thinned them
    table: Sequence[Sequence[str]]  # x, then y of each trace; only where all share their x
    look: str = ""  # square, contours
    levels: str = ""  # from the lowest to the highest contour
    marks: Sequence[Sequence[str]] = ()  # label, place and area of each peak or threshold
    marks_title: str = ""  # "8 peaks, 1 threshold"
    bands: Sequence[Trace] = ()  # areas between two traces

    @property
    def tick_characters(self) -> int:
        """For which the page has to leave room beside the ordinate."""
        return min(MAX_TICK_CHARACTERS, max((len(tick.text) for tick in self.y_ticks), default=0))


def build_plot(document: Mapping[str, Any]) -> Plot:
    """Of a document without fault. Raises NotDrawable where it holds no point."""
    x_axis, y_axis = document["x"], document["y"]
    shown = list_shown_series(document)
    given = shown[:MAX_SERIES_PER_CURVE]
    labels = [text_or_empty(one["label"]) for one in given]
    series = [list(iterate_points(one, x_axis, y_axis)) for one in given]
    xs = [x for points in series for x, _ in points]
    ys = [y for points in series for _, y in points if y is not None]
    if not xs or not ys:
        raise NotDrawable
    are_sticks = document.get("style") == "sticks"
    x, y = fit_x_range(x_axis, xs), fit_y_range(y_axis, ys, from_zero=are_sticks)
    if is_square := document.get("aspect") == "equal":
        x, y = square_ranges(x, y)
    if are_contours := document.get("style") == "contours":
        x = widen_range(x, CONTOURS_AIR)
    most = max(MIN_POINTS_PER_SERIES, MAX_POINTS_PER_CURVE // len(series))
    path = draw_sticks if are_sticks else draw_line
    return Plot(
        title=text_or_empty(document.get("title")),
        description="" if are_contours else describe_peaks(labels, series, x_axis, y_axis),
        x_title=format_axis_title(x_axis),
        y_title=format_axis_title(y_axis),
        x_unit=unit_or_empty(x_axis),
        y_unit=unit_or_empty(y_axis),
        x_ticks=place_ticks(x, about=8),
        y_ticks=place_ticks(y, from_above=True),
        traces=[
            Trace(
                label,
                "contour" if are_contours else choose_style(labels, number),
                path(points, x, y, most=most),
                "" if are_sticks or are_contours else draw_dots(points, x, y),
            )
            for number, (label, points) in enumerate(zip(labels, series, strict=True))
        ],
        left_out=len(shown) - len(given),
        points=max(map(len, series)),
        measured=max(one["points"] if isinstance(one.get("points"), int) else 0 for one in given),
        table=[] if are_contours else build_table(series),
        look="contours" if are_contours else "square" if is_square else "",
        levels=f"{labels[0]} to {labels[-1]}" if are_contours else "",
        marks=[describe_mark(mark, x_axis, y_axis) for mark in document.get("marks", [])],
        marks_title=name_marks(document.get("marks", []), labels),
        bands=draw_bands(document.get("bands", []), dict(zip(labels, series, strict=True)), x, y),
    )


def draw_bands(
    bands: Sequence[Sequence[str]], series: Mapping[str, Sequence[Point]], x: AxisRange, y: AxisRange
) -> list[Trace]:
    """The area between two traces that are named, which have no gaps."""
    drawn = []
    for number, (low, high) in enumerate(bands):
        around = [*series[high], *reversed(series[low])]
        places = "L".join(
            f"{to_field(x.position_of(at))} {to_field(1 - y.position_of(up or 0.0))}" for at, up in around
        )
        drawn.append(Trace(f"{low} to {high}", f"s{(3 * number + 1) % TRACE_STYLES + 1}", f"M{places}z"))
    return drawn


def choose_style(labels: Sequence[str], number: int) -> str:
    """In turn; the bases of a sequencer have the colours that everybody gives them."""
    return f"base-{labels[number].lower()}" if sorted(labels) == BASES else f"s{number % TRACE_STYLES + 1}"


def name_marks(marks: Sequence[Mapping[str, Any]], labels: Sequence[str]) -> str:
    """What they are, and how many."""
    lines = sum("x" not in mark for mark in marks)
    kinds = ((len(marks) - lines, "base" if sorted(labels) == BASES else "peak"), (lines, "threshold"))
    return ", ".join(f"{count:,} {kind}{'s' * (count > 1)}" for count, kind in kinds if count)


def describe_mark(mark: Mapping[str, Any], x: Mapping[str, Any], y: Mapping[str, Any]) -> list[str]:
    at, axis = (mark["x"], x) if "x" in mark else (mark["y"], y)
    area = format_number(mark["area"]) if "area" in mark else ""
    return [text_or_empty(mark["label"]), f"{format_number(at)} {unit_or_empty(axis)}".strip(), area]


def draw_dots(points: Sequence[Point], x: AxisRange, y: AxisRange) -> str:
    """Strokes without length, which round ends make dots of any size; none where points stand close."""
    known = [(at, height) for at, height in points if height is not None]
    if len(known) > MAX_DOTS:
        return ""
    return "".join(f"M{to_field(x.position_of(at))} {to_field(1 - y.position_of(height))}h0" for at, height in known)


def iterate_points(one: Mapping[str, Any], x_axis: Mapping[str, Any], y_axis: Mapping[str, Any]) -> Iterator[Point]:
    """What has no place on a logarithmic axis is left out, or a gap."""
    for x, y in zip(one["x"], one["y"], strict=True):
        if x > 0 or not is_log_axis(x_axis):
            yield float(x), None if y is None or (y <= 0 and is_log_axis(y_axis)) else float(y)


def draw_line(points: Sequence[Point], x: AxisRange, y: AxisRange, *, most: int) -> str:
    """One stroke for each stretch without a gap. A point alone between gaps is a dash."""
    strokes = []
    for stretch in split_at_gaps(points):
        thinned = thin_stretch(stretch, most=max(2, most * len(stretch) // len(points)))
        places = "L".join(
            f"{to_field(x.position_of(at))} {to_field(1 - y.position_of(height))}" for at, height in thinned
        )
        strokes.append(f"M{places}" + ("h2" if len(thinned) == 1 else ""))
    return "".join(strokes)


def draw_sticks(points: Sequence[Point], x: AxisRange, y: AxisRange, *, most: int) -> str:
    """The highest ones, as strokes from the axis."""
    known = [(at, height) for at, height in points if height is not None]
    highest = sorted(known, key=lambda point: -abs(point[1]))[:most]
    base = to_field(1 - y.position_of(y.low if y.is_log else max(y.low, 0.0)))
    return "".join(
        f"M{to_field(x.position_of(at))} {base}V{to_field(1 - y.position_of(height))}" for at, height in sorted(highest)
    )


def split_at_gaps(points: Sequence[Point]) -> Iterator[list[KnownPoint]]:
    stretch: list[KnownPoint] = []
    for x, y in points:
        if y is not None:
            stretch.append((x, y))
        elif stretch:
            yield stretch
            stretch = []
    if stretch:
        yield stretch


def thin_stretch(points: list[KnownPoint], *, most: int) -> list[KnownPoint]:
    """The lowest and the highest of each bucket, in their order."""
    if len(points) <= most:
        return points
    size = -(-len(points) // max(1, most // 2))
    kept: list[KnownPoint] = []
    for start in range(0, len(points), size):
        bucket = points[start : start + size]
        extremes = {min(bucket, key=lambda point: point[1]), max(bucket, key=lambda point: point[1])}
        kept += [point for point in bucket if point in extremes][:2]
    return kept


def to_field(share: float) -> str:
    return f"{round(share * FIELD_SIZE, 1):g}"


def describe_peaks(
    labels: Sequence[str], series: Sequence[Sequence[Point]], x: Mapping[str, Any], y: Mapping[str, Any]
) -> str:
    """Where the first traces are highest, or lowest where their bands are: what a picture says at a glance."""
    sentences = []
    is_low = has_bands_below(text_or_empty(y.get("label")), is_reversed=x.get("reversed") is True)
    for label, points in list(zip(labels, series, strict=True))[:3]:
        known = [(at, height) for at, height in points if height is not None]
        found = find_told(known, is_low=is_low, is_sweep=is_sweep(text_or_empty(x.get("label")), unit_or_empty(x)))
        if found is not None:
            place, peak = found
            at, height = (
                f"{format_number(place)} {unit_or_empty(x)}".strip(),
                f"{format_number(peak)} {unit_or_empty(y)}".strip(),
            )
            name = label if label and not (label.isdigit() and len(series) == 1) else "The trace"
            sentences.append(f"{name} is {'lowest' if is_low else 'highest'} at {at} with {height.rstrip('.')}.")
    return " ".join(sentences)


def build_table(series: Sequence[Sequence[Point]]) -> list[list[str]]:
    first = [x for x, _ in series[0]][:MAX_TABLE_ROWS_PER_CURVE]
    if any([x for x, _ in points[:MAX_TABLE_ROWS_PER_CURVE]] != first for points in series):
        return []
    return [
        [format_number(x), *("—" if (y := points[row][1]) is None else format_number(y) for points in series)]
        for row, x in enumerate(first)
    ]
