"""Every real export that the project was given, through the real child: it must find what a person finds in it."""

from datetime import datetime
from typing import Any

import pytest

from tests.processing.reading import Found, read
from tests.samples.expected import FILES, FOLDER, agrees, facts_of, members, needs_real_exports, type_of

pytestmark = needs_real_exports


@pytest.fixture(scope="module", params=FILES, ids=str)
def case(request: pytest.FixtureRequest) -> tuple[dict[str, Any], Found]:
    expected = FILES[request.param]
    return expected, read(FOLDER / request.param, instrument_type=type_of(expected))


def test_the_run_facts_are_those_of_the_file(case):
    expected, found = case

    assert {key: value for key, value in facts_of(expected).items() if not agrees(value, found.run.get(key))} == {}


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
