import uuid
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext, override_settings

from accounts import rate_limits as rates
from accounts.callers import caller_for_token
from tests.factories import make_token, make_watcher
from tests.races import at_once
from watchers.choices import EventType
from watchers.events import NewEvent, store_events
from watchers.models import WatcherEvent
from wire.clock import format_timestamp, now

KINDS = (
    "watcher_started watcher_stopped config_synced run_reported file_uploaded "
    "upload_failed error update_started update_succeeded update_failed uploads_paused uploads_resumed"
)


def route(watcher):
    return f"/api/v1/watchers/{watcher.pk}/events"


def moment(given):
    """A time as it is written, or so long from now."""
    return format_timestamp(now() + given) if isinstance(given, timedelta) else given


def event(**fields):
    return {"event_type": "file_uploaded", "timestamp": "2024-11-21T08:00:00Z", "message": "a.raw"} | fields


def test_a_batch_is_stored_and_counted(as_token):
    api = as_token("watchers:report")
    watcher = make_watcher(token=api.token)

    answer = api.post(route(watcher), {"events": [event(), event(message="b.raw")]})

    assert answer.status_code == 201
    assert answer.json() == {"received": 2, "duplicates": 0}
    assert set(WatcherEvent.objects.values_list("watcher_id", "message")) == {
        (watcher.pk, "a.raw"),
        (watcher.pk, "b.raw"),
    }


def test_an_event_reads_as_it_was_sent(as_token):
    api, its_id = as_token(), str(uuid.uuid4())
    watcher = make_watcher(token=api.token)
    details = {"größe": 12345678901234567890, "parts": [1.5, None, {"ok": True}], "text": "é\t€\n"}
    api.post(
        route(watcher), {"events": [event(id=its_id, timestamp="2024-11-21T10:00:00.1234+02:00", details=details)]}
    )

    row = api.get(route(watcher)).json()["data"][0]

    stored = WatcherEvent.objects.get()
    assert row == {
        "id": its_id,
        "event_type": "file_uploaded",
        "timestamp": "2024-11-21T08:00:00.123Z",
        "message": "a.raw",
        "details": details,
        "received_at": format_timestamp(stored.received_at),
    }


def test_line_ends_become_lf_in_messages_and_details(as_token):
    api = as_token()
    watcher = make_watcher(token=api.token)

    api.post(route(watcher), {"events": [event(message="a\r\nb\rc", details={"t": ["x\r\ny"]})]})

    stored = WatcherEvent.objects.get()
    assert (stored.message, stored.details) == ("a\nb\nc", {"t": ["x\ny"]})


def test_a_repeated_batch_is_known(as_token):
    api = as_token()
    watcher = make_watcher(token=api.token)
    batch = [event(id=str(uuid.uuid4())) for _ in range(3)]
    api.post(route(watcher), {"events": batch})

    answer = api.post(route(watcher), {"events": [*batch, event(id=str(uuid.uuid4()))]})

    assert answer.status_code == 201
    assert answer.json() == {"received": 4, "duplicates": 3}
    assert WatcherEvent.objects.count() == 4


def test_a_twin_inside_one_batch_counts_once(as_token):
    api, one = as_token(), event(id=str(uuid.uuid4()))

    answer = api.post(route(make_watcher(token=api.token)), {"events": [one, one]})

    assert answer.json() == {"received": 2, "duplicates": 1}


def test_two_watchers_may_use_the_same_id(as_token):
    api, one = as_token(), event(id=str(uuid.uuid4()))
    first, second = make_watcher(token=api.token), make_watcher(token=api.token)

    answers = [api.post(route(watcher), {"events": [one]}).json() for watcher in (first, second)]

    assert answers == 2 * [{"received": 1, "duplicates": 0}]


def test_events_without_an_id_are_all_stored(as_token):
    api = as_token()

    answer = api.post(route(make_watcher(token=api.token)), {"events": [event(), event(id=None)]})

    assert answer.json() == {"received": 2, "duplicates": 0}


@pytest.mark.parametrize(
    "bad",
    [
        event(event_type="odd"),
        {"timestamp": "2024-11-21T08:00:00Z", "message": "x"},
        {"event_type": "error", "message": "x"},
        {"event_type": "error", "timestamp": "2024-11-21T08:00:00Z"},
        event(timestamp="x"),
        event(timestamp="2024-11-21T08:00:00"),
        event(message=""),
        event(message=5),
        event(message="x" * 10_001),
        event(details="text"),
        event(details=[1]),
        event(id="no-uuid"),
        event(id=7),
        "text",
        None,
        [],
    ],
)
def test_one_bad_item_is_named_by_its_index_and_nothing_is_stored(as_token, bad):
    api = as_token()

    answer = api.post(route(make_watcher(token=api.token)), {"events": [event(), event(), bad]})

    named = list(answer.json()["error"]["details"]["fields"])
    assert answer.status_code == 400
    assert [name.split(".")[:2] for name in named] == [["events", "2"]]
    assert not WatcherEvent.objects.exists()


@pytest.mark.parametrize(
    "timestamp",
    ["1999-12-31T23:59:59.999Z", "1970-01-01T00:00:00Z", "9999-12-31T00:00:00Z", timedelta(days=1, minutes=1)],
)
def test_a_time_that_no_clock_can_mean_is_named_by_its_index(as_token, timestamp):
    api = as_token()

    answer = api.post(route(make_watcher(token=api.token)), {"events": [event(), event(timestamp=moment(timestamp))]})

    assert answer.status_code == 400
    assert list(answer.json()["error"]["details"]["fields"]) == ["events.1.timestamp"]
    assert not WatcherEvent.objects.exists()


@pytest.mark.parametrize("timestamp", ["2000-01-01T00:00:00Z", timedelta(hours=23)])
def test_times_from_2000_to_tomorrow_are_taken(as_token, timestamp):
    api = as_token()

    answer = api.post(route(make_watcher(token=api.token)), {"events": [event(timestamp=moment(timestamp))]})

    assert answer.status_code == 201


@pytest.fixture
def few_events(monkeypatch):
    """At most five events in an hour, which is over in no test."""
    monkeypatch.setattr(rates, "EVENTS", rates.RateLimit("events", max_hits=5, seconds=3_600))


def test_a_flood_of_events_is_told_when_to_come_back(as_token, few_events):
    api = as_token()
    watcher = make_watcher(token=api.token)
    api.post(route(watcher), {"events": 3 * [event()]})

    answer = api.post(route(watcher), {"events": 3 * [event()]})

    assert answer.status_code == 429
    assert 1 <= int(answer.headers["Retry-After"]) <= 3_600
    assert WatcherEvent.objects.count() == 3


def test_what_was_refused_does_not_count(as_token, few_events):
    api = as_token()
    watcher = make_watcher(token=api.token)
    api.post(route(watcher), {"events": 3 * [event()]})
    api.post(route(watcher), {"events": 3 * [event()]})

    answer = api.post(route(watcher), {"events": 2 * [event()]})

    assert answer.status_code == 201


def test_a_flood_of_one_token_is_none_of_another(as_token, few_events):
    loud, quiet = as_token(), as_token()
    loud.post(route(make_watcher(token=loud.token)), {"events": 5 * [event()]})

    answer = quiet.post(route(make_watcher(token=quiet.token)), {"events": 5 * [event()]})

    assert answer.status_code == 201


def test_heartbeats_pass_in_a_flood_of_events(as_token, few_events):
    api = as_token()
    watcher = make_watcher(token=api.token)
    api.post(route(watcher), {"events": 5 * [event()]})

    answer = api.post(f"/api/v1/watchers/{watcher.pk}/heartbeat", {"status": "watching"})

    assert answer.status_code == 200


@override_settings(
    CACHES={"default": {"BACKEND": "wire.cache.FailOpenRedisCache", "LOCATION": "redis://127.0.0.1:9/0"}}
)
def test_no_event_is_refused_while_the_cache_is_away(as_token, few_events):
    api = as_token()

    answer = api.post(route(make_watcher(token=api.token)), {"events": 500 * [event()]})

    assert answer.status_code == 201


@pytest.mark.parametrize("bad", [event(message="a\0"), event(details={"a\0": 1}), event(details={"a": ["\x01"]})])
def test_control_characters_anywhere_are_refused(as_token, bad):
    api = as_token()

    answer = api.post(route(make_watcher(token=api.token)), {"events": [event(), bad]})

    assert answer.status_code == 400
    assert list(answer.json()["error"]["details"]["fields"]) == ["events.1"]
    assert not WatcherEvent.objects.exists()


@pytest.mark.parametrize("events", [None, [], "text", {}, 501 * [event()]])
def test_a_batch_is_one_to_five_hundred_events(as_token, events):
    api = as_token()

    answer = api.post(route(make_watcher(token=api.token)), {"events": events})

    assert answer.status_code == 400
    assert list(answer.json()["error"]["details"]["fields"]) == ["events"]


def test_five_hundred_are_stored_in_three_queries(as_token):
    api = as_token()
    watcher = make_watcher(token=api.token)
    api.get(route(watcher))  # stamps the token's use

    with CaptureQueriesContext(connection) as queries:
        answer = api.post(route(watcher), {"events": 500 * [event()]})

    assert answer.json() == {"received": 500, "duplicates": 0}
    assert len(queries) == 3


def test_each_kind_is_accepted(as_token):
    api = as_token()

    answer = api.post(
        route(make_watcher(token=api.token)), {"events": [event(event_type=kind) for kind in KINDS.split()]}
    )

    assert answer.status_code == 201


@pytest.mark.django_db(transaction=True)
def test_a_batch_sent_many_times_at_once_is_stored_once():
    token = make_token()
    watcher, by = make_watcher(token=token), caller_for_token(token)
    batch = [NewEvent(EventType.ERROR, now(), "m", id=uuid.uuid4()) for _ in range(50)]

    def send(number: int) -> int:
        shuffled = batch if number % 2 else batch[::-1]
        return store_events(watcher.pk, events=shuffled, by=by, at=now()).duplicates

    duplicates = at_once(12, send)

    assert WatcherEvent.objects.count() == 50
    assert sum(50 - known for known in duplicates) == 50
