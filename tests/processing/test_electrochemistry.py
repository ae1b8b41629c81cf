"""Impedance and voltammetry in columns of text."""

import pytest

from processing.processors.columns.reader import read
from processing.readings import Kind
from tests.processing.here import documents, read_here, the
from tests.samples.instruments import csv

FREQUENCIES = [100_000, 1000, 10, 0.1, 0.01]
REAL, MINUS_IMAGINARY = [20, 25, 70, 110, 120], [1, 20, 50, 20, 1]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "scan.csv"


def rows(header, *columns):
    return csv([header, *map(list, zip(*columns, strict=True))])


def test_impedance_is_a_nyquist_plot_of_equal_axes(path):
    found = read_here(
        read, path, rows(["Frequency (Hz)", "Z' (Ohm)", "-Z'' (Ohm)"], FREQUENCIES, REAL, MINUS_IMAGINARY)
    )

    nyquist, size, phase = documents(found, Kind.CURVE)
    assert (nyquist["aspect"], nyquist["x"]["label"], nyquist["y"]["unit"]) == ("equal", "Z\u2032", "Ohm")
    assert (nyquist["series"][0]["x"], nyquist["series"][0]["y"]) == (REAL, MINUS_IMAGINARY)
    assert size["x"]["log"] is size["y"]["log"] is True
    assert size["series"][0]["y"][0] == pytest.approx((20**2 + 1) ** 0.5)
    assert phase["series"][0]["y"][2] == pytest.approx(-35.53768)


def test_an_imaginary_part_that_is_not_negated_is_turned_up(path):
    imaginary = [-value for value in MINUS_IMAGINARY]

    found = read_here(read, path, rows(["Freq (Hz)", "Re(Z) (Ohm)", "Im(Z) (Ohm)"], FREQUENCIES, REAL, imaginary))

    assert documents(found, Kind.CURVE)[0]["series"][0]["y"] == MINUS_IMAGINARY


def test_a_voltammogram_is_the_loop_that_was_run(path):
    potentials, currents = [0, 0.1, 0.2, 0.1, 0, -0.1], [1, 2, 3, -3, -2, -1]

    curve = the(read_here(read, path, rows(["Potential (V)", "Current (uA)"], potentials, currents)), Kind.CURVE)

    assert (curve["series"][0]["x"], curve["series"][0]["y"]) == (potentials, currents)


def test_a_voltammogram_of_autolab_is_known_by_its_names(path):
    names = ["Potential applied (V)", "Time (s)", "WE(1).Current (A)", "WE(1).Potential (V)"]

    found = read_here(
        read, path, rows(names, [0, 0.1, 0.2, 0.1, 0], [1, 2, 3, 4, 5], [1, 2, 3, -3, -2], [0, 1, 2, 1, 0])
    )

    assert the(found, Kind.CURVE)["series"][0]["y"] == [1, 2, 3, -3, -2]


def test_a_potential_without_units_is_no_voltammogram(path):
    found = read_here(read, path, rows(["E", "I"], [0, 1, 2, 1, 0], [1, 2, 3, 2, 1]))

    assert documents(found, Kind.CURVE) == []
