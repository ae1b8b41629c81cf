"""The logicle scale of flow cytometry: linear around nothing, logarithmic above (Moore and Parks 2012).

The page turns values into places by the same formula: dashboard/static/logicle.js.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

DECADES = 4.5  # M, the width of the whole scale
MAX_WIDTH = DECADES / 2 - 0.01  # W: the linear part is at most all of it
DEFAULT_WIDTH, NEGATIVE_PERCENTILE = 0.5, 5.0
STEPS = 60  # halvings until the root is as exact as numbers are


@dataclass(frozen=True)
class Logicle:
    """`t`: the top of the scale; `w`: decades of its linear part; additional negative decades are none."""

    t: float
    w: float
    m: float = DECADES

    def value_at(self, place: float) -> float:
        """What stands at a place from 0 to 1: a·e^(b·y) - c·e^(-d·y) + f."""
        b = self.m * math.log(10)
        w = self.w / self.m
        d = solve_d(b, w)
        x1, x0 = w, 2 * w
        ratio = math.exp(x0 * (b + d))
        offset = math.exp(b * x1) - ratio / math.exp(d * x1)
        a = self.t / (math.exp(b) - offset - ratio / math.exp(d))
        distance = max(place, 2 * x1 - place)  # below nothing the scale is the mirror of what is above
        value = a * (math.exp(b * distance) - ratio * math.exp(-d * distance) - offset)
        return value if place >= x1 else -value

    def place_of(self, value: float) -> float:
        """Where a value stands; beyond the scale below 0 or above 1, by halving."""
        low, high = -1.0, 2.0
        for _ in range(STEPS):
            middle = (low + high) / 2
            low, high = (middle, high) if self.value_at(middle) < value else (low, middle)
        return (low + high) / 2


def solve_d(b: float, w: float) -> float:
    """The root of 2·(ln d - ln b) + w·(d + b) = 0, at which the slope around nothing is even."""
    if w <= 0:
        return b
    low, high = 1e-9, b
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if 2 * (math.log(middle) - math.log(b)) + w * (middle + b) < 0 else (low, middle)
    return (low + high) / 2


def choose_logicle(values: NDArray[np.float64], *, reach: float) -> Logicle:
    """As wide below nothing as the lowest values need: W = (M - log10(T / |r|)) / 2, r their fifth percentile."""
    top = max(reach, float(values.max(initial=1.0)), 1.0)
    negative = values[values < 0]
    if not len(negative):
        return Logicle(top, DEFAULT_WIDTH)
    r = abs(float(np.percentile(negative, NEGATIVE_PERCENTILE)))
    width = (DECADES - math.log10(top / r)) / 2 if r > 0 else DEFAULT_WIDTH
    return Logicle(top, min(max(width, 0.0), MAX_WIDTH))
