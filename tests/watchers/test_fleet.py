from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.factories import make_instrument, make_watcher
from watchers.status import is_online
from wire.clock import now

ROUTE = "/api/v1/watchers"


def test_watchers_are_listed_newest_first(as_token):
    at = now()
    first = make_watcher(created_at=at - timedelta(hours=1))
    second = make_watcher(created_at=at, instrument=make_instrument(display_name="Spectrometer"))

    page = as_token("watchers:read").get(ROUTE).json()

    assert [row["id"] for row in page["data"]] == [str(second.pk), str(first.pk)]
    assert page["data"][0]["instrument_display_name"] == "Spectrometer"
    assert page["pagination"] == {"page": 1, "per_page": 20, "total": 2, "total_pages": 1}


def test_deregistered_watchers_are_shown_where_they_are_asked_for(as_token):
    api, gone = as_token(), make_watcher(deleted_at=now())

    assert api.get(ROUTE).json()["data"] == []
    assert [row["id"] for row in api.get(f"{ROUTE}?include_deleted=true").json()["data"]] == [str(gone.pk)]
    assert api.get(f"{ROUTE}/{gone.pk}").json()["deleted_at"] is not None


def test_watchers_of_one_instrument(as_token):
    api, watcher = as_token(), make_watcher()
    make_watcher()

    found = api.get(f"{ROUTE}?instrument_id={watcher.instrument_id}").json()["data"]

    assert [row["id"] for row in found] == [str(watcher.pk)]
    assert api.get(f"{ROUTE}?instrument_id=no-such").json()["data"] == []


@pytest.mark.parametrize("query", ["page=0", "per_page=101", "include_deleted=yes", "include_deleted="])
def test_a_bad_parameter_is_refused_by_name(as_token, query):
    answer = as_token().get(f"{ROUTE}?{query}")

    assert answer.status_code == 400
    assert list(answer.json()["error"]["details"]["fields"]) == [query.partition("=")[0]]


def test_a_bound_token_sees_its_own(as_token):
    watcher, _ = make_watcher(), make_watcher()

    found = as_token(instrument_ids=[watcher.instrument_id]).get(ROUTE).json()["data"]

    assert [row["id"] for row in found] == [str(watcher.pk)]


@pytest.mark.parametrize("watcher_id", ["00000000-0000-4000-8000-000000000000", "x", "1", "%00"])
@pytest.mark.parametrize("route", ["", "/heartbeats", "/events", "/config", "/config-checksum", "/update-check"])
def test_an_unknown_watcher_is_not_found(as_token, watcher_id, route):
    assert as_token().get(f"{ROUTE}/{watcher_id}{route}").status_code == 404


@pytest.mark.parametrize("rows", [1, 20])
def test_the_list_takes_three_queries_whatever_its_length(as_token, rows):
    api = as_token()
    for _ in range(rows):
        make_watcher()
    api.get(ROUTE)

    with CaptureQueriesContext(connection) as queries:
        api.get(ROUTE)

    assert len(queries) == 3


@pytest.mark.parametrize(
    ("stored", "minutes", "shown"),
    [
        ("registered", None, "registered"),
        ("registered", 60, "registered"),
        ("watching", 0, "watching"),
        ("watching", 4.99, "watching"),
        ("watching", 5, "offline"),
        ("watching", 60, "offline"),
        ("stopped", 60, "stopped"),
    ],
)
def test_a_watcher_that_should_be_watching_and_is_not_heard_is_offline(as_token, monkeypatch, stored, minutes, shown):
    at = now()
    monkeypatch.setattr("watchers.serializers.now", lambda: at)
    heard = None if minutes is None else at - timedelta(minutes=minutes)
    watcher = make_watcher(status=stored, last_heartbeat_at=heard)

    assert as_token().get(f"{ROUTE}/{watcher.pk}").json()["status"] == shown
    assert is_online(watcher, at=at) == (shown == "watching")


def test_a_deregistered_watcher_is_neither_online_nor_offline(as_token):
    watcher = make_watcher(status="watching", last_heartbeat_at=now())
    api = as_token()

    api.delete(f"{ROUTE}/{watcher.pk}")

    watcher.refresh_from_db()
    assert api.get(f"{ROUTE}/{watcher.pk}").json()["status"] == "stopped"
    assert not is_online(watcher, at=now())
