"""Chosen runs compared: curves, plates, metadata."""

from datetime import UTC, datetime

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.datasets.making import make_dataset
from tests.factories import make_run, make_user
from tests.markup import flat

pytestmark = pytest.mark.django_db
SPECTRUM, PLATE = {"nm": "axis", "au": "value"}, {"well": "key", "value": "value"}


@pytest.fixture
def person(client):
    client.force_login(make_user())
    return client


def make_spectrum(run_id, heights, **metadata):
    run = make_run(run_id=run_id, caller_metadata=metadata)
    return make_dataset({"nm": [1.0, 2.0], "au": heights}, run=run, name="absorbance", kind="spectrum", roles=SPECTRUM)


def make_plate(run_id, values):
    wells = {"well": ["A1", "H12"], "value": values}
    return make_dataset(wells, run=make_run(run_id=run_id), name="plate_od", kind="plate", roles=PLATE)


def address(*datasets, more="", page="/compare"):
    keys = [f"run={one.run.instrument_id}/{one.run.run_id}" for one in datasets]
    return f"{page}?{'&'.join(keys)}{more}"


def test_curves_lie_over_each_other_in_the_order_of_the_address(person):
    first, second = make_spectrum("s1", [1.0, 2.0]), make_spectrum("s2", [3.0, 5.0])

    page = person.get(address(second, first)).content.decode()
    curve = person.get(address(second, first, page="/compare/curve")).json()

    assert "2 runs compared" in page
    assert [(one["label"], one["y"]) for one in curve["series"]] == [("s2", [3.0, 5.0]), ("s1", [1.0, 2.0])]
    assert page.count('class="trace s') >= 2


def test_its_title_names_the_first_run(person):
    first, second = make_spectrum("s1", [1.0, 2.0]), make_spectrum("s2", [3.0, 5.0])

    page = flat(person.get(address(second, first)))

    assert "<title>s2 and 1 more, compared · Instrument Data</title>" in page


def test_a_mean_is_drawn_with_its_band_and_says_how_it_is_made(person):
    first, second = make_spectrum("s1", [1.0, 2.0]), make_spectrum("s2", [3.0, 5.0])

    page = person.get(address(first, second, more="&layout=mean"))

    assert len(page.context["plot"].bands) == 1
    assert 'class="band ' in page.content.decode()
    assert "interpolated in straight" in page.content.decode()


def test_plates_stand_side_by_side_and_two_are_subtracted(person):
    first, second, third = make_plate("p1", [1.0, 2.0]), make_plate("p2", [1.5, 5.0]), make_plate("p3", [0.0, 0.0])

    two, three = person.get(address(first, second)), person.get(address(first, second, third))
    wells = person.get(address(first, second, page="/compare/plates")).json()

    assert [plate.title for plate, _ in two.context["plate_views"]] == ["p1", "p2"]
    assert two.context["difference"].rows[7][1][11].look == "d5"
    assert three.context["difference"] is None
    assert wells["rows"] == [["A1", 1.0, 1.5, 0.5], ["H12", 2.0, 5.0, 3.0]]


def test_the_step_of_a_series_of_plates_is_chosen(person):
    values = {"well": ["A1", "A1"], "time": [0.0, 30.0], "value": [1.0, 4.0]}
    roles = PLATE | {"time": "step"}
    plate = make_dataset(values, name="growth", kind="plate", roles=roles)

    later = person.get(address(plate, more="&step=1"))

    assert later.context["plates"].plates[0].wells == {"A1": 4.0}
    assert person.get(address(plate)).context["plates"].plates[0].wells == {"A1": 1.0}


def test_times_of_compared_runs_are_shown_in_the_zone_of_who_reads_and_exported_in_utc(person):
    at = datetime(2026, 11, 26, 20, 30, tzinfo=UTC)
    first, second = make_spectrum("s1", [1.0, 2.0]), make_spectrum("s2", [3.0, 5.0])
    first.run.acquired_at = at
    first.run.save()

    page = person.get(address(first, second)).content.decode()
    exported = person.get(address(first, second, page="/compare/metadata")).json()

    assert 'datetime="2026-11-26T20:30:00+00:00"' in page
    assert "20:30 UTC" not in page
    assert ["Acquired at", "2026-11-26 20:30 UTC", ""] in exported["rows"]


def test_facts_that_differ_come_first_and_what_stands_apart_is_marked(person):
    runs = [
        make_spectrum(f"s{number}", [1.0, 2.0], buffer=buffer, lamp="old")
        for number, buffer in enumerate(("Tris", "Tris", "PBS"))
    ]

    shown = person.get(address(*runs)).context["facts"]
    everything = person.get(address(*runs, more="&facts=all")).context["facts"]

    assert [fact.marks for fact in shown if fact.name == "buffer"] == [[False, False, True]]
    assert "lamp" not in [fact.name for fact in shown]
    assert "lamp" in [fact.name for fact in everything]
    assert [fact.differs for fact in everything] == sorted((fact.differs for fact in everything), reverse=True)


def test_names_in_the_head_of_the_facts_end_their_lines_behind_a_separator(person):
    first, second = make_spectrum("E-coli_37C_plate_12", [1.0, 2.0], lot="a"), make_spectrum("<b>.csv", [3.0, 5.0])

    page = person.get(address(first, second)).content.decode()

    assert ">E-coli_<wbr>37C_<wbr>plate_<wbr>12</a>" in page
    assert ">&lt;b&gt;.<wbr>csv</a>" in page


def test_where_no_value_is_that_of_most_runs_none_stands_apart(person):
    runs = [make_spectrum(f"s{number}", [1.0, 2.0], lot=lot) for number, lot in enumerate(("A", "B", "C"))]

    answer = person.get(address(*runs))

    (lot,) = [fact for fact in answer.context["facts"] if fact.name == "lot"]
    assert lot.marks == [False, False, False]
    assert "no majority" in answer.content.decode()


def test_twenty_runs_are_compared_and_the_rest_is_told(person):
    runs = "&".join(f"run=reader/r{number}" for number in range(23))

    assert "3 more were picked" in " ".join(person.get(f"/compare?{runs}").content.decode().split())


@pytest.mark.parametrize(
    "more", ["", "&run=nobody/none", "&scale=huge&layout=none&up=no", "&name=x&plate=y&step=z", "&find=s"]
)
def test_choices_that_do_not_exist_are_no_error(person, more):
    both = [make_spectrum("s1", [1.0, 2.0]), make_plate("p1", [1.0, 2.0])]

    assert person.get(f"/compare?{more}").status_code == 200
    assert person.get(address(*both, more=more)).status_code == 200


def test_curves_without_a_common_stretch_are_told(person):
    first = make_spectrum("s1", [1.0, 2.0])
    run = make_run(run_id="s2")
    other = make_dataset({"nm": [7.0, 8.0], "au": [1.0, 1.0]}, run=run, name="absorbance", roles=SPECTRUM)

    page = person.get(address(first, other, more="&layout=mean"))

    assert "no stretch of the axis in common" in page.content.decode()
    assert person.get(address(first, other, page="/compare/curve", more="&layout=mean")).status_code == 404


def test_a_deleted_run_is_left_out(person):
    kept, gone = make_spectrum("s1", [1.0, 2.0]), make_spectrum("s2", [3.0, 5.0])
    gone.run.deleted_at, gone.run.deleted_by = datetime(2026, 4, 1, tzinfo=UTC), make_user()
    gone.run.save()

    assert "1 run compared" in person.get(address(kept, gone)).content.decode()


def test_the_button_of_the_list_and_the_page_of_a_run_lead_there(person):
    dataset = make_spectrum("s1", [1.0, 2.0])
    key = f"{dataset.run.instrument_id}/s1"

    answer = person.post("/runs/selection", {"do": "compare", "run": key})
    page = person.get(f"/instruments/{dataset.run.instrument_id}/runs/s1").content.decode()

    assert answer.url == f"/compare?run={dataset.run.instrument_id}%2Fs1"
    assert f'href="/compare?run={key}"' in page


def test_it_asks_the_database_as_often_however_many_runs_there_are(person):
    few = [make_spectrum(f"s{number}", [1.0, 2.0]) for number in range(2)]
    many = [*few, *(make_spectrum(f"t{number}", [1.0, 2.0]) for number in range(10))]
    person.get(address(*few))

    with CaptureQueriesContext(connection) as of_few:
        person.get(address(*few))
    with CaptureQueriesContext(connection) as of_many:
        person.get(address(*many))

    assert len(of_many) == len(of_few) <= 8


def test_spectra_of_wavenumbers_run_to_the_left_as_on_the_page_of_their_run(person):
    run = make_run(run_id="ir")
    values = {"wavenumber": [400.0, 4000.0], "au": [1.0, 2.0]}
    roles = {"wavenumber": "axis", "au": "value"}
    infrared = make_dataset(values, run=run, name="absorbance", roles=roles, units={"wavenumber": "1/cm"})

    over = person.get(address(infrared, page="/compare/curve")).json()
    combined = person.get(address(infrared, page="/combine/curve")).json()

    assert over["x"]["reversed"] is True
    assert combined["x"]["reversed"] is True
    assert "reversed" not in over["y"]
