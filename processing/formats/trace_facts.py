"""What a trace is told by: how many points, from where to where, how high, and where it is highest."""

import numpy as np
from numpy.typing import NDArray

from processing.facts import Facts

Floats = NDArray[np.float64]


def add_trace_facts(facts: Facts, x: Floats, y: Floats) -> None:
    """`points`, `x_first`, `x_last`, `y_first`, `y_max` and `x_at_y_max`, to ten significant digits."""
    facts.add("points", len(x))
    known = np.flatnonzero(np.isfinite(y))
    if not len(known):
        return
    highest = known[np.argmax(y[known])]
    for key, value in (
        ("x_first", x[0]),
        ("x_last", x[-1]),
        ("y_first", y[known[0]]),
        ("y_max", y[highest]),
        ("x_at_y_max", x[highest]),
    ):
        facts.add(key, round_fact(float(value)))


def round_fact(value: float) -> float | None:
    """Ten significant digits; nothing for what is no number."""
    return float(f"{value:.10g}") if np.isfinite(value) else None
