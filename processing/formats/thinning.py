"""Fewer points that look the same, by largest triangles (Steinarsson 2013): peaks survive, gaps stay gaps."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def thin_points(x: Floats, y: Floats, *, most: int) -> tuple[Floats, Floats]:
    """At most about `most` points of the curve. Stretches between gaps (NaN in y) are thinned one by one."""
    if len(x) <= most:
        return x, y
    stretches = list(stretches_of(y))
    drawn = sum(stop - start for start, stop in stretches)
    kept: list[NDArray[np.intp]] = []
    for start, stop in stretches:
        share = max(2, round(most * (stop - start) / drawn))
        kept.append(start + choose_points(x[start:stop], y[start:stop], most=share))
        if stop < len(y):
            kept.append(np.array([stop]))  # one missing point says that there is a gap
    chosen = np.concatenate(kept)
    return x[chosen], y[chosen]


def stretches_of(y: Floats) -> list[tuple[int, int]]:
    """Begin and end of every run of numbers."""
    present = np.concatenate(([False], np.isfinite(y), [False]))
    edges = np.flatnonzero(present[1:] != present[:-1])
    return [(int(start), int(stop)) for start, stop in zip(edges[::2], edges[1::2], strict=True)]


def choose_points(x: Floats, y: Floats, *, most: int) -> NDArray[np.intp]:
    """The positions that remain of one stretch without gaps: its ends, and of each bucket the point that stands out."""
    count = len(x)
    if count <= most or most < 3:
        return np.arange(count) if count <= most else np.array([0, count - 1])
    borders = np.linspace(1, count - 1, most - 1).astype(np.intp)
    chosen = np.empty(most, dtype=np.intp)
    chosen[0], chosen[-1] = 0, count - 1
    last = 0
    for bucket in range(most - 2):
        start, stop = borders[bucket], borders[bucket + 1]
        after = borders[bucket + 2] if bucket + 3 < most else count
        next_x, next_y = x[stop:after].mean(), y[stop:after].mean()
        areas = np.abs((x[last] - next_x) * (y[start:stop] - y[last]) - (x[last] - x[start:stop]) * (next_y - y[last]))
        last = chosen[bucket + 1] = start + int(areas.argmax())
    return chosen
