"""The rows of one dataset, over REST."""

import io
import json

import pyarrow
import pyarrow.parquet
import pytest

from files.storage import object_store
from tests.clients import Api
from tests.datasets.making import make_dataset
from tests.factories import make_token_with_text

pytestmark = pytest.mark.django_db
WELLS = {
    "well": ["A1", "A2", "B1", "=B2"],
    "value": [0.1, None, float("nan"), 1 / 3],
    "n": pyarrow.array([1, 2, 3, None], pyarrow.int64()),
}


@pytest.fixture
def api():
    return Api(text=make_token_with_text("files:read")[1])


def rows(api, dataset, query="", **headers):
    return api.send("GET", f"/api/v1/datasets/{dataset.pk}/rows{query}", None, **headers)


def streamed(answer) -> bytes:
    return b"".join(answer.streaming_content)


def test_json_has_columns_rows_and_the_total(api):
    dataset = make_dataset(WELLS, units={"value": "AU"})

    answer = rows(api, dataset)

    assert answer.json() == {
        "columns": [
            {"name": "well", "type": "string", "unit": None},
            {"name": "value", "type": "float64", "unit": "AU"},
            {"name": "n", "type": "int64", "unit": None},
        ],
        "data": [["A1", 0.1, 1], ["A2", None, 2], ["B1", None, 3], ["=B2", 1 / 3, None]],
        "pagination": {"limit": 1000, "offset": 0, "total": 4},
    }


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("?where=value:gt:0.2", ["=B2"]),
        ("?where=value:is_null:true", ["A2"]),
        ("?where=well:in:A1,B1", ["A1", "B1"]),
        ("?where=well:contains:a", ["A1", "A2"]),
        ("?where=n:ge:2&where=n:lt:3", ["A2"]),
        ("?order_by=-n", ["B1", "A2", "A1", "=B2"]),
        ("?limit=2&offset=1", ["A2", "B1"]),
    ],
)
def test_rows_are_chosen_and_ordered(api, query, found):
    answer = rows(api, make_dataset(WELLS), query)

    assert [row[0] for row in answer.json()["data"]] == found


def test_groups_have_their_aggregates(api):
    dataset = make_dataset({"sample": ["a", "a", "b"], "value": [1.0, 2.0, 4.0]}, units={"value": "AU"})

    answer = rows(api, dataset, "?group_by=sample&aggregate=mean:value&aggregate=count:value").json()

    assert answer["data"] == [["a", 1.5, 2], ["b", 4.0, 1]]
    assert answer["columns"][1] == {"name": "mean_value", "type": "float64", "unit": "AU"}


@pytest.mark.parametrize(
    ("query", "field", "said"),
    [
        ("?columns=nope", "columns", "there are well, value, n"),
        ("?where=value:contains:1", "where", "does not fit"),
        ("?where=value:eq:x", "where", "is no number"),
        ("?where=well", "where", "is needed"),
        ("?aggregate=mean:well", "aggregate", "does not fit"),
        ("?order_by=-nope", "order_by", "There is no column"),
        ("?max_points=100", "max_points", "role axis"),
        ("?limit=0", "limit", ""),
        ("?limit=100001", "limit", "are the most"),
        ("?columns=%22;DROP", "columns", "There is no column"),
    ],
)
def test_a_request_that_does_not_fit_says_what_would(api, query, field, said):
    answer = rows(api, make_dataset(WELLS), query)

    assert answer.status_code == 400
    assert said in answer.json()["error"]["details"]["fields"][field][0]


def test_csv_keeps_formulas_from_being_run(api):
    answer = rows(api, make_dataset(WELLS, units={"value": "AU"}), "?format=csv&units=true&columns=well,value")

    assert streamed(answer).decode().splitlines() == [
        "well,value [AU]",
        '"A1",0.1',
        '"A2",',
        '"B1",nan',
        '"\'=B2",0.3333333333333333',
    ]


def test_ndjson_has_an_object_a_line(api):
    answer = rows(api, make_dataset(WELLS), "", Accept="application/x-ndjson")

    assert json.loads(streamed(answer).splitlines()[3]) == {"well": "=B2", "value": 1 / 3, "n": None}


def test_arrow_and_parquet_carry_units_and_run(api):
    dataset = make_dataset(WELLS, units={"value": "AU"})

    arrow = pyarrow.ipc.open_stream(streamed(rows(api, dataset, "?format=arrow"))).read_all()
    parquet = pyarrow.parquet.read_table(io.BytesIO(streamed(rows(api, dataset, "?format=parquet"))))

    assert arrow.schema.metadata[b"ids.run_id"] == dataset.run.run_id.encode()
    assert parquet.schema.field("value").metadata[b"ids.unit"] == b"AU"
    assert arrow.column("value").to_pylist()[0::3] == parquet.column("value").to_pylist()[0::3] == [0.1, 1 / 3]


def test_few_points_keep_the_extremes(api):
    values = [float(n % 7) for n in range(1_000)]
    values[500], values[700] = 99.0, -99.0
    columns = {"x": [float(n) for n in range(1_000)], "y": values}
    dataset = make_dataset(columns, roles={"x": "axis", "y": "value"})

    found = rows(api, dataset, "?max_points=20").json()["data"]

    assert len(found) <= 20
    assert {99.0, -99.0} <= {y for _, y in found}


def test_a_damaged_parquet_is_told_without_paths(api):
    dataset = make_dataset(WELLS)
    object_store().delete(dataset.file.storage_key)

    answer = rows(api, dataset)

    assert answer.status_code == 409
    assert answer.json()["error"]["details"] == {"reason": "parquet_damaged"}


def test_an_accept_that_names_nothing_of_ours_is_refused(api):
    assert rows(api, make_dataset(WELLS), "", Accept="text/html").status_code == 406


def test_one_dataset_has_its_head_and_statistics(api):
    dataset = make_dataset(WELLS, statistics={"n": {"min": 1}})

    shown = api.send("GET", f"/api/v1/datasets/{dataset.pk}", None).json()

    assert shown["head"][0] == ["A1", 0.1, 1]
    assert shown["statistics"] == {"n": {"min": 1}}


@pytest.mark.parametrize(
    ("accept", "kind"),
    [
        ("application/json;q=0.5, text/csv", "text/csv"),
        ("text/csv;q=0.2, application/x-ndjson; q=0.8, */*;q=0.1", "application/x-ndjson"),
        ("text/csv, application/json", "text/csv"),
        ("text/csv;q=0, */*", "application/json"),
        ("text/csv;q=much", "text/csv"),
    ],
)
def test_accept_is_weighed(api, accept, kind):
    answer = rows(api, make_dataset(WELLS), "", Accept=accept)

    assert answer.headers["Content-Type"].partition(";")[0] == kind


def test_lines_of_csv_end_as_rfc_4180_has_them(api):
    answer = rows(api, make_dataset({"note": ["a\nb", "c"]}), "?format=csv")

    assert streamed(answer) == b'note\r\n"a\nb"\r\n"c"\r\n'
