from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.callers import caller_for_token
from accounts.trail.rows import find_trail_model
from tests.factories import make_file, make_instrument, make_release, make_run, make_token, make_watcher
from tests.races import at_once
from watchers.choices import WatcherStatus
from watchers.heartbeats import HeartbeatReport, record_heartbeat
from watchers.models import Heartbeat, Watcher
from watchers.ownership import WatcherDeregistered
from wire.clock import format_timestamp, now

WHOLE = {
    "status": "watching",
    "timestamp": "2026-11-20T10:00:00+02:00",
    "agent_version": "1.2.3",
    "upload_mode": "manual",
    "watch_directory": "C:\\data",
    "files_uploaded": 1,
    "runs_reported": 2,
    "errors": 0,
    "uptime_seconds": 60,
    "queue_depth": 5,
}


def route(watcher):
    return f"/api/v1/watchers/{watcher.pk}/heartbeat"


def test_a_heartbeat_is_answered_with_what_the_agent_needs_to_know(as_token):
    api, before = as_token("watchers:report"), now()

    answer = api.post(route(make_watcher(token=api.token)), WHOLE)

    assert answer.status_code == 200
    assert answer.json() | {"server_time": ""} == {
        "ok": True,
        "server_time": "",
        "upload_requests": 0,
        "config_checksum": None,
        "wanted_config_checksum": None,
    }
    assert answer.json()["server_time"] >= str(format_timestamp(before))


def test_a_heartbeat_shows_on_the_watcher(as_token):
    api = as_token()
    watcher = make_watcher(token=api.token)

    api.post(route(watcher), WHOLE)

    shown = api.get(f"/api/v1/watchers/{watcher.pk}").json()
    assert [shown[name] for name in ("status", "agent_version", "upload_mode", "watch_directory")] == [
        "watching",
        "1.2.3",
        "manual",
        "C:\\data",
    ]
    assert shown["last_heartbeat_at"] == shown["updated_at"]


def test_what_a_heartbeat_leaves_out_stays(as_token):
    api = as_token()
    watcher = make_watcher(token=api.token)
    api.post(route(watcher), WHOLE)

    api.post(route(watcher), {"status": "stopped", "agent_version": None})

    watcher.refresh_from_db()
    assert (watcher.status, watcher.agent_version, watcher.upload_mode) == ("stopped", "1.2.3", "manual")


def test_a_heartbeat_goes_into_the_history(as_token):
    api = as_token()
    watcher = make_watcher(token=api.token)
    api.post(route(watcher), WHOLE)

    row = api.get(f"/api/v1/watchers/{watcher.pk}/heartbeats").json()["data"][0]

    heartbeat = Heartbeat.objects.get()
    assert row == {
        "id": heartbeat.pk,
        "received_at": format_timestamp(heartbeat.received_at),
        "timestamp": "2026-11-20T08:00:00.000Z",
        "status": "watching",
        "agent_version": "1.2.3",
        "upload_mode": "manual",
        "files_uploaded": 1,
        "runs_reported": 2,
        "errors": 0,
        "uptime_seconds": 60,
        "queue_depth": 5,
    }


def test_the_history_is_newest_first_and_paged(as_token):
    api = as_token()
    watcher, other = make_watcher(token=api.token), make_watcher(token=api.token)
    for depth in range(5):
        api.post(route(watcher), {"status": "watching", "queue_depth": depth})
    api.post(route(other), {"status": "watching"})

    page = api.get(f"/api/v1/watchers/{watcher.pk}/heartbeats?per_page=3").json()

    assert [row["queue_depth"] for row in page["data"]] == [4, 3, 2]
    assert page["pagination"]["total"] == 5


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("status", "flying"),
        ("status", None),
        ("timestamp", "yesterday"),
        ("timestamp", "2026-11-20T10:00:00"),
        ("upload_mode", "odd"),
        ("files_uploaded", -1),
        ("uptime_seconds", "60"),
        ("errors", True),
        ("queue_depth", 2**63),
        ("runs_reported", 1.5),
        ("watch_directory", "a\0b"),
        ("agent_version", "v" * 65),
    ],
)
def test_a_bad_value_is_refused_by_name(as_token, field, value):
    api = as_token()

    answer = api.post(route(make_watcher(token=api.token)), {"status": "watching", field: value})

    assert answer.status_code == 400
    assert list(answer.json()["error"]["details"]["fields"]) == [field]


def test_the_largest_counts_are_kept(as_token):
    api = as_token()

    answer = api.post(route(make_watcher(token=api.token)), {"status": "watching", "uptime_seconds": 2**63 - 1})

    assert answer.status_code == 200
    assert Heartbeat.objects.get().uptime_seconds == 2**63 - 1


@pytest.mark.parametrize("timestamp", ["2020-01-01T00:00:00Z", "2099-01-01T00:00:00Z"])
def test_the_servers_clock_decides_who_is_alive(as_token, timestamp):
    api, before = as_token(), now()
    watcher = make_watcher(token=api.token)

    api.post(route(watcher), {"status": "watching", "timestamp": timestamp})

    heard = Heartbeat.objects.get().received_at
    watcher.refresh_from_db()
    assert watcher.last_heartbeat_at == heard
    assert before <= heard <= now()


def test_an_overtaken_heartbeat_adds_to_the_history_and_changes_nothing_else(db):
    token, at = make_token(), now()
    watcher = make_watcher(token=token)
    record_heartbeat(
        watcher.pk,
        report=HeartbeatReport(WatcherStatus.STOPPED, agent_version="2.0"),
        by=caller_for_token(token),
        at=at,
    )

    earlier = at - timedelta(seconds=1)
    late = HeartbeatReport(WatcherStatus.WATCHING, agent_version="1.0")
    record_heartbeat(watcher.pk, report=late, by=caller_for_token(token), at=earlier)

    watcher.refresh_from_db()
    assert (watcher.last_heartbeat_at, watcher.status, watcher.agent_version) == (at, "stopped", "2.0")
    assert list(Heartbeat.objects.order_by("id").values_list("received_at", flat=True)) == [at, earlier]


@pytest.mark.django_db(transaction=True)
def test_parallel_heartbeats_never_move_the_last_one_back():
    token, start = make_token(), now()
    watcher, by = make_watcher(token=token), caller_for_token(token)
    moments = [start + timedelta(milliseconds=number) for number in range(30)]

    at_once(
        30,
        lambda number: record_heartbeat(
            watcher.pk, report=HeartbeatReport(WatcherStatus.WATCHING), by=by, at=moments[-number]
        ),
    )

    watcher.refresh_from_db()
    assert watcher.last_heartbeat_at == moments[-1]
    assert Heartbeat.objects.count() == 30


def test_the_files_that_wait_at_the_instrument_are_counted(as_token):
    api, instrument = as_token(), make_instrument()
    watcher = make_watcher(token=api.token, instrument=instrument)
    run = make_run(instrument=instrument)
    make_file(run=run, status="upload_requested")
    make_file(run=run, status="upload_requested")
    make_file(run=run, status="upload_requested", deleted_at=now())
    make_file(run=run, status="detected", upload_requested_at=now())
    make_file(run=run, status="uploaded")
    make_file(
        run=make_run(instrument=instrument, deleted_at=now(), deleted_by_token=api.token), status="upload_requested"
    )
    make_file(status="upload_requested")

    counted = api.post(route(watcher), {"status": "watching"}).json()["upload_requests"]

    queue = api.get(f"/api/v1/watchers/{watcher.pk}/upload-queue").json()
    assert counted == queue["pagination"]["total"] == 2


@pytest.mark.django_db(transaction=True)
def test_a_heartbeat_takes_two_queries(as_token):
    api = as_token()
    watcher = make_watcher(token=api.token)
    api.post(route(watcher), WHOLE)  # stamps the token's use

    with CaptureQueriesContext(connection) as queries:
        api.post(route(watcher), WHOLE)

    assert len(queries) == 2


def test_the_history_takes_four_queries(as_token):
    api = as_token()
    watcher = make_watcher(token=api.token)
    for _ in range(5):
        api.post(route(watcher), WHOLE)

    with CaptureQueriesContext(connection) as queries:
        api.get(f"/api/v1/watchers/{watcher.pk}/heartbeats")

    assert len(queries) == 4


def test_a_watcher_that_leaves_between_look_up_and_write_is_told(db, monkeypatch):
    token = make_token()
    make_release("2.0", min_supported_version="1.0")
    watcher = make_watcher(token=token, agent_version="1.5")

    def leave(*args, **kwargs):
        Watcher.objects.update(deleted_at=now())

    monkeypatch.setattr("watchers.heartbeats.refuse_outdated_agent", leave)

    with pytest.raises(WatcherDeregistered):
        record_heartbeat(
            watcher.pk, report=HeartbeatReport(WatcherStatus.WATCHING), by=caller_for_token(token), at=now()
        )


@pytest.mark.django_db(transaction=True)
def test_the_trail_knows_whose_heartbeat_changed_a_watcher_and_nobody_s_after_it(as_token):
    """The statement is prepared: the trail reads a setting of its transaction, as there is no comment."""
    api = as_token("watchers:report")
    watcher = make_watcher(token=api.token)

    for version in ("1.2.3", "1.2.3", "1.2.4"):
        answer = api.post(route(watcher), WHOLE | {"agent_version": version}, X_Request_ID=version)
        assert answer.status_code == 200
    with connection.cursor() as cursor:
        cursor.execute("UPDATE watchers_watcher SET hostname = 'by-hand'")

    trail = find_trail_model(Watcher).objects.filter(pgh_label="update").order_by("pk")
    told = [(row.pgh_context["kind"], row.pgh_context["id"], row.pgh_context["request_id"]) for row in trail]
    assert told[:2] == [("token", str(api.token.pk), "1.2.3"), ("token", str(api.token.pk), "1.2.4")]
    assert (told[2][0], trail[2].pgh_context["name"][:13], len(told)) == ("service", "database role", 3)
