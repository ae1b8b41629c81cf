"""ids-events/1 as the density of two scatter channels, for pages without script; `static/events.js` draws any two."""

import base64
import math
from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from files.drawing.axes import AxisRange, Tick, place_ticks
from files.drawing.documents import NotDrawable, text_or_empty

CELLS, FIELD_SIZE, LEVELS = 64, 1000, 6
SCATTER = (("FSC-A", "FSC-H", "FSC"), ("SSC-A", "SSC-H", "SSC"))
Cell = tuple[int, int]  # column from the left, row from below


@dataclass(frozen=True)
class EventsView:
    title: str
    channels: Sequence[tuple[int, str]]
    x: int
    y: int
    x_title: str
    y_title: str
    x_ticks: Sequence[Tick]
    y_ticks: Sequence[Tick]
    levels: Sequence[tuple[str, str]]  # class and path
    description: str

    @property
    def knobs(self) -> list[tuple[str, str, int]]:
        """Name, title and channel of both choices."""
        return [("x", "Across", self.x), ("y", "Up", self.y)]


def build_events_view(document: Mapping[str, Any]) -> EventsView:
    """Of a document without fault. Raises NotDrawable where it holds fewer than two channels, or no event."""
    channels = document["channels"]
    if len(channels) < 2 or not document["count"]:
        raise NotDrawable
    names = [text_or_empty(channel["name"]) for channel in channels]
    x = find_channel(names, SCATTER[0], otherwise=0)
    y = find_channel(names, SCATTER[1], otherwise=1 if x != 1 else 0)
    across, upward = (AxisRange(channels[place]["low"], channels[place]["high"]) for place in (x, y))
    cells = count_cells(decode(channels[x]), decode(channels[y]), across, upward)
    count, total = document["count"], document["total"]
    return EventsView(
        text_or_empty(document.get("title")),
        list(enumerate(names)),
        x,
        y,
        names[x],
        names[y],
        place_ticks(across, about=6),
        place_ticks(upward, from_above=True),
        draw_levels(cells),
        f"Density of {count:,} of {total:,} events, {names[y]} against {names[x]}.",
    )


def find_channel(names: Sequence[str], wanted: Sequence[str], *, otherwise: int) -> int:
    """The first that is called so, or begins so."""
    upper = [name.upper() for name in names]
    return next((place for want in wanted for place, name in enumerate(upper) if name.startswith(want)), otherwise)


def decode(channel: Mapping[str, Any]) -> "array[float]":
    return array("f", base64.b64decode(channel["data"]))


def count_cells(
    xs: "array[float]", ys: "array[float]", across: AxisRange, upward: AxisRange
) -> Counter[tuple[int, int]]:
    places = (
        (math.floor(across.position_of(x) * CELLS), math.floor(upward.position_of(y) * CELLS))
        for x, y in zip(xs, ys, strict=True)
    )
    seen = (place for place in places if min(place) >= 0 and max(place) <= CELLS)
    return Counter((min(x, CELLS - 1), min(y, CELLS - 1)) for x, y in seen)  # the edge belongs to the last cell


def draw_levels(cells: Mapping[Cell, int]) -> list[tuple[str, str]]:
    """A path for each step of the logarithm of the density; the lightest two of eight would not be seen."""
    most = math.log1p(max(cells.values(), default=1))
    size = FIELD_SIZE / CELLS
    paths: dict[int, list[str]] = {}
    for (x, y), events in sorted(cells.items()):
        level = min(LEVELS - 1, int(math.log1p(events) / most * LEVELS))
        paths.setdefault(level, []).append(
            f"M{x * size:.1f} {(CELLS - 1 - y) * size:.1f}h{size:.1f}v{size:.1f}h-{size:.1f}z"
        )
    return [(f"v{level + 3}", "".join(path)) for level, path in sorted(paths.items())]
