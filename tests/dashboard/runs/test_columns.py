"""The columns of the run list: chosen, ordered and typed by the person, all of it in the address."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from runs.projects.models import Project
from tests.factories import make_instrument, make_run, make_user

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}


@pytest.fixture
def page(client):
    """page("/runs?columns=run,size") is the text of that page."""
    client.force_login(make_user())

    def read(address, **headers):
        response = client.get(address, headers=headers)
        assert response.status_code == 200, response.content
        return response.content.decode()

    return read


def headings(page):
    head = page[page.index("<thead") : page.index("</thead")]
    return re.sub(r"<[^>]+>|\s+", " ", head).split()


def test_the_address_says_which_columns_there_are_and_their_order(page):
    make_run(run_id="refold", caller_metadata={"od600": 0.42}, tags=["qc"])

    shown = page("/runs?columns=run%2Cmetadata.od600%2Ctags%2Cstarted")

    assert headings(shown) == ["Run", "od600", "Tags", "Started"]
    assert 'data-label="od600" title="0.42"' in shown
    assert 'data-label="Tags" title="qc"' in shown


def test_metadata_that_is_numbers_alone_stands_as_numbers_do(page):
    make_run(caller_metadata={"od600": 0.42, "lot": "7", "buffer": "Tris", "dark": True})
    make_run(caller_metadata={"od600": "25.0", "lot": "7b", "buffer": "PBS", "dark": False})

    shown = page("/runs?columns=run%2Cmetadata.od600%2Cmetadata.lot%2Cmetadata.buffer%2Cmetadata.dark")

    heads = re.findall(r'<th\s+scope="col"\s+class="([^"]*)"\s+data-column="metadata\.(\w+)"', shown)
    assert {name: "num" in css.split() for css, name in heads} == {
        "od600": True,
        "lot": False,
        "buffer": False,
        "dark": False,
    }


def test_without_choice_the_usual_columns_stand_there(page):
    make_run()

    assert " ".join(headings(page("/runs"))) == "Run Status Instrument Ran by Files Size Started Comments"


def test_the_page_of_an_instrument_leaves_its_name_out_unless_asked(page):
    make_run(instrument=make_instrument(id="cary"))

    assert "Instrument" not in headings(page("/instruments/cary"))
    assert headings(page("/instruments/cary?columns=run%2Cinstrument")) == ["Run", "Instrument"]


@pytest.mark.parametrize(
    ("asked", "answered"),
    [
        ("columns=run&columns=size", "columns=run%2Csize"),
        ("columns=run,size&columns=size", "columns=run%2Csize"),
        ("columns=run&column=od600", "columns=run%2Cmetadata.od600"),
        ("columns=run&column=size", "columns=run%2Csize"),
        ("columns=run,size,tags&up=tags", "columns=run%2Ctags%2Csize#columns"),
        ("columns=run,size,tags&down=tags", "columns=run%2Csize%2Ctags#columns"),
        ("columns=run,size&up=nonsense", "columns=run%2Csize#columns"),
        ("density=normal&columns=size", "columns=size"),
    ],
)
def test_the_form_of_columns_leads_to_the_one_spelling(client, asked, answered):
    client.force_login(make_user())

    response = client.get(f"/runs?{asked}")

    assert (response.status_code, response["Location"]) == (302, f"/runs?{answered}")


def test_a_moved_column_leaves_the_menu_open(page):
    make_run()

    assert "open" in page("/runs?columns=run&columns=size&up=size", **HTMX).split("columns-menu")[0][-200:]


@pytest.mark.parametrize(
    ("columns", "told"),
    [
        ("weight", "There is no column weight."),
        ("metadata.", "There is no column metadata.."),
        ("metadata.a b", "There is no column metadata.a b."),
        (",".join(f"metadata.k{n}" for n in range(13)), "At most 12 columns fit a list."),
    ],
)
def test_columns_that_cannot_be_are_refused_with_a_sentence(client, columns, told):
    client.force_login(make_user())

    response = client.get("/runs", {"columns": columns})

    assert response.status_code == 400
    assert told in response.content.decode()


def test_the_menu_offers_what_the_runs_have(page):
    make_run(caller_metadata={"od600": 0.4, "odd key": 1})

    shown = page("/runs")

    assert 'name="columns" value="metadata.od600"' in shown
    assert "metadata.odd key" not in shown


def test_the_keys_of_the_one_instrument_come_as_a_fragment(page):
    make_run(instrument=make_instrument(id="cary"), caller_metadata={"buffer": "Tris", "od600": 1})

    offered = page("/runs/options?instrument_id=cary&columns=run%2Cmetadata.buffer&of=columns", **HTMX)

    assert 'value="metadata.od600"' in offered
    assert 'value="metadata.buffer"' not in offered


def test_filters_and_pages_keep_the_columns(page):
    for _ in range(51):
        make_run(caller_metadata={"od600": 1})

    shown = page("/runs?columns=run%2Cmetadata.od600&density=compact&status=empty")

    assert 'type="hidden" name="columns" value="run,metadata.od600"' in shown
    assert 'class="list work compact"' in shown
    assert 'href="/runs?columns=run%2Cmetadata.od600&amp;density=compact"' in shown  # clear all
    assert "columns=run%2Cmetadata.od600&amp;density=compact&amp;page=2" in shown


def test_projects_as_a_column_cost_one_question_however_many(client, monkeypatch):
    monkeypatch.setattr("dashboard.runs.lists.MAX_OFFERED_PROJECTS", 1)
    client.force_login(make_user())
    for number in range(5):
        make_run(project=Project.objects.create(name=f"Study {number}"))

    def count():
        with CaptureQueriesContext(connection) as asked:
            shown = client.get("/runs?columns=run%2Cproject").content.decode()
        return len(asked), shown

    count()
    few, shown = count()
    make_run(project=Project.objects.create(name="Study 9"))

    assert "Study 4" in shown
    assert count()[0] == few <= 12
