"""The folder that an agent watches, and the files that should come out of it."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.callers import caller_for_token
from tests.factories import make_instrument, make_token, make_watcher
from watchers.choices import FolderState, WatcherStatus
from watchers.folder_alerts import announce_blind_watchers
from watchers.folders import FolderReport, find_silence_of_files, list_silent_of_files
from watchers.heartbeats import HeartbeatReport, record_heartbeat
from watchers.models import Watcher
from watchers.signals import files_went_missing, folder_went_away
from wire.clock import format_timestamp, now

WHOLE = {
    "state": "watching",
    "last_scan_at": "2026-01-20T10:00:00.000Z",
    "last_file_at": "2026-01-20T09:00:00.000Z",
    "files_waiting": 3,
    "bytes_waiting": 4096,
}


@pytest.fixture
def announced(db):
    """("away" or "missing", the watcher) of what is announced meanwhile."""
    heard = []

    def hear_away(watcher, **_):
        heard.append(("away", watcher.pk))

    def hear_missing(watcher, **_):
        heard.append(("missing", watcher.pk))

    folder_went_away.connect(hear_away)
    files_went_missing.connect(hear_missing)
    yield heard
    folder_went_away.disconnect(hear_away)
    files_went_missing.disconnect(hear_missing)


def beat(api, watcher, folder):
    return api.post(f"/api/v1/watchers/{watcher.pk}/heartbeat", {"status": "watching", "folder": folder})


def shown_folder(api, watcher):
    return api.get(f"/api/v1/watchers/{watcher.pk}").json()["folder"]


def make_online_watcher(at, **fields):
    hours = fields.pop("expects", None)
    values = {"status": "watching", "last_heartbeat_at": at, "folder_state": "watching", "folder_last_scan_at": at}
    return make_watcher(instrument=make_instrument(expect_files_every_hours=hours), **(values | fields))


def test_a_folder_shows_as_it_was_reported(as_token):
    api = as_token()
    watcher = make_watcher(token=api.token)

    beat(api, watcher, WHOLE)

    assert shown_folder(api, watcher) == WHOLE | {"away_since": None}


def test_a_folder_may_come_with_the_registration(as_token):
    api = as_token()

    answer = api.post("/api/v1/watchers/register", {"instrument_id": make_instrument().pk, "folder": WHOLE})

    assert (answer.status_code, answer.json()["folder"]) == (201, WHOLE | {"away_since": None})


def test_what_a_report_leaves_out_stays(as_token):
    api = as_token()
    watcher = make_watcher(token=api.token)
    beat(api, watcher, WHOLE)

    beat(api, watcher, {"state": "watching", "files_waiting": 0})
    beat(api, watcher, None)

    assert shown_folder(api, watcher) == WHOLE | {"away_since": None, "files_waiting": 0}


@pytest.mark.parametrize("state", ["away", "empty_mount", "denied"])
def test_a_folder_is_away_since_it_was_first_said_to_be(as_token, state):
    api = as_token()
    watcher = make_watcher(token=api.token)
    beat(api, watcher, {"state": state})
    since = Watcher.objects.get().last_heartbeat_at

    beat(api, watcher, {"state": "away"})

    assert shown_folder(api, watcher)["away_since"] == format_timestamp(since)


def test_a_folder_that_is_back_is_away_no_more(as_token):
    api = as_token()
    watcher = make_watcher(token=api.token)
    beat(api, watcher, {"state": "away"})

    beat(api, watcher, {"state": "watching"})

    assert shown_folder(api, watcher)["away_since"] is None


def test_times_ahead_of_the_servers_clock_are_cut_to_it(as_token):
    api = as_token()
    watcher = make_watcher(token=api.token)

    beat(api, watcher, WHOLE | {"last_scan_at": "2099-01-01T00:00:00Z", "last_file_at": "2099-01-01T00:00:00Z"})

    watcher.refresh_from_db()
    assert watcher.folder_last_scan_at == watcher.folder_last_file_at == watcher.last_heartbeat_at


def test_an_overtaken_report_changes_nothing(db):
    token, at = make_token(), now()
    watcher, by = make_watcher(token=token), caller_for_token(token)
    new, old = (
        HeartbeatReport(WatcherStatus.WATCHING, folder=FolderReport(state))
        for state in (FolderState.WATCHING, FolderState.AWAY)
    )
    record_heartbeat(watcher.pk, report=new, by=by, at=at)

    record_heartbeat(watcher.pk, report=old, by=by, at=at - timedelta(seconds=1))

    watcher.refresh_from_db()
    assert (watcher.folder_state, watcher.folder_away_since) == ("watching", None)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("state", "gone"),
        ("state", None),
        ("last_scan_at", "2026-01-20T10:00:00"),
        ("last_file_at", 5),
        ("files_waiting", -1),
        ("bytes_waiting", 2**63),
        ("bytes_waiting", 1.5),
    ],
)
def test_a_bad_value_is_refused_by_name(as_token, field, value):
    api = as_token()

    answer = beat(api, make_watcher(token=api.token), WHOLE | {field: value})

    assert (answer.status_code, list(answer.json()["error"]["details"]["fields"])) == (400, [f"folder.{field}"])


@pytest.mark.django_db(transaction=True)
def test_a_heartbeat_with_a_folder_takes_two_queries(as_token):
    api = as_token()
    watcher = make_watcher(token=api.token)
    beat(api, watcher, WHOLE)  # stamps the token's use

    with CaptureQueriesContext(connection) as queries:
        beat(api, watcher, WHOLE)

    assert len(queries) == 2


@pytest.mark.parametrize("state", ["away", "empty_mount", "denied"])
def test_a_folder_that_is_away_for_ten_minutes_is_told_of_once(announced, state):
    at = now()
    watcher = make_online_watcher(at, folder_state=state, folder_away_since=at - timedelta(minutes=10))

    announce_blind_watchers(at=at)
    announce_blind_watchers(at=at)

    assert announced == [("away", watcher.pk)]


def test_a_folder_that_goes_away_again_is_told_of_again(announced):
    at = now()
    watcher = make_online_watcher(at, folder_away_announced_at=at - timedelta(hours=1))
    announce_blind_watchers(at=at)
    Watcher.objects.update(folder_state="away", folder_away_since=at - timedelta(minutes=10))

    announce_blind_watchers(at=at)

    assert announced == [("away", watcher.pk)]


@pytest.mark.parametrize(
    ("minutes_away", "fields"),
    [(9, {}), (20, {"status": "stopped"}), (20, {"deleted_at": now()}), (20, {"last_heartbeat_at": None})],
)
def test_other_folders_are_not_told_of(announced, minutes_away, fields):
    at = now()
    if "last_heartbeat_at" in fields:
        fields = {"last_heartbeat_at": at - timedelta(minutes=6)}
    make_online_watcher(at, folder_state="away", folder_away_since=at - timedelta(minutes=minutes_away), **fields)

    announce_blind_watchers(at=at)

    assert announced == []


def test_files_that_do_not_come_are_told_of_once(announced):
    at = now()
    watcher = make_online_watcher(at, expects=24, folder_last_file_at=at - timedelta(hours=24))

    announce_blind_watchers(at=at)
    announce_blind_watchers(at=at)

    assert announced == [("missing", watcher.pk)]


def test_files_that_came_and_stop_again_are_told_of_again(announced):
    at = now()
    watcher = make_online_watcher(at, expects=24, folder_last_file_at=at, no_files_announced_at=at - timedelta(days=2))
    announce_blind_watchers(at=at)
    Watcher.objects.update(folder_last_file_at=at - timedelta(hours=25))

    announce_blind_watchers(at=at)

    assert announced == [("missing", watcher.pk)]


@pytest.mark.parametrize(
    ("hours_ago", "expects", "fields"),
    [
        (23, 24, {}),
        (1_000, None, {}),
        (1_000, 24, {"status": "stopped"}),
        (1_000, 24, {"folder_state": None}),
        (1_000, 24, {"deleted_at": now()}),
    ],
)
def test_other_watchers_are_not_told_of(announced, hours_ago, expects, fields):
    at = now()
    make_online_watcher(at, expects=expects, folder_last_file_at=at - timedelta(hours=hours_ago), **fields)

    announce_blind_watchers(at=at)

    assert announced == []


def test_a_computer_that_was_off_is_not_blamed_before_it_has_looked(announced):
    at = now()
    last = at - timedelta(days=3)
    make_online_watcher(at, expects=24, folder_last_file_at=last, folder_last_scan_at=last + timedelta(hours=2))

    announce_blind_watchers(at=at)

    assert announced == []


@pytest.mark.parametrize(
    ("expects", "last_file", "last_scan", "state", "is_silent"),
    [
        (24, 24, 0, "watching", True),
        (24, 23.9, 0, "watching", False),
        (24, None, 0, "watching", True),
        (None, 500, 0, "watching", False),
        (24, 500, 490, "watching", False),
        (24, 30, None, "away", True),
        (24, 30, 0, None, False),
    ],
)
def test_the_page_and_the_sweep_judge_alike(db, expects, last_file, last_scan, state, is_silent):
    at = now()
    times = {"folder_last_file_at": last_file, "folder_last_scan_at": last_scan}
    watcher = make_online_watcher(
        at,
        expects=expects,
        folder_state=state,
        folder_away_since=at if state == "away" else None,
        created_at=at - timedelta(hours=600),
        **{name: None if hours is None else at - timedelta(hours=hours) for name, hours in times.items()},
    )

    assert (find_silence_of_files(watcher) is not None, list_silent_of_files().exists()) == (is_silent, is_silent)


def test_a_watcher_shows_since_when_no_file_comes(as_token):
    api, at = as_token(), now()
    watcher = make_online_watcher(at, expects=24, token=api.token, folder_last_file_at=at - timedelta(hours=30))

    shown = api.get(f"/api/v1/watchers/{watcher.pk}").json()

    assert shown["silent_files_since"] == format_timestamp(at - timedelta(hours=30))
