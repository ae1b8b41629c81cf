"""The list of runs: its parameters, order, pages and number of queries."""

import pytest

from runs.models import Claim, Run
from tests.factories import make_file, make_instrument, make_run, make_user
from wire.clock import now

RUNS = "/api/v1/instrument-runs"


@pytest.mark.parametrize(
    ("query", "field"),
    [
        *((f"{name}=", name) for name in ("status", "source", "sort", "order", "ranBy", "date_from", "date_to")),
        *((f"{name}=", name) for name in ("page", "per_page", "updated_since", "include_deleted", "search")),
        ("status=broken", "status"),
        ("status=failed&status=broken", "status"),
        ("ranBy=somebody", "ranBy"),
        ("ranBy=me", "ranBy"),
        ("include_deleted=1", "include_deleted"),
        ("date_from=2026-02-30", "date_from"),
        ("date_from=2026-01-01T00:00:00", "date_from"),
        ("sort=colour", "sort"),
        ("page=0", "page"),
        ("page=1000001", "page"),
        ("per_page=101", "per_page"),
        ("search=a%00b", "search"),
        ("metadata.a=%00", "metadata.a"),
        ("metadata.=x", "metadata."),
        ("metadata.a%3Db=c", "metadata.a=b"),
        ("metadata." + "k" * 65 + "=c", "metadata." + "k" * 65),
    ],
)
def test_a_bad_parameter_is_named(as_token, query, field):
    answer = as_token().get(f"{RUNS}?{query}")

    assert answer.status_code == 400
    assert field in {name.removesuffix(".1").removesuffix(".0") for name in answer.json()["error"]["details"]["fields"]}


@pytest.mark.parametrize(
    ("sort", "run_ids"),
    [
        ("acquired_at", ["c", "b", "a"]),
        ("created_at", ["b", "a", "c"]),
        ("updated_at", ["a", "c", "b"]),
        ("run_id", ["c", "b", "a"]),
        ("total_size_bytes", ["b", "c", "a"]),
    ],
)
def test_lists_are_sorted_by_what_is_asked(found, sort, run_ids):
    at = "2026-01-0{}T00:00Z".format
    for run_id, acquired, created, updated, size in [("a", 1, 2, 3, 5), ("b", 2, 3, 1, 7), ("c", 3, 1, 2, 6)]:
        run = make_run(run_id=run_id, acquired_at=at(acquired), created_at=at(created))
        make_file(run=run, size_bytes=size)
        Run.objects.filter(pk=run.pk).update(updated_at=at(updated))

    assert found(f"sort={sort}") == run_ids
    assert found(f"sort={sort}&order=asc") == run_ids[::-1]


def test_pages_neither_repeat_nor_lose_a_run(as_token):
    instrument = make_instrument(id="reader")
    made = {make_run(instrument=instrument, acquired_at="2026-01-01T00:00Z").run_id for _ in range(7)}
    api = as_token()

    pages = [api.get(f"/api/v1/instruments/reader/runs?per_page=3&page={page}").json() for page in (1, 2, 3, 4)]

    assert [len(page["data"]) for page in pages] == [3, 3, 1, 0]
    assert {row["run_id"] for page in pages for row in page["data"]} == made
    assert pages[3]["pagination"] == {"page": 4, "per_page": 3, "total": 7, "total_pages": 3}


def test_an_unknown_instrument_in_the_path_is_not_there(as_token):
    assert as_token().get("/api/v1/instruments/nowhere/runs").status_code == 404


def test_the_kept_total_is_what_is_visible(as_token):
    make_run(instrument=make_instrument(id="a"))
    make_run(instrument=make_instrument(id="b"))

    answer = as_token(instrument_ids=["a"]).get(RUNS).json()

    assert answer["pagination"]["total"] == len(answer["data"]) == 1


@pytest.mark.parametrize("query", ["", "instrument_id=a", "status=pending_upload", "ranBy=unattributed", "search=run"])
def test_a_list_takes_three_queries_however_many_rows(as_token, django_assert_num_queries, query):
    reader = make_instrument(id="a")
    for _ in range(12):
        run = make_run(instrument=reader, acquired_at="2026-01-01T00:00Z")
        make_file(run=run)
    Claim.objects.bulk_create(Claim(run=run, user=make_user()) for _ in range(3))
    api = as_token(last_used_at=now())

    with django_assert_num_queries(3):
        answer = api.get(f"{RUNS}?{query}")

    assert answer.status_code == 200


def test_a_detail_takes_three_queries_however_many_files(as_token, django_assert_num_queries):
    run = make_run(instrument=make_instrument(id="a"), run_id="7")
    for _ in range(12):
        make_file(run=run)
        Claim.objects.create(run=run, user=make_user())
    api = as_token(last_used_at=now())

    with django_assert_num_queries(3):
        answer = api.get("/api/v1/instruments/a/runs/7")

    assert len(answer.json()["files"]) == 12


def test_rows_have_the_members_that_are_asked_for(as_token):
    run = make_run(instrument=make_instrument(id="a"))
    make_file("x.csv", run=run)
    api = as_token()

    rows = [
        api.get(f"/api/v1/{path}?fields=id,status").json()["data"]
        for path in ("instrument-runs", "instruments/a/runs", f"instruments/a/runs/{run.run_id}/files")
    ]

    assert [[set(row) for row in page] for page in rows] == [[{"id", "status"}]] * 3


@pytest.mark.parametrize("fields", ["", "id,", "id,colour", "caller_metadata", "id,%00"])
def test_a_field_that_no_row_has_is_refused(as_token, fields):
    answer = as_token().get(f"{RUNS}?fields={fields}")

    assert answer.status_code == 400
    assert list(answer.json()["error"]["details"]["fields"]) == ["fields"]
