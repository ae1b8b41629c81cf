"""Events that no cytometer writes: bits beyond the range, numbers beyond all measuring, moments out of their order."""

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

MOST_SHARE = 0.01  # of events; what more of them show is a habit of the instrument
LARGEST, SMALLEST = 1e5, 1e-12  # of the range of a channel; widths go beyond it some thirtyfold
LEAST_FALL = 0.01  # of the span of all moments; events that came together may be stored in either order
CLOCK = re.compile(r"(hdr-)?t(ime)?", re.IGNORECASE)
Bools = NDArray[np.bool_]


def count_strays(
    stored: NDArray[np.void], numbers: NDArray[np.float64], *, names: Sequence[str], reaches: Sequence[float]
) -> int:
    """Of the events as they are stored and as they are read, each as many columns as there are channels."""
    nothing: Bools = np.count_nonzero(numbers, axis=1) == 0
    stray = few(nothing) | find_blank_run(nothing) if numbers.shape[1] > 2 else np.zeros(len(numbers), dtype=bool)
    for place, (name, reach) in enumerate(zip(names, reaches, strict=True)):
        column = stored[str(place)]
        if column.dtype.kind == "f":
            stray |= few(find_impossible(numbers[:, place], reach))
        else:
            stray |= few(column.astype(np.float64) != numbers[:, place])
        if CLOCK.fullmatch(name.strip()):
            stray |= few(find_out_of_order(numbers[:, place]))
    return int(stray.sum())


def few(found: Bools) -> Bools:
    """Those that were found, none where they are too many to be damage."""
    return found if found.sum() <= max(1, MOST_SHARE * len(found)) else np.zeros_like(found)


def find_blank_run(nothing: Bools) -> Bools:
    """Events of nothing that follow each other, where there are no others: a hole in the file."""
    places = np.flatnonzero(nothing)
    is_run = len(places) > 1 and places[-1] - places[0] == len(places) - 1
    return nothing if is_run else np.zeros_like(nothing)


def find_impossible(values: NDArray[np.float64], reach: float) -> Bools:
    sizes = np.abs(values)
    reach = reach or 1.0
    return (sizes > LARGEST * max(reach, 1.0)) | ((sizes > 0) & (sizes < SMALLEST * min(reach, 1.0)))


def find_out_of_order(moments: NDArray[np.float64]) -> Bools:
    """Moments before what came before them, or after what came after: whichever are fewer. A clock may start anew."""
    if len(moments) < 3 or not np.isfinite(moments).all():
        return np.zeros(len(moments), dtype=bool)
    least = LEAST_FALL * float(np.subtract(*np.percentile(moments, [99, 1])))
    early, late = np.zeros(len(moments), dtype=bool), np.zeros(len(moments), dtype=bool)
    early[1:] = moments[1:] < np.maximum.accumulate(moments)[:-1] - least
    late[:-1] = moments[:-1] > np.minimum.accumulate(moments[::-1])[::-1][1:] + least
    return min(early, late, key=lambda found: int(found.sum()))
