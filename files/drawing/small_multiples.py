"""Every well of a plate over its steps, as strokes in the numbers of a 100 by 100 field: all on the same scales."""

from collections.abc import Mapping, Sequence
from typing import Any

from files.drawing.documents import number_or_none

FIELD_SIZE = 100
MIN_STEPS, MAX_STEPS_DRAWN = 4, 120


def draw_wells(document: Mapping[str, Any]) -> dict[str, str]:
    """The path of each well that has values at numeric steps; nothing where the steps are few, or words."""
    places = [number_or_none(value) for value in document.get("steps", {}).get("values", [])]
    if len(places) < MIN_STEPS or None in places:
        return {}
    series = {name: well["values"] for name, well in document["wells"].items() if well.get("values")}
    known = [value for values in series.values() for value in values if value is not None]
    if not known:
        return {}
    low, high = min(known), max(known)
    xs = scale([place or 0.0 for place in places])
    return {name: draw_well(xs, values, low=low, span=(high - low) or 1.0) for name, values in series.items()}


def scale(places: Sequence[float]) -> list[float]:
    first, span = places[0], (places[-1] - places[0]) or 1.0
    return [(place - first) / span * FIELD_SIZE for place in places]


def draw_well(xs: Sequence[float], values: Sequence[float | None], *, low: float, span: float) -> str:
    """A gap where a value is missing."""
    every = max(1, len(xs) // MAX_STEPS_DRAWN)
    drawn, is_open = [], False
    for x, value in list(zip(xs, values, strict=True))[::every]:
        if value is not None:
            height = FIELD_SIZE - (value - low) / span * FIELD_SIZE
            drawn.append(f"{'L' if is_open else 'M'}{x:.0f} {height:.0f}")
        is_open = value is not None
    return "".join(drawn)
