"""Which place of a trace is told: where it is highest, or of a sweep its highest peak, if it has any."""

from collections.abc import Sequence

LEAST_PROMINENCE = 0.05  # of the span of the trace: less is noise
MOST_TRIED = 20  # of the highest places that have lower ones on both sides
KnownPoint = tuple[float, float]


def find_told(points: Sequence[KnownPoint], *, is_low: bool, is_sweep: bool) -> KnownPoint | None:
    """The highest point, the lowest where bands lie below. At the rim of a sweep it is no peak: then the highest is."""
    if not points:
        return None
    ordered = sorted(points, key=lambda point: point[0]) if is_sweep else list(points)
    heights = [-height if is_low else height for _, height in ordered]
    best = max(range(len(heights)), key=heights.__getitem__)
    is_inside = 0 < best < len(heights) - 1
    if not is_sweep or is_inside:
        return ordered[best]
    summit = find_summit(heights)
    return None if summit is None else ordered[summit]


def find_summit(heights: Sequence[float]) -> int | None:
    """The highest place inside that stands out from the lower ones around it."""
    inside = range(1, len(heights) - 1)
    peaks = [n for n in inside if heights[n - 1] < heights[n] >= heights[n + 1]]
    least = LEAST_PROMINENCE * (max(heights) - min(heights))
    peaks.sort(key=lambda n: -heights[n])
    return next((n for n in peaks[:MOST_TRIED] if measure_prominence(heights, n) >= least > 0), None)


def measure_prominence(heights: Sequence[float], place: int) -> float:
    """How far one must go down before one may go up to something higher, on the side where that is less."""
    top = heights[place]
    deepest = []
    for side in (range(place - 1, -1, -1), range(place + 1, len(heights))):
        lowest = top
        for n in side:
            if heights[n] > top:
                break
            lowest = min(lowest, heights[n])
        deepest.append(lowest)
    return top - max(deepest)
