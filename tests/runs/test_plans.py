"""Each list query can use the index that was made for it: its plan at small size, sequential scans ruled out."""

import re
from dataclasses import replace
from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.callers import caller_for_token
from runs import search
from runs.metadata_terms import format_term
from runs.models import Claim, Run
from runs.search import RunSearch, Sort, filter_runs, search_runs
from runs.status import RunStatus
from tests.factories import make_file, make_instrument, make_run, make_token, make_user
from wire.clock import now
from wire.lists.pagination import Window

NOW = now() + timedelta(days=1)  # later than all that the tests make, however long after this they run
THIS_MONTH = RunSearch(happened_from=NOW - timedelta(days=31), happened_to=NOW)


@pytest.fixture
def by(db):
    """A caller; and a few runs of every kind."""
    for number in range(30):
        run = make_run(instrument=make_instrument(), caller_metadata={"plate": f"P-{number}"})
        make_file(run=run, status="processing" if number % 2 else "failed")
    people = [make_user() for _ in range(10)]
    Claim.objects.bulk_create(Claim(run=run, user=user) for run in Run.objects.filter(n_failed=0) for user in people)
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("REINDEX TABLE runs_run")  # what earlier tests rolled back weighs on some indexes, not on others
        cursor.execute("SET LOCAL enable_seqscan = off; SET LOCAL enable_sort = off")
    analyze()
    return caller_for_token(make_token())


def analyze() -> None:
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE runs_run, runs_claim")


def plan(sql: str) -> str:
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN {sql}")
        return "\n".join(line for (line,) in cursor.fetchall())


def plan_of_page(asked: RunSearch, by) -> str:
    with CaptureQueriesContext(connection) as queries:
        search_runs(asked, window=Window(), by=by, at=NOW)
    return plan(queries[-1]["sql"])


@pytest.mark.parametrize(
    ("asked", "index"),
    [
        (RunSearch(), "runs_by_time"),
        (RunSearch(descending=False), "runs_by_time"),
        (RunSearch(instrument_ids=("a",)), "runs_of_instrument_by_time"),
        (THIS_MONTH, "runs_by_time"),
        (RunSearch(sort=Sort.CREATED_AT), "runs_by_creation"),
        (RunSearch(sort=Sort.RUN_ID), "runs_by_name"),
        (RunSearch(sort=Sort.RUN_ID, unattributed=True), "runs_by_name"),
        (RunSearch(sort=Sort.TOTAL_SIZE_BYTES), "runs_by_size"),
        (RunSearch(sort=Sort.TOTAL_SIZE_BYTES, unattributed=True, descending=False), "runs_by_size"),
        (RunSearch(statuses=(RunStatus.FAILED,)), "unfinished_runs_by_time"),
        (RunSearch(unattributed=True), "unattributed_runs_by_time"),
    ],
)
def test_the_walk_follows_its_index(by, monkeypatch, asked, index):
    monkeypatch.setattr(search, "MAX_SORTED_MATCHES", -1)
    make_run(instrument=make_instrument(id="a"))
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_bitmapscan = off")

    assert f"Index Scan using {index}" in re.sub(r"Only |Backward ", "", plan_of_page(asked, by))


@pytest.mark.parametrize(
    ("asked", "index"),
    [
        (RunSearch(terms=(format_term("plate", "P-1"),)), "runs_by_term"),
        (RunSearch(text="rare"), "runs_by_part_of_run_id"),
        (RunSearch(statuses=(RunStatus.STALLED,)), "processing_runs"),
        (RunSearch(statuses=(RunStatus.FAILED,)), "unfinished_runs_by_time"),
        (RunSearch(claimed_by=uuid4()), "one_claim_per_person_and_run"),
    ],
)
def test_the_matches_are_found_by_their_index(by, asked, index):
    home = make_instrument()
    Run.objects.bulk_create(Run(instrument=home, run_id=f"other {number}") for number in range(800))
    analyze()

    with CaptureQueriesContext(connection) as queries:
        filter_runs(asked, by=by, at=NOW).count()

    assert index in plan(queries[-1]["sql"])


@pytest.mark.parametrize(
    "asked",
    [
        RunSearch(statuses=(RunStatus.STALLED,)),
        RunSearch(statuses=(RunStatus.FAILED, RunStatus.PROCESSING)),
        RunSearch(text="run", sort=Sort.CREATED_AT, descending=False),
        RunSearch(text="run", sort=Sort.RUN_ID),
        RunSearch(text="run", sort=Sort.TOTAL_SIZE_BYTES),
        replace(THIS_MONTH, unattributed=True),
    ],
)
def test_both_roads_lead_to_the_same_rows(by, monkeypatch, asked):
    roads = []
    for limit in (-1, 10_000):
        monkeypatch.setattr(search, "MAX_SORTED_MATCHES", limit)
        roads.append([run.pk for run in search_runs(asked, window=Window(per_page=7), by=by, at=NOW).rows])

    assert roads[0] == roads[1] != []


def test_the_latest_changes_are_found_by_ranges(by):
    assert "runs_by_change" in Run.objects.filter(updated_at__gte=NOW - timedelta(days=1)).explain()


@pytest.mark.parametrize("descending", [True, False])
@pytest.mark.parametrize("hours", [(), (1,), (1, 5), (1, 5, 40)])
def test_pages_by_last_change_are_whole_whatever_stretches_are_asked(by, monkeypatch, hours, descending):
    monkeypatch.setattr(search, "MAX_SORTED_MATCHES", -1)
    monkeypatch.setattr("runs.last_changes.STRETCHES", tuple(timedelta(hours=hour) for hour in hours))
    for number, run in enumerate(Run.objects.order_by("pk")):
        Run.objects.filter(pk=run.pk).update(
            created_at=NOW - timedelta(hours=30), updated_at=NOW - timedelta(hours=number)
        )
    asked, found, cursor = RunSearch(sort=Sort.UPDATED_AT, descending=descending), [], ""

    while cursor is not None:
        page = search_runs(asked, window=Window(per_page=7, cursor=cursor), by=by, at=NOW)
        found += [run.pk for run in page.rows]
        cursor = page.next_cursor

    ordered = Run.objects.order_by("-updated_at" if descending else "updated_at", "pk")
    assert found == list(ordered.values_list("pk", flat=True))


@pytest.mark.parametrize("most", [-1, 10_000])
@pytest.mark.parametrize("descending", [True, False])
def test_pages_by_size_are_in_order_within_and_across_classes(by, monkeypatch, descending, most):
    monkeypatch.setattr(search, "MAX_SORTED_MATCHES", most)
    home = make_instrument()
    sizes = [2**power + more for power in range(0, 63, 3) for more in (-1, 0, 1, 1)]
    for number, size in enumerate(sizes):
        Run.objects.filter(pk=make_run(run_id=f"{number}", instrument=home).pk).update(total_size_bytes=size)
    asked = RunSearch(instrument_ids=(home.pk,), sort=Sort.TOTAL_SIZE_BYTES, descending=descending, unattributed=True)
    found, cursor = [], ""

    while cursor is not None:
        page = search_runs(asked, window=Window(per_page=7, cursor=cursor), by=by, at=NOW)
        found += [(run.total_size_bytes, run.pk) for run in page.rows]
        cursor = page.next_cursor

    assert found == sorted(found, reverse=descending)
    assert sorted(size for size, _ in found) == sorted(sizes)


def test_two_letters_of_many_names_are_not_looked_for_in_the_index_of_trigrams(by, monkeypatch):
    monkeypatch.setattr(search, "MAX_SORTED_MATCHES", 0)
    bound = replace(by, instrument_ids=tuple(Run.objects.values_list("instrument_id", flat=True)))

    with CaptureQueriesContext(connection) as queries:
        filter_runs(RunSearch(text="ru"), by=bound, at=NOW).count()

    assert "runs_by_part_of_run_id" not in plan(queries[-1]["sql"])


@pytest.mark.parametrize("most", [0, 50_000])
@pytest.mark.parametrize("sort", [Sort.CREATED_AT, Sort.RUN_ID])
def test_a_short_time_is_gathered_in_other_orders(by, monkeypatch, sort, most):
    monkeypatch.setattr(search, "MAX_SORTED_MATCHES", -1)
    monkeypatch.setattr(search, "MAX_OF_SHORT_TIME", most)

    with CaptureQueriesContext(connection) as queries:
        search_runs(replace(THIS_MONTH, sort=sort), window=Window(), by=by, at=NOW)

    assert ("ORDER BY COALESCE" in queries[-1]["sql"]) == (most > 0)


def test_gathering_is_an_order_no_index_serves(by):
    asked = RunSearch(statuses=(RunStatus.FAILED,))

    with CaptureQueriesContext(connection) as queries:
        search_runs(asked, window=Window(), by=by, at=NOW)

    assert 'ORDER BY COALESCE(U0."happened_at"' in queries[-1]["sql"].replace('"runs_run".', "U0.")


def test_the_ids_are_paged_before_the_wide_rows_are_joined(by):
    with CaptureQueriesContext(connection) as queries:
        search_runs(RunSearch(), window=Window(), by=by, at=NOW)

    assert re.search(r'"id" IN \(SELECT U0\."id" .* LIMIT 20\)', queries[-1]["sql"])
    assert Run.objects.count() > 20


def test_of_a_whole_run_id_the_trigrams_of_its_end_are_read(by):
    """Those of a date are in every run of the day, and in all of a year; the rest of it is compared."""
    with CaptureQueriesContext(connection) as queries:
        list(filter_runs(RunSearch(text="20250703_Standard_532422"), by=by, at=NOW))

    asked = plan(queries[0]["sql"]).partition("runs_by_part_of_run_id")[2].partition("Index Cond: ")[2]
    assert "_532422%" in asked
    assert "20250703" not in asked


def test_a_whole_run_id_is_looked_for_once(by):
    """The exact total and the page come of one look, where few have the end of it."""
    make_run(run_id="20250703_Standard_532422")

    with CaptureQueriesContext(connection) as queries:
        page = search_runs(RunSearch(text="20250703_standard_532422"), window=Window(), by=by, at=NOW)

    assert (page.total, page.total_is_exact, len(page.rows)) == (1, True, 1)
    assert sum("532422" in query["sql"] for query in queries) == 1
