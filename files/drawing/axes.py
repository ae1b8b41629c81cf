"""What an axis shows: its range, where a value stands on it, and the round numbers beside it."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from files.drawing.conventions import write_title
from files.drawing.documents import NotDrawable, shorten_exponent, text_or_empty, unit_or_empty


@dataclass(frozen=True)
class Tick:
    """A place in percent of the axis and what stands there."""

    at: str
    text: str
    is_minor: bool


@dataclass(frozen=True)
class AxisRange:
    low: float
    high: float
    is_reversed: bool = False
    is_log: bool = False
    is_whole: bool = False  # it counts: nothing stands between its numbers

    def position_of(self, value: float) -> float:
        """From 0 to 1 within the range."""
        low, high, value = (math.log10(one) if self.is_log else one for one in (self.low, self.high, value))
        share = (value - low) / (high - low)
        return 1 - share if self.is_reversed else share

    def holds(self, value: float) -> bool:
        return value > 0 or not self.is_log


def is_log_axis(axis: Mapping[str, Any]) -> bool:
    return axis.get("log") is True


def fit_x_range(axis: Mapping[str, Any], values: Sequence[float]) -> AxisRange:
    """Raises NotDrawable."""
    is_reversed, is_whole = axis.get("reversed") is True, axis.get("whole") is True
    return AxisRange(*find_bounds(values), is_reversed=is_reversed, is_log=is_log_axis(axis), is_whole=is_whole)


def fit_y_range(axis: Mapping[str, Any], values: Sequence[float], *, from_zero: bool) -> AxisRange:
    """With some air, or from zero where that is near or meant. Raises NotDrawable."""
    low, high = find_bounds([*values, 0.0] if from_zero and not is_log_axis(axis) else values)
    is_reversed = axis.get("reversed") is True
    if is_log_axis(axis):
        return AxisRange(low / 1.3, high * 1.3, is_log=True, is_reversed=is_reversed)
    air = (high - low) * 0.05
    ground = 0.0 if 0 <= low < high / 3 and not is_reversed else low - air
    return AxisRange(ground, high + air, is_reversed=is_reversed)


def square_ranges(x: AxisRange, y: AxisRange) -> tuple[AxisRange, AxisRange]:
    """Both as long as the longer one: of a field as high as wide, a unit is as long on both axes."""
    span = max(x.high - x.low, y.high - y.low)
    return replace(x, high=x.low + span), replace(y, high=y.low + span)


def widen_range(axis: AxisRange, share: float) -> AxisRange:
    """By this share of it at both ends. Of a linear axis."""
    air = (axis.high - axis.low) * share
    return axis if axis.is_log else replace(axis, low=axis.low - air, high=axis.high + air)


def find_bounds(values: Sequence[float]) -> tuple[float, float]:
    low, high = min(values), max(values)
    if not math.isfinite(high - low) or (high > low and (high - low) < 1e-12 * max(abs(low), abs(high))):
        raise NotDrawable
    if high > low:
        return low, high
    return low - (abs(low) or 1) / 2, high + (abs(high) or 1) / 2


def place_ticks(axis: AxisRange, *, about: int = 5, from_above: bool = False) -> list[Tick]:
    """`from_above`: the field counts from its upper edge."""
    places = list_log_ticks(axis) if axis.is_log else list_linear_ticks(axis, about=about)
    step = places[1] - places[0] if len(places) > 1 else abs(places[0] or 1)
    return [
        Tick(
            f"{(1 - at if from_above else at) * 100:.2f}%",
            format_tick(value, 0 if axis.is_log else step),
            index % 2 == 1,
        )
        for index, value in enumerate(places)
        for at in [axis.position_of(value)]
    ]


def list_linear_ticks(axis: AxisRange, *, about: int) -> list[float]:
    step = round_step(max((axis.high - axis.low) / about, float(axis.is_whole)))
    first = math.ceil(axis.low / step - 1e-9)
    return [index * step for index in range(first, first + 14) if index * step <= axis.high + step * 1e-6]


def list_log_ticks(axis: AxisRange) -> list[float]:
    """Powers of ten; where the axis is at most two of them long also 2 and 5 of each."""
    first, last = math.floor(math.log10(axis.low)), math.ceil(math.log10(axis.high))
    factors = (1, 2, 5) if last - first <= 2 or axis.high <= axis.low * 100 else (1,)
    found = [factor * 10.0**power for power in range(first, last + 1) for factor in factors]
    every = max(1, len(found) // 10)
    return [value for value in found[::every] if axis.low <= value <= axis.high] or [axis.low]


def round_step(step: float) -> float:
    power = 10.0 ** math.floor(math.log10(step))
    return next(power * factor for factor in (1, 2, 5, 10) if power * factor >= step * 0.999)


def format_tick(value: float, step: float) -> str:
    """As many digits as tell the neighbours apart; `step` 0 where they are far apart."""
    if not value or abs(value) < abs(step) * 1e-6:
        return "0"
    if not 1e-4 <= abs(value) < 1e6:
        digits = max(0, math.floor(math.log10(abs(value))) - math.floor(math.log10(step))) if step else 0
        return shorten_exponent(f"{value:.{min(digits, 4)}e}")
    if not step:
        return f"{value:,.10g}"
    decimals = max(0, -math.floor(math.log10(step) + 1e-9)) if step < 1 else 0
    return f"{value + 0.0:,.{min(decimals, 6)}f}"


def format_axis_title(axis: Mapping[str, Any]) -> str:
    return write_title(text_or_empty(axis.get("label")), text_or_empty(axis.get("unit")) if unit_or_empty(axis) else "")
