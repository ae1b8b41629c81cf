"""Each invariant of the database, violated once."""

import uuid

import pytest
from django.db import IntegrityError, connection, transaction

from tests.factories import make_event, make_release, make_token, make_watcher
from watchers.models import Heartbeat, TakeOver, Watcher, WatcherEvent, WatcherRelease
from wire.clock import now


def test_an_instrument_has_one_active_watcher(refused_by):
    watcher = make_watcher()

    refused_by("one_active_watcher_per_instrument", lambda: make_watcher(instrument=watcher.instrument))


def test_a_deregistered_watcher_makes_room(db):
    watcher = make_watcher(deleted_at=now())

    assert make_watcher(instrument=watcher.instrument)


@pytest.mark.parametrize(
    ("fields", "constraint"),
    [
        ({"status": "offline"}, "watcher_status_is_known"),
        ({"upload_mode": "odd"}, "watcher_upload_mode_is_known"),
        ({"channel": "odd"}, "watcher_channel_is_known"),
        ({"status": "watching"}, "watching_watcher_was_heard"),
        (
            {"config_yaml": "a", "config_updated_at": now(), "config_checksum": "A" * 64},
            "watcher_config_checksum_is_sha256",
        ),
        ({"config_yaml": "a"}, "watcher_config_comes_whole"),
    ],
)
def test_a_watcher_is_sound(refused_by, fields, constraint):
    watcher = make_watcher()

    refused_by(constraint, lambda: Watcher.objects.filter(pk=watcher.pk).update(**fields))


@pytest.mark.parametrize(
    ("fields", "constraint"),
    [
        ({"status": "offline"}, "heartbeat_status_is_known"),
        ({"upload_mode": "odd"}, "heartbeat_upload_mode_is_known"),
        *(
            ({name: -1}, "heartbeat_counts_are_not_negative")
            for name in ("files_uploaded", "runs_reported", "errors", "uptime_seconds", "queue_depth")
        ),
    ],
)
def test_a_heartbeat_is_sound(refused_by, fields, constraint):
    values = {"watcher": make_watcher(), "received_at": now(), "status": "watching"} | fields

    refused_by(constraint, lambda: Heartbeat.objects.create(**values))


def test_an_event_id_is_used_once_a_watcher(refused_by):
    event = make_event()

    refused_by("one_event_per_watcher_and_id", lambda: make_event(watcher=event.watcher, event_id=event.event_id))


def test_an_event_is_of_a_known_kind(refused_by):
    event = make_event()

    refused_by("event_type_is_known", lambda: WatcherEvent.objects.filter(pk=event.pk).update(event_type="odd"))


def test_an_event_has_a_watcher(db):
    def orphan() -> None:
        make_event(watcher=Watcher(id=uuid.uuid4()))
        connection.check_constraints()

    with pytest.raises(IntegrityError, match="watchers_watchereven_watcher_id_"), transaction.atomic():
        orphan()


@pytest.mark.parametrize(
    ("fields", "constraint"),
    [
        ({"channel": "odd"}, "release_channel_is_known"),
        ({"version": "new"}, "release_versions_begin_with_a_number"),
        ({"min_supported_version": "old"}, "release_versions_begin_with_a_number"),
    ],
)
def test_a_release_is_sound(refused_by, fields, constraint):
    release = make_release()

    refused_by(constraint, lambda: WatcherRelease.objects.filter(pk=release.pk).update(**fields))


def test_a_version_is_released_once_a_channel(refused_by):
    make_release("2.0.0", channel="beta")
    make_release("2.0.0")

    refused_by("one_release_per_channel_and_version", lambda: make_release("2.0.0"))


def test_a_take_over_changes_the_token(refused_by):
    watcher, token = make_watcher(), make_token()

    refused_by(
        "take_over_changes_the_token", lambda: TakeOver.objects.create(watcher=watcher, former_token=token, token=token)
    )
