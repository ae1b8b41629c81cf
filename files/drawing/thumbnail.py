"""A curve's outline and a plate in small: an SVG of at most 4 kB, in colours that are seen on light and on dark."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from files.drawing.axes import AxisRange, fit_x_range, fit_y_range
from files.drawing.curve import KnownPoint, iterate_points, split_at_gaps, thin_stretch
from files.drawing.documents import NotDrawable, list_shown_series
from files.drawing.plate import COLOUR_LEVELS, WellView, build_plate_view
from files.thumbnails.size import MAX_THUMBNAIL_BYTES

WIDTH, HEIGHT, AIR = 480, 300, 24  # ten units a pixel
MAX_SERIES = 12
POINTS_AT_MOST = (320, 160, 80, 24)  # of all series together; fewer where the picture would become too large
COLOURS = ("#5b78e0", "#d9692b", "#1f9a8d", "#b259b5", "#a98216", "#85877f")
PLATE_COLOUR = COLOURS[0]
MAX_PLATE_COLUMNS = 24  # of more, two by two wells are one
HEAD = '<svg xmlns="http://www.w3.org/2000/svg" width="96" height="60" viewBox="0 0 {0} {1}"{2}>'
Levels = Sequence[Sequence[int]]


def draw_thumbnail(document: Mapping[str, Any], *, kind: str) -> bytes:
    """Of a document without fault. Raises NotDrawable where nothing of it would be seen."""
    return draw_outline(document) if kind == "curve" else draw_small_plate(document)


def draw_outline(document: Mapping[str, Any]) -> bytes:
    """The first traces, each a line without axes."""
    x_axis, y_axis = document["x"], document["y"]
    series = [list(iterate_points(one, x_axis, y_axis)) for one in list_shown_series(document)[:MAX_SERIES]]
    xs = [x for points in series for x, y in points if y is not None]
    ys = [y for points in series for _, y in points if y is not None]
    if not xs:
        raise NotDrawable
    are_sticks = document.get("style") == "sticks"
    x, y = fit_x_range(x_axis, xs), fit_y_range(y_axis, ys, from_zero=are_sticks)
    stretches = [list(split_at_gaps(points)) for points in series]
    for most in POINTS_AT_MOST:
        drawn = _draw_traces(stretches, x, y, most=most // len(series), are_sticks=are_sticks)
        if len(drawn) <= MAX_THUMBNAIL_BYTES:
            return drawn
    raise NotDrawable


def _draw_traces(
    series: Sequence[Sequence[list[KnownPoint]]], x: AxisRange, y: AxisRange, *, most: int, are_sticks: bool
) -> bytes:
    paths = (
        "".join(_draw_sticks(stretches, x, y, most=most) if are_sticks else _draw_lines(stretches, x, y, most=most))
        for stretches in series
    )
    drawn = [
        f'<path stroke="{COLOURS[number % len(COLOURS)]}" d="{path}"/>' for number, path in enumerate(paths) if path
    ]
    look = ' fill="none" stroke-width="13" stroke-linejoin="round" stroke-linecap="round"'
    return f"{HEAD.format(WIDTH, HEIGHT, look)}{''.join(reversed(drawn))}</svg>".encode()


def _draw_lines(stretches: Sequence[list[KnownPoint]], x: AxisRange, y: AxisRange, *, most: int) -> Iterator[str]:
    total = sum(map(len, stretches))
    for stretch in stretches:
        if share := max(2, most * len(stretch) // total):
            points = [_place(point, x, y) for point in thin_stretch(stretch, most=share)]
            yield "M" + "L".join(f"{across} {down}" for across, down in points) + ("h9" if len(points) == 1 else "")


def _draw_sticks(stretches: Sequence[list[KnownPoint]], x: AxisRange, y: AxisRange, *, most: int) -> Iterator[str]:
    highest = sorted((one for stretch in stretches for one in stretch), key=lambda point: -abs(point[1]))[: most // 2]
    _, base = _place((x.low, y.low if y.is_log else max(y.low, 0.0)), x, y)
    for point in sorted(highest):
        across, top = _place(point, x, y)
        yield f"M{across} {base}V{top}"


def _place(point: KnownPoint, x: AxisRange, y: AxisRange) -> tuple[int, int]:
    across, up = x.position_of(point[0]), y.position_of(point[1])
    return round(AIR + across * (WIDTH - 2 * AIR)), round(AIR + (1 - up) * (HEIGHT - 2 * AIR))


def draw_small_plate(document: Mapping[str, Any]) -> bytes:
    """The wells as strokes, one path for each colour; those without a number are left out."""
    view = build_plate_view(document)
    levels: Levels = [[_read_level(well) for well in wells] for _, wells in view.rows]
    if len(view.columns) > MAX_PLATE_COLUMNS:
        levels = _join_wells(levels)
    if not any(map(any, levels)):
        raise NotDrawable
    paths: dict[int, list[str]] = {}
    for down, row in enumerate(levels):
        for across, length, level in _find_stretches(row):
            paths.setdefault(level, []).append(f"M{across} {2 * down + 1}h{length}")
    drawn = "".join(
        f'<path stroke-opacity="{0.1 + 0.9 * level / COLOUR_LEVELS:.2f}" d="{"".join(places)}"/>'
        for level, places in sorted(paths.items())
    )
    look = f' preserveAspectRatio="none" stroke="{PLATE_COLOUR}" stroke-width="1.8"'
    svg = f"{HEAD.format(2 * len(levels[0]), 2 * len(levels), look)}{drawn}</svg>".encode()
    if len(svg) > MAX_THUMBNAIL_BYTES:
        raise NotDrawable
    return svg


def _read_level(well: WellView) -> int:
    """1 to 8; 0 where there is no number."""
    look = well.look.partition(" ")[0]
    return int(look[1:]) if look.startswith("v") and look[1:].isdigit() else 0


def _join_wells(levels: Levels) -> Levels:
    """Of four neighbours, what those with a number have in the middle."""
    joined = []
    for upper, lower in zip(levels[::2], [*levels[1::2], *levels[-1:]], strict=False):
        pairs = zip(upper[::2], [*upper[1::2], 0], lower[::2], [*lower[1::2], 0], strict=False)
        known = ([level for level in four if level] for four in pairs)
        joined.append([round(sum(four) / len(four)) if four else 0 for four in known])
    return joined


def _find_stretches(row: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """Where neighbours of one colour begin, in halves of a well, how long they are, and their colour."""
    start = 0
    for place in range(1, len(row) + 1):
        if place == len(row) or row[place] != row[start]:
            if row[start]:
                yield 2 * start, 2 * (place - start), row[start]
            start = place
