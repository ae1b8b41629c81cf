"""All runs of a search as one table."""

import csv
import io
import json

import pyarrow
import pyarrow.parquet
import pytest

from tests.clients import Api
from tests.factories import make_instrument, make_run, make_token_with_text

pytestmark = pytest.mark.django_db


@pytest.fixture
def api():
    return Api(text=make_token_with_text("runs:read")[1])


@pytest.fixture
def runs():
    lab = make_instrument(id="hplc-2")
    make_run(
        instrument=lab, run_id="=first", acquired_at="2024-01-01T00:00:00Z", caller_metadata={"plate": "P1", "n": 1}
    )
    more = {"n": 2.5, "wells": ["A1", "B2"]}
    make_run(instrument=lab, run_id="second", acquired_at="2024-01-02T00:00:00Z", caller_metadata=more)


def exported(api, query) -> bytes:
    answer = api.send("GET", f"/api/v1/instrument-runs?{query}", None)
    assert answer.status_code == 200
    return b"".join(answer.streaming_content)


def test_csv_has_a_column_for_each_key(api, runs):
    rows = list(csv.DictReader(io.StringIO(exported(api, "format=csv").decode())))

    assert [row["run_id"] for row in rows] == ["second", "'=first"]
    assert [row["metadata.n"] for row in rows] == ["2.5", "1"]
    assert (rows[0]["metadata.wells"], rows[1]["metadata.plate"]) == ('["A1", "B2"]', "P1")
    assert rows[0]["acquired_at"] == "2024-01-02T00:00:00.000Z"


def test_ndjson_keeps_lists(api, runs):
    first = json.loads(exported(api, "format=ndjson").splitlines()[0])

    assert (first["run_id"], first["metadata.wells"], first["metadata.n"]) == ("second", ["A1", "B2"], 2.5)


def test_arrow_and_parquet_have_types(api, runs):
    arrow = pyarrow.ipc.open_stream(exported(api, "format=arrow&order=asc")).read_all()
    parquet = pyarrow.parquet.read_table(io.BytesIO(exported(api, "format=parquet&order=asc")))

    assert arrow.column("metadata.n").to_pylist() == parquet.column("metadata.n").to_pylist() == [1.0, 2.5]
    assert str(arrow.schema.field("acquired_at").type) == "timestamp[us, tz=UTC]"


@pytest.mark.parametrize("beside", [1, 1.5])
@pytest.mark.parametrize("large", [10**400, -(2**63) - 1, 2**63])
def test_a_number_that_no_column_of_numbers_holds_is_kept_as_text(api, large, beside):
    """It broke the stream off where others were fractions, and was left out where all were whole."""
    for run_id, number in (("one", large), ("two", beside)):
        make_run(run_id=run_id, caller_metadata={"n": number})

    query = "sort=run_id&order=asc&format="
    rows = list(csv.DictReader(io.StringIO(exported(api, f"{query}csv").decode())))
    arrow = pyarrow.ipc.open_stream(exported(api, f"{query}arrow")).read_all()
    parquet = pyarrow.parquet.read_table(io.BytesIO(exported(api, f"{query}parquet")))

    assert [row["metadata.n"].lstrip("'") for row in rows] == [str(large), str(beside)]
    assert arrow["metadata.n"].to_pylist() == parquet["metadata.n"].to_pylist() == [str(large), str(beside)]


def test_fields_are_the_columns(api, runs):
    rows = list(csv.reader(io.StringIO(exported(api, "format=csv&fields=status,run_id").decode())))
    both = json.loads(exported(api, "format=ndjson&fields=run_id,metadata").splitlines()[0])
    arrow = pyarrow.ipc.open_stream(exported(api, "format=arrow&fields=deleted_by,id")).read_all()

    assert rows[0] == ["run_id", "status"]
    assert both == {"run_id": "second", "metadata.n": 2.5, "metadata.plate": None, "metadata.wells": ["A1", "B2"]}
    assert (arrow.column_names, arrow.num_rows) == (["id"], 2)


@pytest.mark.parametrize("fields", ["deleted_by", "nothing"])
def test_fields_that_are_no_columns_are_refused(api, runs, fields):
    answer = api.send("GET", f"/api/v1/instrument-runs?format=csv&fields={fields}", None)

    assert answer.status_code == 400
    assert list(answer.json()["error"]["details"]["fields"]) == ["fields"]


def test_filters_and_the_instrument_hold(api, runs):
    found = exported(api, "format=ndjson&metadata.plate=P1").splitlines()
    elsewhere = api.send("GET", "/api/v1/instruments/hplc-2/runs?format=csv&search=none", None)

    assert len(found) == 1
    assert b"".join(elsewhere.streaming_content).count(b"\n") == 1


def test_more_runs_than_one_step_come_once_each(api, monkeypatch):
    monkeypatch.setattr("datasets.run_exports.CHUNK_RUNS", 2)
    made = [make_run() for _ in range(5)]

    found = [json.loads(line)["id"] for line in exported(api, "format=ndjson").splitlines()]

    assert sorted(found) == sorted(str(run.pk) for run in made)


def test_an_unknown_format_is_refused(api):
    assert api.send("GET", "/api/v1/instrument-runs?format=xml", None).status_code == 400
