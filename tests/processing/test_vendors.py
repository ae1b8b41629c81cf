"""Vendor formats: what allotropy writes wrongly is put right, and the same file gives the same bytes."""

import json

import numpy as np
import pytest

from processing.confined.fork_server_client import fork_server_pool
from processing.processors.asm.document import plain_values
from processing.processors.asm.reader import read
from processing.processors.asm.repairs import repair_document
from processing.readings import Kind, Unreadable
from tests.processing import reading
from tests.processing.here import documents, read_here
from tests.samples.instruments import vi_cell

VI_CELL = "beckman-vi-cell-blu"


def measurement(well="A1", **more):
    return {"sample document": {"well location identifier": well}} | more


def aggregate(*measurements, **more):
    group = {"measurement document": list(measurements)} | more
    return {"plate reader document": [{"measurement aggregate document": group}]}


def repaired(*measurements, technique="plate reader", **more):
    document = aggregate(*measurements, **more)
    warnings = repair_document(document, technique=technique)
    return document["plate reader document"][0]["measurement aggregate document"], warnings


def cube(values, *, concept="absorbance", unit="mAU"):
    structure = {
        "dimensions": [{"concept": "wavelength", "unit": "nm"}],
        "measures": [{"concept": concept, "unit": unit}],
    }
    return {"cube-structure": structure, "data": {"dimensions": [list(range(len(values)))], "measures": [values]}}


def test_minus_zero_is_no_number_and_its_reason_is_told():
    errors = {"error aggregate document": {"error document": [{"error": "OVRFLW", "error feature": "absorbance"}]}}

    group, warnings = repaired(measurement(absorbance={"value": -0.0, "unit": "mAU"}, **errors))

    assert group["measurement document"][0]["absorbance"] == {"value": None, "unit": "AU"}
    assert warnings == ["1 value of absorbance holds no number (OVRFLW): A1."]


def test_zero_stays_zero():
    group, warnings = repaired(measurement(absorbance={"value": 0.0, "unit": "AU"}))

    assert group["measurement document"][0]["absorbance"]["value"] == 0.0
    assert warnings == []


@pytest.mark.parametrize("value", [float("nan"), "NaN", float("inf")])
def test_nan_in_any_dress_is_no_number(value):
    group, _ = repaired(measurement(absorbance={"value": value, "unit": "AU"}))

    assert group["measurement document"][0]["absorbance"]["value"] is None


def test_curves_of_a_plate_reader_have_gaps_and_those_of_a_chromatograph_their_own_floats():
    plate, _ = repaired(measurement(**{"absorption spectrum data cube": cube([0.1, -0.0, 0.2])}))
    column, _ = repaired(
        measurement(**{"chromatogram data cube": cube([0.1, -0.0])}), technique="liquid chromatography"
    )

    assert plate["measurement document"][0]["absorption spectrum data cube"]["data"]["measures"] == [[0.1, None, 0.2]]
    assert column["measurement document"][0]["chromatogram data cube"]["data"]["measures"] == [[0.1, -0.0]]


@pytest.mark.parametrize(
    ("technique", "unit"),
    [
        ("plate reader", "AU"),
        ("spectrophotometry", "AU"),
        ("liquid chromatography", "mAU"),
        ("solution analyzer", "mAU"),
    ],
)
def test_absorbance_of_plate_readers_is_au_and_that_of_chromatographs_mau(technique, unit):
    group, _ = repaired(
        measurement(absorbance={"value": 0.5, "unit": "mAU"}, **{"a data cube": cube([1])}), technique=technique
    )

    (found,) = group["measurement document"]
    assert found["absorbance"]["unit"] == unit
    assert found["a data cube"]["cube-structure"]["measures"][0]["unit"] == unit


def test_a_fluorescence_spectrum_is_no_absorbance():
    group, _ = repaired(measurement(**{"fluorescence emission spectrum data cube": cube([1])}))

    measures = group["measurement document"][0]["fluorescence emission spectrum data cube"]["cube-structure"][
        "measures"
    ]
    assert measures == [{"concept": "fluorescence", "unit": "RFU"}]


def test_1970_is_no_time_and_not_known_is_nothing():
    group, _ = repaired(
        measurement(analyst="N/A", method="Unknown", **{"measurement time": "1970-01-01T00:00:00+00:00"})
    )

    assert group["measurement document"] == [measurement()]


@pytest.mark.parametrize(
    ("stated", "wells", "corrected"),
    [(0, ["A1", "H3"], 96), (2, ["A1", "H12"], 96), (96, ["A1", "P24"], 384), (384, ["A1"], 384), (6, ["A1", "B3"], 6)],
)
def test_the_well_count_is_that_of_a_plate_that_holds_the_wells(stated, wells, corrected):
    group, _ = repaired(*map(measurement, wells), **{"plate well count": {"value": stated, "unit": "#"}})

    assert group["plate well count"]["value"] == corrected


@pytest.fixture
def export(tmp_path):
    return tmp_path / "export.csv"


def test_a_naive_time_is_the_instruments_own_and_it_is_said(export):
    output = read_here(read, export, vi_cell(), zone="America/New_York", instrument_type=VI_CELL)

    assert output.acquired_at.isoformat() == "2022-03-21T20:56:00+00:00"
    assert output.file["assumed_time_zone"] == "America/New_York"


def test_every_quantity_has_a_column_with_its_unit(export):
    table = documents(read_here(read, export, vi_cell(), instrument_type=VI_CELL), Kind.TABLE)[0]

    columns = {(column["name"], column["unit"]) for column in table["columns"]}
    assert {
        ("Sample", None),
        ("Time", None),
        ("viability (cell counter)", "%"),
        ("total cell count", "cell"),
    } <= columns
    assert [row[0] for row in table["rows"]] == ["CLB001", "CLB002"]


def test_nothing_that_differs_at_every_run_is_kept(export):
    document = documents(read_here(read, export, vi_cell(), instrument_type=VI_CELL), Kind.TABLE)[-1]

    assert "measurement identifier" not in json.dumps(document)
    assert "viability (cell counter)" in json.dumps(document)


def test_the_same_file_gives_the_same_bytes_in_another_process(export):
    export.write_text(vi_cell())

    first = reading.read(export, instrument_type=VI_CELL)
    fork_server_pool.close()
    second = reading.read(export, instrument_type=VI_CELL)

    assert first == second


def test_what_allotropy_says_of_the_file_is_passed_on(export):
    with pytest.raises(Unreadable, match=r"[A-Z]"):
        read_here(read, export, "a,b\n1,2\n", instrument_type="luminex-xponent")


def test_an_encoding_of_the_west_is_guessed(export):
    output = read_here(
        read, export, vi_cell().replace("Ann", "Jörg").replace("μ", "u").encode("cp1252"), instrument_type=VI_CELL
    )

    assert output.run["analyst"] == "Jörg"
    assert output.file["encoding"] == "windows-1252"


def test_utf_16_of_windows_is_read(export):
    output = read_here(read, export, vi_cell().encode("utf-16"), instrument_type=VI_CELL)

    assert output.run["sample_count"] == 2
    assert output.file["encoding"] == "utf-16"


def test_arrays_of_a_parser_become_plain_lists():
    document = {"cube": {"measures": [np.array([1.5, 2.5]), [np.int64(3)]], "empty": np.array([]), "n": np.float64(4)}}

    plain = plain_values(document)

    assert plain == {"cube": {"measures": [[1.5, 2.5], [3]], "empty": [], "n": 4.0}}
    assert type(plain["cube"]["n"]) is float
