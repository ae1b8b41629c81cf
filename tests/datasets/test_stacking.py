"""One table over the datasets of one name that a search finds."""

from pathlib import Path

import pytest

from datasets.models import Dataset
from datasets.sources import locate
from datasets.stacking import choose_union
from tests.clients import Api
from tests.datasets.making import make_dataset
from tests.factories import make_instrument, make_run, make_token_with_text, make_user
from wire.clock import now

pytestmark = pytest.mark.django_db


@pytest.fixture
def api():
    return Api(text=make_token_with_text("files:read")[1])


def stacked(api, query):
    return api.send("GET", f"/api/v1/dataset-rows?name=table{query}", None)


def two_runs(second, **fields):
    instrument = make_instrument()
    first = make_run(instrument=instrument, run_id="older", acquired_at="2024-01-01T00:00:00Z")
    later = make_run(instrument=instrument, run_id="newer", acquired_at="2024-01-02T00:00:00Z", **fields)
    return make_dataset({"a": [1, 2]}, run=first), make_dataset(second, run=later)


def test_rows_say_where_they_are_from_and_integers_become_floats(api):
    two_runs({"a": [0.5], "b": ["x"]})

    answer = stacked(api, "&columns=run_id,acquired_at,filename,a,b").json()

    assert answer["data"] == [
        ["newer", "2024-01-02T00:00:00.000Z", "plate.csv", 0.5, "x"],
        ["older", "2024-01-01T00:00:00.000Z", "plate.csv", 1.0, None],
        ["older", "2024-01-01T00:00:00.000Z", "plate.csv", 2.0, None],
    ]
    assert answer["pagination"]["total"] == 3


def test_runs_are_chosen_grouped_and_conditioned(api):
    two_runs({"a": [0.5]})

    grouped = stacked(api, "&group_by=run_id&aggregate=sum:a").json()
    chosen = stacked(api, "&where=run_id:eq:older&where=a:gt:1").json()
    searched = stacked(api, "&search=new").json()

    assert grouped["data"] == [["newer", 0.5], ["older", 3.0]]
    assert [row[1] for row in chosen["data"]] == ["older"]
    assert [row[1] for row in searched["data"]] == ["newer"]


def test_files_with_and_without_the_columns_of_their_origin_are_one_table(api):
    first, second = two_runs({"a": [3], "_run": ["newer"]})
    third = make_dataset({"a": [4], "_run": ["last"]}, run=make_run(acquired_at="2024-01-03T00:00:00Z"))
    Dataset.objects.filter(pk__in=[second.pk, third.pk]).update(columns=first.columns, column_names=["a"])

    answer = stacked(api, "&columns=a").json()
    everything = stacked(api, "").json()

    assert answer["data"] == [[4], [3], [1], [2]]
    assert [column["name"] for column in everything["columns"]][4:] == ["a"]


def test_types_that_clash_are_told_unless_they_are_not_asked(api):
    first, second = two_runs({"a": ["text"], "b": [1.0]})

    clash = stacked(api, "")

    assert clash.status_code == 409
    assert clash.json()["error"]["details"] == {"column": "a", "datasets": [str(second.pk), str(first.pk)]}
    assert stacked(api, "&columns=run_id,b").json()["pagination"]["total"] == 3


def test_deleted_runs_are_left_out_unless_they_are_asked_for(api):
    two_runs({"a": [0.5]}, deleted_at=now(), deleted_by=make_user())

    assert stacked(api, "").json()["pagination"]["total"] == 2
    assert stacked(api, "&include_deleted=true").json()["pagination"]["total"] == 3


def test_no_dataset_at_all_is_an_empty_table(api):
    assert stacked(api, "x").json()["data"] == []


def test_the_name_is_needed(api):
    answer = api.send("GET", "/api/v1/dataset-rows", None)

    assert answer.status_code == 400
    assert "name" in answer.json()["error"]["details"]["fields"]


def test_runs_are_named_whole(api):
    first, second = two_runs({"a": [0.5]})
    of_first, of_second = (f"{one.run.instrument_id}/{one.run.run_id}" for one in (first, second))

    one = stacked(api, f"&run={of_first}&columns=a").json()
    both = stacked(api, f"&run={of_first}&run={of_second}&columns=a").json()
    none = stacked(api, "&run=nobody/older").json()
    listed = api.send("GET", f"/api/v1/datasets?run={of_second}", None).json()

    assert one["data"] == [[1.0], [2.0]]
    assert both["data"] == [[0.5], [1.0], [2.0]]
    assert none["data"] == []
    assert [dataset["id"] for dataset in listed["data"]] == [str(second.pk)]


@pytest.mark.parametrize("run", ["older", "/older", "nobody/"])
def test_what_names_no_run_is_refused(api, run):
    answer = stacked(api, f"&run={run}")

    assert answer.status_code == 400
    assert answer.json()["error"]["details"]["fields"] == {"run.0": ["<instrument_id>/<run_id> is needed."]}


def three_runs():
    """Of the same columns; one file has them in another order."""
    days = (make_run(run_id=f"run {day}", acquired_at=f"2024-01-0{day}T00:00:00Z") for day in (3, 2, 1))
    tables = ({"a": [1, 2], "b": ["x", "y"]}, {"b": ["z"], "a": [3]}, {"a": [4], "b": ["w"]})
    return [make_dataset(values, run=run) for values, run in zip(tables, days, strict=True)]


def test_files_with_the_same_columns_are_read_in_the_order_of_their_runs(api):
    three_runs()

    rows = stacked(api, "&columns=run_id,a,b").json()["data"]
    chosen = stacked(api, "&columns=run_id,a&where=run_id:in:run 1,run 3").json()["data"]
    sorted_rows = stacked(api, "&columns=a&order_by=-a").json()["data"]
    grouped = stacked(api, "&group_by=run_id&aggregate=sum:a").json()["data"]

    assert rows == [["run 3", 1, "x"], ["run 3", 2, "y"], ["run 2", 3, "z"], ["run 1", 4, "w"]]
    assert chosen == [["run 3", 1], ["run 3", 2], ["run 1", 4]]
    assert sorted_rows == [[4], [3], [2], [1]]
    assert grouped == [["run 1", 4], ["run 2", 3], ["run 3", 3]]


def test_the_files_are_opened_in_turn_unless_their_types_differ():
    alike = three_runs()
    other = make_dataset({"a": [0.5], "b": ["x"]})

    assert choose_union(alike) == ""
    assert "union_by_name" in choose_union([*alike, other])


@pytest.mark.parametrize("form", ["json", "arrow"])
def test_a_file_that_is_cut_or_gone_is_told_before_the_first_row(api, form):
    *_, cut = three_runs()
    path = Path(locate([cut])[0])
    path.write_bytes(path.read_bytes()[:-10])

    answer = stacked(api, f"&format={form}")
    path.unlink()
    without = stacked(api, f"&format={form}")

    assert (answer.status_code, without.status_code) == (409, 409)
    assert answer.json()["error"]["details"] == {"reason": "parquet_damaged"}


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("plate_absorbence", "near it are plate_absorbance."),
        ("plate", "near it are plate_absorbance."),
        ("zeta", "there are plate_absorbance, table."),
    ],
)
def test_a_name_that_no_dataset_has_is_told_with_those_near_it(api, asked, told):
    make_dataset({"a": [1]}, name="table")
    make_dataset({"a": [1]}, name="plate_absorbance", kind="plate")

    answer = api.get(f"/api/v1/dataset-rows?name={asked}&columns=a&format=arrow")

    assert answer.status_code == 400
    assert answer.json()["error"]["details"]["fields"]["name"] == [f"No dataset is called {asked}; {told}"]


def test_without_columns_it_is_an_empty_table_as_for_who_sees_none(api):
    make_dataset({"a": [1]}, name="plate_absorbance", kind="plate")

    answer = api.get("/api/v1/dataset-rows?name=table")

    assert (answer.status_code, answer.json()["data"]) == (200, [])


def test_a_known_name_under_no_run_of_the_search_is_an_empty_table(api):
    two_runs({"a": [0.5]})

    assert stacked(api, "&search=another").json()["data"] == []


def test_one_dataset_of_each_name_is_the_newest(api):
    _, newer = two_runs({"a": [0.5]})
    other = make_dataset({"a": [1]}, name="plate_absorbance", kind="plate")

    found = api.get("/api/v1/datasets?one_of_each=name").json()
    begun = api.get("/api/v1/datasets?one_of_each=name&per_page=1&cursor=").json()
    ended = api.get(f"/api/v1/datasets?one_of_each=name&per_page=1&cursor={begun['pagination']['next_cursor']}").json()

    assert [row["id"] for row in found["data"]] == [str(other.pk), str(newer.pk)]
    assert found["pagination"]["total"] == 2
    assert [row["id"] for row in (*begun["data"], *ended["data"])] == [str(other.pk), str(newer.pk)]
    assert ended["pagination"]["next_cursor"] is None


def test_where_no_run_has_such_a_dataset_a_filter_is_not_blamed_for_it(api):
    answer = api.send("GET", "/api/v1/dataset-rows?name=nowhere&where=od:ge:0.2", None)

    assert answer.status_code == 400
    assert answer.json()["error"]["details"]["fields"] == {
        "where": ["No dataset 'nowhere' is found, so there is no column 'od'."]
    }
