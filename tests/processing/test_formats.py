"""Curves, plates and tables as artefacts: seven digits, gaps that stay gaps, peaks that survive thinning."""

import json

import numpy as np
import pytest

from files.drawing.faults import find_document_fault
from processing.formats.curve import Axis, Curve, Series
from processing.formats.plate import Plate, Steps, Well, WellValue, guess_shape, shape_of
from processing.formats.table import Column, Table
from processing.formats.thinning import thin_points
from processing.readings import MAX_ARTEFACT_BYTES, Kind


def curve(*series, x=None, **more):
    return Curve("Title", x or Axis("Time", "s"), Axis("Signal", "V"), series, **more).document()


def test_numbers_have_seven_digits_and_no_nan():
    (series,) = curve(Series("a", [0.123456789, 1.0], [float("nan"), 12345678.9]))["series"]

    assert series == {"label": "a", "x": [0.1234568, 1.0], "y": [None, 12345680.0], "points": 2}


def test_a_point_without_a_place_is_left_out():
    (series,) = curve(Series("a", [0, None, 2], [1, 2, 3]))["series"]

    assert series["x"] == [0, 2]


def test_a_lone_spike_survives_the_thinning_of_a_million_points():
    y = np.zeros(1_000_000)
    y[123_456] = 1.0

    kept_x, kept_y = thin_points(np.arange(1_000_000.0), y, most=5000)

    assert len(kept_x) == 5000
    assert (kept_x[0], kept_x[-1], kept_y.max()) == (0, 999_999, 1)


def test_a_gap_is_never_bridged_by_thinning():
    y = np.sin(np.arange(20_000) / 100)
    y[10_000:10_050] = np.nan

    kept_x, kept_y = thin_points(np.arange(20_000.0), y, most=5000)

    gap = np.flatnonzero(np.isnan(kept_y))
    assert len(gap) == 1
    assert kept_x[gap[0] - 1] == 9_999
    assert kept_x[gap[0] + 1] == 10_050


def test_many_series_are_thinned_evenly_and_it_is_said():
    series = [Series(str(number), range(1000), range(1000)) for number in range(400)]

    document = curve(*series)

    assert {len(one["x"]) for one in document["series"]} == {500}
    assert document["series"][0]["points"] == 1000
    assert document["downsampled"] is True


@pytest.mark.parametrize(("unit", "runs_left"), [("1/cm", True), ("ppm", True), ("nm", None), (None, None)])
def test_axes_that_chemists_read_from_the_right_are_reversed(unit, runs_left):
    assert curve(Series("a", [1], [1]), x=Axis("x", unit))["x"].get("reversed") is runs_left


@pytest.mark.parametrize(
    ("text", "name"),
    [("A1", "A1"), ("a01", "A1"), ("H12", "H12"), ("AF48", "AF48"), ("P 24", None), ("A0", None), ("1", None)],
)
def test_wells_are_read_as_people_write_them(text, name):
    well = Well.parse(text)

    assert (str(well) if well else None) == name


@pytest.mark.parametrize(
    ("last", "shape"), [("B3", (2, 3)), ("B4", (3, 4)), ("H12", (8, 12)), ("A13", (16, 24)), ("AF48", (32, 48))]
)
def test_the_smallest_plate_that_holds_the_wells(last, shape):
    assert shape_of([Well(0, 0), Well.parse(last)]) == shape


@pytest.mark.parametrize(
    ("wells", "shape"), [("A1 A2 A3", (8, 12)), ("A1 A2 A3 B1 B2 B3", (2, 3)), ("A1 P24", (16, 24)), ("", None)]
)
def test_a_plate_of_fewer_than_96_wells_is_believed_where_all_of_them_are_there(wells, shape):
    assert guess_shape([Well.parse(well) for well in wells.split()]) == shape


def test_a_plate_names_its_wells_in_order_and_may_have_steps():
    wells = {
        Well(1, 0): WellValue(0.5, sample="S2", values=[0.5, None]),
        Well(0, 0): WellValue(None, note="OVRFLW", values=[None, 0.1]),
    }

    document = Plate("Growth", (8, 12), "absorbance", "AU", wells, Steps("Time", "s", [0.0, 60.0])).document()

    assert list(document["wells"].items()) == [
        ("A1", {"value": None, "values": [None, 0.1], "note": "OVRFLW"}),
        ("B1", {"value": 0.5, "values": [0.5, None], "sample": "S2"}),
    ]
    assert document["steps"] == {"label": "Time", "unit": "s", "values": [0.0, 60.0]}
    assert find_document_fault(document, kind=Kind.PLATE) is None


def test_a_table_too_large_for_an_artefact_shows_fewer_rows():
    table = Table("Wide", [Column(str(number)) for number in range(100)], [["x" * 500] * 100] * 2000)

    artefact = table.artefact("a.json")

    assert len(artefact.data) <= MAX_ARTEFACT_BYTES
    assert 0 < len(json.loads(artefact.data)["rows"]) < json.loads(artefact.data)["total_rows"] == 2000


@pytest.mark.parametrize(
    ("kind", "document"),
    [
        ("curve", {"format": "ids-table/1"}),
        ("curve", {"format": "ids-curve/1", "x": {"label": "x"}, "y": {"label": "y"}, "series": []}),
        (
            "curve",
            {
                "format": "ids-curve/1",
                "x": {"label": "x"},
                "y": {"label": "y"},
                "series": [{"label": "", "x": ["1"], "y": [1]}],
            },
        ),
        ("plate", {"format": "ids-plate/1", "rows": 99, "columns": 1, "quantity": "a", "wells": {}}),
        (
            "plate",
            {"format": "ids-plate/1", "rows": 1, "columns": 1, "quantity": "a", "wells": {"A1": {"value": "high"}}},
        ),
        ("table", {"format": "ids-table/1", "columns": [{"name": "a"}], "rows": [[1, 2]], "total_rows": 1}),
        ("table", {"format": "ids-table/1", "columns": [], "rows": [[], []], "total_rows": 1}),
        ("plate", []),
    ],
)
def test_what_cannot_be_shown_is_found(kind, document):
    assert find_document_fault(document, kind=Kind(kind))


def test_only_an_abscissa_runs_to_the_left_by_its_unit():
    scattering = Curve(
        "SAXS", Axis("Q", "1/angstrom"), Axis("I", "1/cm"), [Series("I", [0.01, 0.1], [90, 2])]
    ).document()
    contours = Curve("HSQC", Axis("F2", "ppm"), Axis("F1", "ppm"), [Series("1", [1], [1])], style="contours").document()

    assert "reversed" not in scattering["y"]
    assert contours["y"]["reversed"] is True
    assert curve(Series("a", [1], [1]), x=Axis("Wavenumber", "1/cm"))["x"]["reversed"] is True


def test_scattering_is_drawn_on_logarithmic_axes_where_it_has_a_place_there():
    axes = Axis("Q", "1/angstrom"), Axis("I", "1/cm")

    usual = Curve("SAXS", *axes, [Series("I", [0.01, 0.1], [90, 2])]).document()
    negative = Curve("SAXS", *axes, [Series("I", [0.01, 0.1], [-90, -2])]).document()

    assert (usual["x"]["log"], usual["y"]["log"]) == (True, True)
    assert "log" not in negative["x"]
