"""Few runs are counted and sorted in one look: the page is the one that two looks give."""

from datetime import UTC, datetime, timedelta

import pytest
from django.core import signing
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.callers import caller_for_token
from runs import search as search_module
from runs.models import RunSource
from runs.search import RunSearch, Sort, search_runs
from tests.factories import make_file, make_instrument, make_run, make_token
from wire.clock import now
from wire.lists.cursors import SALT
from wire.lists.pagination import Window

BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
SEARCHES = (
    RunSearch(text="plate"),
    RunSearch(text="plate-1", include_deleted=True),
    RunSearch(terms=("kind=odd",)),
    RunSearch(source=RunSource.SCRIPT, happened_from=BEGAN + timedelta(days=3)),
    RunSearch(text="nowhere"),
    RunSearch(words=("plate", "odd")),
)


@pytest.fixture
def by(db):
    reader = make_instrument(id="reader")
    for number in (5, 1, 10, 3, 8, 2, 11, 4, 9, 7, 6, 0):
        run = make_run(
            run_id=f"plate-{number}",
            instrument=reader,
            source="script",
            caller_metadata={"kind": "odd" if number % 2 else "even"},
            acquired_at=BEGAN + timedelta(days=number * 5 % 7),
        )
        make_file(run=run, size_bytes=number * 7_000 % 11)
    return caller_for_token(make_token())


def read(page):
    where = place_of(page.next_cursor)
    return [run.run_id for run in page.rows], page.total, page.total_is_exact, page.is_last, where


def place_of(cursor):
    """What it says, without the second in which it was signed."""
    return cursor and signing.loads(cursor, salt=SALT)


@pytest.mark.parametrize("most", [10_000, 12, 6, 5, 1, 0])
@pytest.mark.parametrize("search", SEARCHES, ids=lambda search: search.text or "-".join(search.words) or search.source)
def test_each_page_is_that_of_an_exact_total(by, search, most, monkeypatch):
    for sort in Sort:
        for descending, number in ((True, 1), (False, 1), (True, 2), (False, 3), (True, 9)):
            asked = RunSearch(**{**vars(search), "sort": sort, "descending": descending})
            exact = search_runs(asked, window=Window(number, 5), by=by, at=now())
            monkeypatch.setattr(search_module, "MAX_SORTED_MATCHES", most)
            ours = search_runs(asked, window=Window(number, 5, exact_total=False), by=by, at=now())
            monkeypatch.undo()

            assert read(ours)[0] == read(exact)[0]
            if exact.total <= most:
                assert read(ours) == read(exact)
                if exact.rows:
                    assert place_of(ours.cursor_behind(1)) == place_of(exact.cursor_behind(1))


def test_few_are_looked_at_once(by):
    with CaptureQueriesContext(
        connection,
    ) as asked:
        search_runs(RunSearch(text="plate"), window=Window(1, 5, exact_total=False), by=by, at=now())

    assert len(asked) == 2  # which, and what is told of them
