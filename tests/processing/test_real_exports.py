"""Every real export that the project was given, through the real child: it must find what a person finds in it."""

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from tests.processing.reading import Found, read

FOLDER = Path(__file__).parents[3] / "shared" / "data" / "instruments"
EXPECTED = FOLDER / "expected.json"
FILES: dict[str, dict[str, Any]] = json.loads(EXPECTED.read_text())["files"] if EXPECTED.exists() else {}
pytestmark = pytest.mark.skipif(not FILES, reason="the real exports lie beside the checkout of the developers only")

FACTS = {  # ours: theirs
    "technique": "technique",
    "instrument_model": "model_number",
    "serial_number": "serial_number",
    "manufacturer": "manufacturer",
    "device_identifier": "device_identifier",
    "software": "software",
    "software_version": "software_version",
    "measurement_count": "measurements",
    "well_count": "wells",
    "plate_format": "plate_well_count",
    "plate_id": "plates",
    "plate_count": "plate_count",
    "sample_count": "samples",
    "detection_type": "detection_types",
    "experiment_type": "experiment_types",
    "analyst": "analysts",
    "wavelength_nm": "wavelengths_nm",
    "curve_count": "curve_count",
    "calculated_count": "calculated_values",
    "processed_data_count": "processed_data_documents",
    "format": "format",
    "title": "title",
    "author": "author",
    "data_type": "data_type",
    "points": "points",
    "x_unit": "x_unit",
    "y_unit": "y_unit",
    "x_first": "x_first",
    "x_last": "x_last",
    "y_first": "y_first",
    "y_max": "y_max",
    "origin": "origin",
    "owner": "owner",
    "instrument": "instrument",
    "width": "width",
    "height": "height",
    "pages": "pages",
    "dtype": "dtype",
    "min": "min",
    "max": "max",
    "mean": "mean",
    "percentile_1": "percentile_1",
    "percentile_99": "percentile_99",
    "width_pt": "width_pt",
    "height_pt": "height_pt",
    "spectra": "spectra",
    "chromatograms": "chromatograms",
    "events": "events",
    "parameters": "parameters",
    "cytometer": "cytometer",
    "date": "date",
    "begin": "begin",
}


@pytest.fixture(scope="module", params=FILES, ids=str)
def case(request: pytest.FixtureRequest) -> tuple[dict[str, Any], Found]:
    expected = FILES[request.param]
    instrument_type = expected.get("vendor", "generic").lower().replace("_", "-")
    return expected, read(FOLDER / request.param, instrument_type=instrument_type)


def test_the_run_facts_are_those_of_the_file(case):
    expected, found = case

    stated = {ours: expected[theirs] for ours, theirs in FACTS.items() if expected.get(theirs) is not None}

    assert {key: value for key, value in stated.items() if not agrees(value, found.run.get(key))} == {}


def test_samples_methods_and_times_are_those_of_the_file(case):
    expected, found = case

    assert set(expected.get("sample_identifiers", [])) <= members(found.run.get("sample_id"))
    assert {path.rpartition("\\")[2] for path in expected.get("methods", [])} == members(found.run.get("method"))
    times = ("measured_from", "measured_to")
    assert [moment(found.run.get(time)) for time in times if time in expected] == [
        moment(expected[time]) for time in times if time in expected
    ]


def test_a_time_of_1970_is_never_shown(case):
    _, found = case

    assert found.acquired_at is None or found.acquired_at.year > 1971
    assert "1970-01-01T" not in "".join(kept.data.decode(errors="ignore") for kept in found.artefacts.values())


def test_every_value_stands_in_a_table_with_its_unit(case):
    expected, found = case
    calculated = expected.get("first_calculated")
    wanted = [*expected.get("values", []), *([{**calculated, "quantity": calculated["name"]}] if calculated else [])]

    assert [value for value in wanted if not in_a_table(value, found)] == []


def test_every_curve_is_drawn_as_it_is_in_the_file(case):
    expected, found = case
    curves = expected.get("curves", [])
    described = curves if isinstance(curves, list) else []

    assert [curve for curve in described if not is_drawn(curve, found)] == []


def test_a_spectrum_is_one_curve_with_its_peak_where_it_belongs(case):
    expected, found = case
    if "x_at_y_max" not in expected:
        pytest.skip("no spectrum")
    step = abs(expected["x_last"] - expected["x_first"]) / (expected["points"] - 1)

    assert found.run["curve_count"] == expected["curves"]
    assert found.run["x_at_y_max"] == pytest.approx(expected["x_at_y_max"], abs=step)


def agrees(expected: Any, found: Any) -> bool:
    if isinstance(expected, list):
        return members(found) == {as_number(value) for value in expected}
    if isinstance(expected, float | int) and isinstance(found, float | int):
        return found == pytest.approx(expected, rel=1e-6)
    return found == expected or expected in members(found)


def members(value: Any) -> set[Any]:
    values = value if isinstance(value, list) else [] if value is None else [value]
    return {as_number(value) for value in values}


def as_number(value: Any) -> Any:
    return float(value) if isinstance(value, int | float) else value


def moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text).replace(microsecond=0) if text else None


def in_a_table(wanted: dict[str, Any], found: Found) -> bool:
    return any(holds(wanted, table) for table in found.of_kind("table") if table.get("format") == "ids-table/1")


def holds(wanted: dict[str, Any], table: dict[str, Any]) -> bool:
    columns = {(column["name"], column["unit"]): place for place, column in enumerate(table["columns"])}
    place = columns.get((wanted["quantity"], wanted["unit"]))
    if place is None:
        return False
    sample = columns.get(("Sample", None)) if "sample" in wanted else None
    rows = (row for row in table["rows"] if sample is None or row[sample] == wanted["sample"])
    return any(row[place] == pytest.approx(wanted["value"], rel=1e-6) for row in rows if row[place] is not None)


def is_drawn(wanted: dict[str, Any], found: Found) -> bool:
    return any(is_series(wanted, curve, series) for curve in found.of_kind("curve") for series in curve["series"])


def is_series(wanted: dict[str, Any], curve: dict[str, Any], series: dict[str, Any]) -> bool:
    axes = (curve["x"]["label"].lower(), curve["x"]["unit"], curve["y"]["unit"], series["points"])
    ends = [series["x"][0], series["x"][-1], series["y"][0]]
    return (
        axes == (wanted["x"], wanted["x_unit"], wanted["y_unit"], wanted["points"])
        and ends == pytest.approx([wanted["x_first"], wanted["x_last"], wanted["y_first"]], rel=1e-6)
        and series["y"].count(None) == wanted["missing_points"]
    )
