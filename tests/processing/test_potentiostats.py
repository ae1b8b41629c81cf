"""Texts of EC-Lab as their field looks at them, made here as the program writes them."""

import math

import pytest

from processing.processors.own_formats import reader
from processing.readings import Kind
from tests.processing.here import documents, read_here

HEAD = "EC-Lab ASCII FILE\nNb header lines : 8\n\n{technique}\n\nAcquisition started on : 03/14/2026 09:26:53.000\n\n"


def text_of(technique, names, rows):
    lines = ["\t".join(f"{value:.6f}" for value in row) for row in rows]
    return "\r\n".join([*HEAD.format(technique=technique).split("\n")[:-1], names, *lines, ""])


def sweep(number):
    potentials = [0.025 * place for place in range(40)]
    path = [*potentials, *reversed(potentials)]
    return [(80.0 * number + n, e, math.sin(e) + number, number) for n, e in enumerate(path)]


def charge(half):
    return [(50.0 * half + n, 3 + 0.02 * (n if half % 2 else 50 - n), 1 - 2 * (half % 2), half, n) for n in range(50)]


VOLTAMMETRY = text_of(
    "Cyclic Voltammetry", "time/s\tEwe/V\t<I>/mA\tcycle number", [row for n in (1, 2) for row in sweep(n)]
)
IMPEDANCE = text_of(
    "Potentio Electrochemical Impedance Spectroscopy",
    "freq/Hz\tRe(Z)/Ohm\t-Im(Z)/Ohm\ttime/s",
    [(10.0 ** (5 - n / 8), 100 + n, 5 + n * (30 - n), n) for n in range(30)],
)
CYCLING = text_of(
    "Galvanostatic Cycling with Potential Limitation",
    "time/s\tEwe/V\tI/mA\thalf cycle\tCapacity/mA.h",
    [row for half in range(3) for row in charge(half)],
)


def first_curves(tmp_path, text, count):
    output = read_here(reader.read, tmp_path / "cell.mpt", text)
    return documents(output, Kind.CURVE)[:count]


def test_voltammetry_is_a_loop_for_each_cycle(tmp_path):
    (loop,) = first_curves(tmp_path, VOLTAMMETRY, 1)

    assert (loop["x"]["label"], loop["x"]["unit"], loop["y"]["unit"]) == ("Potential", "V", "mA")
    assert [series["label"] for series in loop["series"]] == ["Cycle 1", "Cycle 2"]
    assert loop["series"][0]["x"][39:41] == [0.975, 0.975]


def test_impedance_is_a_nyquist_and_a_bode_plot(tmp_path):
    nyquist, size, phase = first_curves(tmp_path, IMPEDANCE, 3)

    assert (nyquist["x"]["label"], nyquist["y"]["label"], nyquist["aspect"]) == ("Z\u2032", "\u2212Z\u2033", "equal")
    assert nyquist["series"][0]["y"][:2] == [5, 34]
    assert (size["x"]["log"], size["y"]["log"]) == (True, True)
    assert phase["series"][0]["y"][1] == pytest.approx(-math.degrees(math.atan2(34, 101)), abs=1e-4)


def test_charge_and_discharge_are_potentials_against_time_and_capacity(tmp_path):
    time, capacity = first_curves(tmp_path, CYCLING, 2)

    assert (time["x"]["label"], time["y"]["label"]) == ("Time", "Potential")
    assert (capacity["x"]["label"], capacity["x"]["unit"]) == ("Capacity", "mA·h")
    assert [series["label"] for series in capacity["series"]] == ["Half cycle 0", "Half cycle 1", "Half cycle 2"]
