"""Chosen runs as one table with a plot."""

from datetime import UTC, datetime

import pytest

from tests.datasets.making import make_dataset
from tests.factories import make_run, make_user

pytestmark = pytest.mark.django_db
ROLES = {"well": "key", "value": "value"}


@pytest.fixture
def person(client):
    client.force_login(make_user())
    return client


def make_plate(run_id, values, *, day, **fields):
    run = make_run(run_id=run_id, acquired_at=datetime(2026, 3, day, tzinfo=UTC))
    wells = {"well": ["A1", "A2"], "value": values}
    return make_dataset(wells, run=run, name="plate_absorbance", kind="plate", roles=ROLES, **fields)


def address(*datasets, more="", page="/combine"):
    keys = [f"run={one.run.instrument_id}/{one.run.run_id}" for one in datasets]
    return f"{page}?{'&'.join(keys)}{more}"


def test_the_rows_of_chosen_runs_stand_below_each_other(person):
    first, second = make_plate("p1", [1.0, 2.0], day=1), make_plate("p2", [3.0, 5.0], day=2)
    make_plate("p3", [9.0, 9.0], day=3)

    answer = person.get(address(first, second))

    shown = [(row[0].text, row[1].text, row[2].text) for row in answer.context["rows"]]
    assert shown == [("p2", "A1", "3.0"), ("p2", "A2", "5.0"), ("p1", "A1", "1.0"), ("p1", "A2", "2.0")]
    assert "2 runs as one table" in answer.content.decode()


def test_runs_side_by_side_are_drawn_by_their_means(person):
    first, second = make_plate("p1", [1.0, 2.0], day=1), make_plate("p2", [3.0, 5.0], day=2)

    curve = person.get(address(first, second, page="/combine/curve")).json()
    of_wells = person.get(address(first, second, page="/combine/curve", more="&by=well")).json()

    assert [(one["x"], one["y"]) for one in curve["series"]] == [([1, 2], [1.5, 4.0])]
    lines = {one["label"]: one["y"] for one in of_wells["series"]}
    assert lines == {"A1": [1.0, 3.0], "A2": [2.0, 5.0]}


def test_curves_are_drawn_along_their_axis_a_line_for_each_run(person):
    roles = {"nm": "axis", "au": "value"}
    made = [make_dataset({"nm": [1.0, 2.0], "au": [n, 2.0 * n]}, name="curves", roles=roles) for n in (1.0, 2.0)]

    curve = person.get(address(*made, page="/combine/curve")).json()

    lines = {one["label"]: (one["x"], one["y"]) for one in curve["series"]}
    assert lines == {
        made[0].run.run_id: ([1.0, 2.0], [1.0, 2.0]),
        made[1].run.run_id: ([1.0, 2.0], [2.0, 4.0]),
    }
    assert curve["x"]["label"] == "nm"


def test_a_filter_holds_for_rows_plot_and_downloads(person):
    first, second = make_plate("p1", [1.0, 2.0], day=1), make_plate("p2", [3.0, 5.0], day=2)
    more = "&column=value&op=gt&value=1.5"

    answer = person.get(address(first, second, more=more))
    curve = person.get(address(first, second, more=more, page="/combine/curve")).json()

    assert [row[2].text for row in answer.context["rows"]] == ["3.0", "5.0", "2.0"]
    assert curve["series"][0]["y"] == [2.0, 4.0]
    assert "&amp;where=value%3Agt%3A1.5" in answer.content.decode()


def test_the_download_gives_the_rows_of_these_runs_and_no_others(person):
    first, second = make_plate("p1", [1.0, 2.0], day=1), make_plate("p2", [3.0, 5.0], day=2)
    make_plate("p3", [9.0, 9.0], day=2)
    url = person.get(address(first, second)).context["download"]

    rows = person.get(f"{url}&format=json").json()

    assert [(row[1], row[5]) for row in rows["data"]] == [("p2", 3.0), ("p2", 5.0), ("p1", 1.0), ("p1", 2.0)]


def test_a_run_whose_name_has_a_comma_is_downloaded_like_any_other(person):
    first, second = make_plate("p1, again", [1.0, 2.0], day=1), make_plate("p2", [3.0, 5.0], day=2)
    make_plate("p1", [9.0, 9.0], day=1)
    context = person.get(address(first, second)).context

    rows = person.get(f"{context['download']}&format=json").json()

    assert [row[1] for row in rows["data"]] == ["p2", "p2", "p1, again", "p1, again"]
    assert f"'{first.run.instrument_id}/p1, again'" in context["python"]


def test_a_run_of_the_same_name_at_another_instrument_is_not_downloaded(person):
    first, second = make_plate("p1", [1.0, 2.0], day=1), make_plate("p2", [3.0, 5.0], day=3)
    other = make_run(instrument=second.run.instrument, run_id="p1", acquired_at=datetime(2026, 3, 2, tzinfo=UTC))
    make_dataset({"well": ["A1"], "value": [9.0]}, run=other, name="plate_absorbance", kind="plate", roles=ROLES)
    url = person.get(address(first, second)).context["download"]

    rows = person.get(f"{url}&format=json").json()

    assert [row[5] for row in rows["data"]] == [3.0, 5.0, 1.0, 2.0]


@pytest.mark.parametrize(
    ("more", "said"),
    [("&column=value&op=gt&value=much", "is no number"), ("&sort=nothing", "There is no column")],
)
def test_what_does_not_fit_is_said_and_the_page_is_400(person, more, said):
    answer = person.get(address(make_plate("p1", [1.0, 2.0], day=1), more=more))

    assert answer.status_code == 400
    assert said in answer.content.decode()


@pytest.mark.parametrize("more", ["", "&run=nobody/none", "&across=nothing&up=well&by=nothing", "&name=other"])
def test_nothing_to_combine_and_choices_that_do_not_exist_are_no_error(person, more):
    assert person.get(f"/combine?{more}").status_code == 200
    assert person.get(address(make_plate("p1", [1.0, 2.0], day=1), more=more)).status_code == 200


def test_a_deleted_run_is_left_out(person):
    kept, gone = make_plate("p1", [1.0, 2.0], day=1), make_plate("p2", [3.0, 5.0], day=2)
    gone.run.deleted_at, gone.run.deleted_by = datetime(2026, 4, 1, tzinfo=UTC), make_user()
    gone.run.save()

    answer = person.get(address(kept, gone))

    assert {row[0].text for row in answer.context["rows"]} == {"p1"}
    assert "has no such table" in answer.content.decode()


def test_the_button_of_the_list_leads_there(person):
    dataset = make_plate("p1", [1.0, 2.0], day=1)

    answer = person.post("/runs/selection", {"do": "combine", "run": f"{dataset.run.instrument_id}/p1"})

    assert answer.url == f"/combine?run={dataset.run.instrument_id}%2Fp1"


def test_who_picked_too_many_reads_how_many_are_combined(person, monkeypatch):
    monkeypatch.setattr("dashboard.datasets.combine.MAX_SELECTED", 2)
    made = [make_plate(f"p{day}", [1.0, 2.0], day=day) for day in (1, 2, 3)]

    page = person.get(address(*made)).content.decode()

    assert "2 runs as one table" in page
    assert "The first 2 are combined; 1 more was picked." in " ".join(page.split())


@pytest.mark.parametrize(("asked", "most"), [("compare", 20), ("combine", 100)])
def test_no_longer_address_than_the_page_reads_is_made_of_many_picked(person, asked, most):
    keys = [f"reader/run-{number}" for number in range(130)]

    answer = person.post("/runs/selection", {"do": asked, "run": keys}, follow=True)

    [(address, _)] = answer.redirect_chain
    assert address.count("run=") == most
    assert f"The first {most} are shown; {130 - most} more were picked." in answer.content.decode()
