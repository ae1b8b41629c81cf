from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.factories import make_event, make_watcher
from wire.clock import now


def route(watcher):
    return f"/api/v1/watchers/{watcher.pk}/events"


def event(**fields):
    return {"event_type": "file_uploaded", "timestamp": "2026-11-21T08:00:00Z", "message": "a.raw"} | fields


def test_events_are_listed_newest_first_by_their_own_clock(as_token):
    watcher, at = make_watcher(), now()
    make_event(watcher=watcher, message="old", happened_at=at - timedelta(days=2))
    make_event(watcher=watcher, message="new", happened_at=at)
    make_event(watcher=watcher, message="mid", happened_at=at - timedelta(days=1))
    make_event(message="elsewhere")

    rows = as_token("watchers:read").get(route(watcher)).json()["data"]

    assert [row["message"] for row in rows] == ["new", "mid", "old"]


def test_events_of_one_moment_keep_the_order_of_their_batch(as_token):
    api = as_token()
    watcher = make_watcher(token=api.token)
    api.post(route(watcher), {"events": [event(message=str(number)) for number in range(50)]})

    rows = api.get(f"{route(watcher)}?per_page=50").json()["data"]

    assert [row["message"] for row in rows] == [str(number) for number in reversed(range(50))]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("event_type=error", ["b", "a"]),
        ("since=2026-02-01T00:00:00Z", ["c", "b"]),
        ("since=2026-02-01", ["c", "b"]),
        ("event_type=error&since=2026-02-01T00:00:00.001Z", []),
        ("event_type=update_failed", []),
    ],
)
def test_events_are_filtered(as_token, query, found):
    api = as_token()
    watcher = make_watcher(token=api.token)
    batch = [
        event(event_type="error", timestamp="2026-01-01T00:00:00Z", message="a"),
        event(event_type="error", timestamp="2026-02-01T00:00:00Z", message="b"),
        event(event_type="run_reported", timestamp="2026-03-01T00:00:00Z", message="c"),
    ]
    api.post(route(watcher), {"events": batch})

    rows = api.get(f"{route(watcher)}?{query}").json()["data"]

    assert [row["message"] for row in rows] == found


@pytest.mark.parametrize("query", ["since=yesterday", "since=", "event_type=odd", "event_type=", "per_page=0"])
def test_a_bad_filter_is_refused_by_name(as_token, query):
    answer = as_token().get(f"{route(make_watcher())}?{query}")

    assert answer.status_code == 400
    assert list(answer.json()["error"]["details"]["fields"]) == [query.partition("=")[0]]


def test_the_list_takes_four_queries(as_token):
    api, watcher = as_token(), make_watcher()
    for _ in range(5):
        make_event(watcher=watcher)
    api.get(route(watcher))

    with CaptureQueriesContext(connection) as queries:
        api.get(route(watcher))

    assert len(queries) == 4
