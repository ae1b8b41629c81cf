"""Impedance as Nyquist and Bode plots, voltammetry as the loop that it is: told by the names of the columns."""

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from processing.formats.curve import Axis, Curve, Series
from processing.processors.columns.layout import split_name_and_unit
from processing.processors.columns.typed_columns import Grid, TypedColumn
from processing.readings import Artefact

PRIME = "['\u2032\u2019]"
REAL = re.compile(rf"re\(z\)|z{PRIME}|z[_ ]?real|zre|real impedance|impedance \(?real\)?", re.IGNORECASE)
IMAGINARY = re.compile(
    rf"(?P<minus>[-\u2212])?\s*(im\(z\)|z({PRIME}{{2}}|\"|\u2033)|z[_ ]?imag(inary)?|zim|imag(inary)? impedance)",
    re.IGNORECASE,
)
FREQUENCY = re.compile(r"freq(uency)?|f", re.IGNORECASE)
POTENTIAL = re.compile(r"(working electrode |we[ _(]*)?(potential|voltage|e|ewe|u|v|vf)( applied)?\)?", re.IGNORECASE)
CURRENT = re.compile(r"(we\(\d+\)\.|we[ _(]*)?(current|i|<i>|im|current density|j)\)?", re.IGNORECASE)
MIN_POINTS = 5
VOLTS, AMPERES = re.compile(r"(m|u|\u00b5|\u03bc)?V( vs.*)?"), re.compile(r"(p|n|u|\u00b5|\u03bc|m)?A(/.*)?")


@dataclass(frozen=True)
class Named:
    name: str
    unit: str | None
    column: TypedColumn

    @property
    def numbers(self) -> NDArray[np.float64]:
        return np.asarray(self.column.numbers, dtype=np.float64)


def draw_electrochemistry(grid: Grid, *, title: str, suffix: str) -> list[Artefact]:
    """Nothing where the table holds neither."""
    named = [
        Named(*split_name_and_unit(header), column)
        for header, column in zip(grid.header, grid.columns, strict=True)
        if column.holds_numbers and len(column.numbers) >= MIN_POINTS
    ]
    curves = [*draw_impedance(named, title=title), *draw_voltammogram(named, title=title)]
    return [curve.artefact(f"curves{suffix}-{number}.json") for number, curve in enumerate(curves, start=1)]


def find_named(named: list[Named], pattern: re.Pattern[str]) -> Named | None:
    return next((one for one in named if pattern.fullmatch(one.name.strip())), None)


def draw_impedance(named: list[Named], *, title: str) -> list[Curve]:
    """Nyquist with the negative imaginary part upward, a unit as long on both axes; Bode where there is a frequency."""
    real, imaginary, frequency = (find_named(named, pattern) for pattern in (REAL, IMAGINARY, FREQUENCY))
    if real is None or imaginary is None:
        return []
    found = IMAGINARY.fullmatch(imaginary.name.strip())
    upward = imaginary.numbers if found and found["minus"] else -imaginary.numbers
    axes = Axis("Z\u2032", real.unit), Axis("\u2212Z\u2033", imaginary.unit or real.unit)
    drawn = [Curve(title, *axes, [Series("Impedance", real.numbers, upward)], is_square=True)]
    if frequency is not None:
        size, phase = np.hypot(real.numbers, upward), np.degrees(np.arctan2(-upward, real.numbers))
        x = Axis("Frequency", frequency.unit or "Hz", is_log=True)
        drawn.append(Curve(title, x, Axis("|Z|", real.unit, is_log=True), [Series("|Z|", frequency.numbers, size)]))
        drawn.append(Curve(title, x, Axis("Phase", "\u00b0"), [Series("Phase", frequency.numbers, phase)]))
    return drawn


def draw_voltammogram(named: list[Named], *, title: str) -> list[Curve]:
    """Current against potential in the order of the file, where the potential turns back."""
    potential, current = find_named(named, POTENTIAL), find_named(named, CURRENT)
    if potential is None or current is None or potential.column.runs_steadily:
        return []
    in_units = VOLTS.fullmatch(potential.unit or "") and AMPERES.fullmatch(current.unit or "")
    if not in_units:
        return []
    axes = Axis(potential.name, potential.unit), Axis(current.name, current.unit)
    return [Curve(title, *axes, [Series(current.name, potential.numbers, current.numbers)])]
