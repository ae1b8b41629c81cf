"""Columns of what a run's datasets come to, and widths of columns."""

import pytest

from datasets.models import Dataset
from tests.dashboard.runs.test_columns import headings
from tests.datasets.making import make_dataset
from tests.factories import make_run, make_stored_file, make_user

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}
MAX = "/runs?columns=run%2Cdata.plate.od600.max"


@pytest.fixture
def read(client):
    client.force_login(make_user())
    return lambda address, **headers: client.get(address, headers=headers).content.decode()


def measured(run, greatest, *, name="plate", **fields):
    made = make_dataset({"od600": [0.1], "well": ["A1"]}, run=run, name=name, **fields)
    columns = [{"name": "od600", "type": "float64"}, {"name": "well", "type": "string"}]
    Dataset.objects.filter(pk=made.pk).update(
        columns=columns, statistics={"od600": {"min": 0.0, "max": greatest, "null_count": 0, "distinct_count": 2}}
    )
    return made


def test_the_greatest_of_all_files_of_a_run_is_shown(read):
    run = make_run()
    measured(run, 0.42)
    measured(run, 1.23456789, source_file=make_stored_file("second.csv", run=run))

    page = read(MAX)

    assert headings(page) == ["Run", "plate.od600", "max"]
    assert 'title="1.2346"' in page


def test_runs_without_such_data_have_an_empty_cell(read):
    make_run()

    assert 'data-label="plate.od600 max"' not in read(MAX)


def test_what_can_be_added_is_asked_for_when_the_menu_opens(read):
    measured(make_run(run_id="refold"), 0.42)
    measured(make_run(run_id="other"), 0.42, name="kinetics")

    offered = read("/runs/options?search=refold&of=data", **HTMX)

    assert 'value="data.plate.od600.max"' in offered
    assert 'value="data.plate.od600.min"' in offered
    assert "kinetics" not in offered
    assert "well" not in offered


def test_it_is_one_question_however_many_columns(read, django_assert_max_num_queries):
    for _ in range(10):
        measured(make_run(), 0.4)

    with django_assert_max_num_queries(12):
        read(f"{MAX}%2Cdata.plate.od600.min%2Cdata.other.x.max")


@pytest.mark.parametrize("name", ["data.plate.od600", "data.plate.od600.mean", "data.Plate.od.max", "data.a.b.c.max"])
def test_a_column_that_cannot_be_is_refused(client, read, name):
    assert client.get("/runs", {"columns": f"run,{name}"}).status_code == 400


def test_one_is_typed_into_the_menu(client, read):
    make_run()

    answer = client.get("/runs", {"columns": "run", "column": "data.plate.od600.max"})

    assert answer["Location"] == MAX


def test_widths_stand_in_the_address_and_in_the_heads(client, read):
    make_run()

    page = read("/runs?widths=run%3A320%2Cstarted%3A120")

    assert 'width="320"' in page
    assert "sized" in page
    answer = client.get("/runs", {"columns": ["run", "size"], "width.run": "320", "width.size": ""})
    assert answer["Location"] == "/runs?columns=run%2Csize&widths=run%3A320"


@pytest.mark.parametrize(("asked", "kept"), [("run:1", "run:40"), ("run:99999", "run:1200")])
def test_widths_stay_within_what_can_be_read(client, read, asked, kept):
    assert client.get("/runs", {"widths": asked})["Location"] == f"/runs?widths={kept.replace(':', '%3A')}"


@pytest.mark.parametrize("asked", ["run:x", "nothing:10", "run", ":", "run:10px", "é:1"])
def test_what_is_no_width_is_left_out(client, read, asked):
    assert client.get("/runs", {"widths": asked})["Location"] == "/runs"
