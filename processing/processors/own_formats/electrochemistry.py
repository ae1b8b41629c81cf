"""What potentiostats record, as their field has it: loops of voltammetry, Nyquist and Bode, charge and discharge."""

import re
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from processing.formats.curve import Axis, Curve, Series

Floats = NDArray[np.float64]
POTENTIALS, CURRENTS = ("ewe", "ewe_mean", "potential", "voltage"), ("current", "current_mean")
CYCLES, HALVES = ("cycle", "cycle_number"), ("half_cycle", "step")
CAPACITY = ("capacity", "specific_capacity")
VOLTAMMETRY = re.compile(r"volta?mm|linear sweep|\bCV\b|\bLSV\b|polari[sz]ation", re.IGNORECASE)
CHARGING = re.compile(r"galvanostatic|charge|potential limitation|\bGCPL\b|constant current|battery", re.IGNORECASE)
MOST_CYCLES = 60  # drawn apart
LEAST_POINTS = 5


def draw_field(name: str, axis: Axis, x: Floats, channels: Mapping[str, tuple[Floats, str | None]]) -> list[Curve]:
    """Of a trace that is called as its technique, with its channels by name; nothing where the field has no view."""
    return [
        *draw_impedance(name, channels),
        *draw_loops(name, channels),
        *draw_charging(name, axis, x, channels),
    ]


def draw_impedance(name: str, channels: Mapping[str, tuple[Floats, str | None]]) -> list[Curve]:
    real, imaginary = channels.get("z_real"), channels.get("z_imag_neg")
    if real is None or imaginary is None or len(real[0]) < LEAST_POINTS:
        return []
    nyquist = [Series("Impedance", real[0], imaginary[0])]
    drawn = [Curve(name, Axis("Z\u2032", real[1]), Axis("\u2212Z\u2033", imaginary[1]), nyquist, is_square=True)]
    if frequency := channels.get("frequency"):
        x = Axis("Frequency", frequency[1] or "Hz", is_log=True)
        size = np.hypot(real[0], imaginary[0])
        phase = np.degrees(np.arctan2(-imaginary[0], real[0]))
        drawn.append(Curve(name, x, Axis("|Z|", real[1], is_log=True), [Series("|Z|", frequency[0], size)]))
        drawn.append(Curve(name, x, Axis("Phase", "°"), [Series("Phase", frequency[0], phase)]))
    return drawn


def draw_loops(name: str, channels: Mapping[str, tuple[Floats, str | None]]) -> list[Curve]:
    """Current against potential, each cycle a line of its own."""
    potential, current = find_first(channels, POTENTIALS), find_first(channels, CURRENTS)
    if not VOLTAMMETRY.search(name) or potential is None or current is None or len(potential[0]) < LEAST_POINTS:
        return []
    cycles = find_first(channels, CYCLES)
    parts = split_by(cycles[0] if cycles else None, len(potential[0]), "Cycle")
    series = [Series(label, potential[0][part], current[0][part]) for label, part in parts]
    return [Curve(name, Axis("Potential", potential[1]), Axis("Current", current[1]), series)]


def draw_charging(name: str, axis: Axis, x: Floats, channels: Mapping[str, tuple[Floats, str | None]]) -> list[Curve]:
    """Potential against time, and of each half cycle against what has flowed."""
    potential, capacity = find_first(channels, POTENTIALS), find_first(channels, CAPACITY)
    if not CHARGING.search(name) or VOLTAMMETRY.search(name) or potential is None or len(x) < LEAST_POINTS:
        return []
    y = Axis("Potential", potential[1])
    drawn = [Curve(name, axis, y, [Series("Potential", x, potential[0])])]
    if capacity is not None:
        halves = find_first(channels, HALVES)
        parts = split_by(halves[0] if halves else None, len(x), "Half cycle")
        series = [Series(label, capacity[0][part], potential[0][part]) for label, part in parts]
        drawn.append(Curve(name, Axis("Capacity", capacity[1]), y, series))
    return drawn


def find_first(
    channels: Mapping[str, tuple[Floats, str | None]], names: Sequence[str]
) -> tuple[Floats, str | None] | None:
    return next((channels[name] for name in names if name in channels), None)


def split_by(numbers: Floats | None, count: int, what: str) -> list[tuple[str, NDArray[np.bool_]]]:
    """The points of each number; all of them together where there is one, or where there are too many to be told."""
    known = np.unique(numbers[np.isfinite(numbers)]) if numbers is not None else np.array([])
    if numbers is None or not 1 < len(known) <= MOST_CYCLES:
        return [(f"{what}s" if len(known) > 1 else "Signal", np.ones(count, dtype=bool))]
    return [(f"{what} {number:g}", numbers == number) for number in known]
