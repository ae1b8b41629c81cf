"""Totals that need not be exact: counted so far, and said to be no more than that."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils.html import strip_tags

from runs import search
from tests.factories import make_file, make_instrument, make_run
from tests.markup import flat
from wire.lists import pagination

pytestmark = pytest.mark.django_db
RUNS = "/api/v1/instrument-runs"
FILTERED = f"{RUNS}?source=script"


@pytest.fixture(autouse=True)
def three_are_counted(monkeypatch):
    monkeypatch.setattr(pagination, "MAX_COUNTED", 3)
    monkeypatch.setattr(search, "MAX_SORTED_MATCHES", 3)


@pytest.fixture
def reader():
    return make_instrument(id="reader")


def plant(instrument, count):
    for number in range(count):
        make_run(instrument=instrument, run_id=f"r{number}")


def told(api, address):
    return api.get(address).json()["pagination"]


def test_nobody_gets_an_inexact_total_who_did_not_ask(as_token, reader):
    plant(reader, 5)

    assert told(as_token(), FILTERED) == {"page": 1, "per_page": 20, "total": 5, "total_pages": 1}


@pytest.mark.parametrize(("count", "total", "is_exact"), [(2, 2, True), (3, 3, True), (4, 3, False)])
def test_rows_are_counted_so_far(as_token, reader, count, total, is_exact):
    plant(reader, count)

    asked = told(as_token(), f"{FILTERED}&exact_total=false")

    assert (asked["total"], asked["total_is_exact"]) == (total, is_exact)


def test_a_total_that_is_kept_stays_exact(as_token, reader):
    plant(reader, 5)

    asked = told(as_token(), f"{RUNS}?exact_total=false")

    assert (asked["total"], asked["total_is_exact"]) == (5, True)


def test_pages_behind_the_last_that_was_counted_are_there(as_token, reader):
    plant(reader, 7)
    api, address = as_token(), f"{FILTERED}&exact_total=false&per_page=2&sort=run_id&order=asc"

    pages = [api.get(f"{address}&page={number}").json() for number in (1, 2, 3, 4, 5)]

    assert [[row["run_id"] for row in page["data"]] for page in pages] == [
        ["r0", "r1"],
        ["r2", "r3"],
        ["r4", "r5"],
        ["r6"],
        [],
    ]
    assert [page["pagination"]["total_pages"] for page in pages] == [2, 3, 4, 2, 2]


def test_cursors_go_to_the_end_all_the_same(as_token, reader):
    plant(reader, 7)
    api, cursor, seen = as_token(), "", []
    while cursor is not None:
        body = api.get(f"{FILTERED}&exact_total=false&per_page=2&cursor={cursor}").json()
        seen += [row["run_id"] for row in body["data"]]
        cursor = body["pagination"]["next_cursor"]

    assert sorted(seen) == [f"r{number}" for number in range(7)]


def test_every_list_takes_it(as_token, reader):
    run = make_run(instrument=reader, run_id="r")
    for number in range(5):
        make_file(run=run, filename=f"{number}.csv")

    asked = told(as_token(), "/api/v1/instruments/reader/runs/r/files?exact_total=false&per_page=2")

    assert (asked["total"], asked["total_is_exact"]) == (3, False)


def test_the_page_says_that_there_are_more_and_leads_to_them(as_admin, reader):
    plant(reader, 7)

    page = flat(as_admin().get("/runs?source=script&per_page=2&page=2"))

    assert "4 of 3+" in strip_tags(page)
    assert 'rel="next"' in page


def test_neither_is_a_list_sorted_that_has_more_than_were_counted(as_token, reader):
    """In the order of time by its index, as many matches are: not gathered, which would read them all."""
    plant(reader, 5)

    with CaptureQueriesContext(connection) as queries:
        rows = as_token().get(f"{FILTERED}&exact_total=false").json()["data"]

    assert [row["run_id"] for row in rows] == ["r4", "r3", "r2", "r1", "r0"]
    assert not [query for query in queries if "ORDER BY COALESCE" in query["sql"]]


def test_a_bad_value_is_named(as_token, reader):
    answer = as_token().get(f"{RUNS}?exact_total=perhaps")

    assert answer.status_code == 400
    assert list(answer.json()["error"]["details"]["fields"]) == ["exact_total"]
