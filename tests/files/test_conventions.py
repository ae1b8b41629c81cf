"""How the fields draw their axes and write their units."""

import pytest

from files.drawing.axes import AxisRange, format_tick, place_ticks
from files.drawing.conventions import is_scattering, runs_left, write_title, write_unit
from files.drawing.curve import build_plot
from files.drawing.table import build_table_view


@pytest.mark.parametrize(
    ("label", "unit", "is_so"),
    [
        ("Wavenumber", "1/cm", True),
        ("Wavenumber", "cm-1", True),
        ("Chemical shift", "ppm", True),
        ("Binding energy", "eV", True),
        ("Raman shift", "1/cm", False),
        ("Wavelength", "nm", False),
    ],
)
def test_wavenumbers_ppm_and_binding_energies_run_to_the_left(label, unit, is_so):
    assert runs_left(label, unit) is is_so


@pytest.mark.parametrize(
    ("label", "unit", "is_so"),
    [("Q", "1/angstrom", True), ("q", "nm^-1", True), ("Q", None, False), ("Quantity", "nm", False)],
)
def test_scattering_is_told_by_its_vector(label, unit, is_so):
    assert is_scattering(label, unit) is is_so


@pytest.mark.parametrize(
    ("stored", "written"),
    [
        ("1/cm", "cm⁻¹"),
        ("1/angstrom", "Å⁻¹"),
        ("deg", "°"),
        ("degC", "°C"),
        ("uL", "µL"),
        ("ug/mL", "µg/mL"),
        ("\u03bcm", "µm"),
        ("unit", "unit"),
        ("mAU", "mAU"),
    ],
)
def test_units_are_written_as_people_write_them(stored, written):
    assert write_unit(stored) == written


def test_a_unit_stands_once_behind_a_header_that_holds_it():
    assert write_title("Wavenumber (1/cm)", "1/cm") == "Wavenumber (cm⁻¹)"


def test_axes_and_tables_show_units_as_they_are_written():
    curve = {
        "format": "ids-curve/1",
        "x": {"label": "Q", "unit": "1/angstrom"},
        "y": {"label": "I", "unit": "1/cm"},
        "series": [{"label": "", "x": [1, 2], "y": [1, 2], "points": 2}],
    }
    table = {"format": "ids-table/1", "columns": [{"name": "Volume", "unit": "uL"}], "rows": [[1]], "total_rows": 1}

    plot = build_plot(curve)

    assert (plot.x_title, plot.y_title, plot.x_unit) == ("Q (Å⁻¹)", "I (cm⁻¹)", "Å⁻¹")
    assert build_table_view(table).columns[0].text == "Volume (µL)"


def test_zero_is_written_as_zero_beside_very_small_numbers():
    assert format_tick(0.0, 1e-7) == "0"
    assert [tick.text for tick in place_ticks(AxisRange(-2e-7, 2e-7), about=4)] == [
        "-2e-7",
        "-1e-7",
        "0",
        "1e-7",
        "2e-7",
    ]
