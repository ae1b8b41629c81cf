"""Each invariant of the database, violated once."""

import uuid
from datetime import UTC, datetime

import pytest
from django.db import IntegrityError, connection, transaction

from tests.factories import (
    make_enrolment_code,
    make_event,
    make_installer,
    make_instrument,
    make_release,
    make_token,
    make_wanted_config,
    make_watcher,
)
from watchers.models import (
    EnrolmentCode,
    Heartbeat,
    ReleaseInstaller,
    TakeOver,
    WantedConfig,
    Watcher,
    WatcherEvent,
    WatcherRelease,
)
from wire.clock import now

SOME_ID = uuid.UUID(int=1)


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
        ({"instance_conflict_at": now()}, "instance_conflict_names_two"),
        ({"other_instance_id": SOME_ID}, "instance_conflict_names_two"),
        ({"other_instance_id": SOME_ID, "instance_conflict_at": now()}, "instance_conflict_names_two"),
        (
            {"instance_id": SOME_ID, "other_instance_id": SOME_ID, "instance_conflict_at": now()},
            "instance_conflict_names_two",
        ),
        ({"folder_state": "odd"}, "watcher_folder_state_is_known"),
        ({"folder_state": "away"}, "unwatched_folder_has_a_begin"),
        ({"folder_state": "watching", "folder_away_since": now()}, "unwatched_folder_has_a_begin"),
        ({"folder_away_since": now()}, "unwatched_folder_has_a_begin"),
        ({"folder_files_waiting": -1}, "folder_counts_are_not_negative"),
        ({"folder_bytes_waiting": -1}, "folder_counts_are_not_negative"),
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
        ({"sha256": "0" * 63, "size_bytes": 1}, "release_sha256_is_sha256"),
        ({"size_bytes": 1}, "release_file_is_named_by_its_hash"),
        ({"signature": "AA=="}, "release_file_is_named_by_its_hash"),
        ({"sha256": "0" * 64, "size_bytes": 0}, "release_file_is_named_by_its_hash"),
        ({"wave_percent": 101}, "release_wave_is_a_percentage"),
        ({"published_at": None, "withdrawn_at": now()}, "withdrawn_release_was_published"),
    ],
)
def test_a_release_is_sound(refused_by, fields, constraint):
    release = make_release()

    refused_by(constraint, lambda: WatcherRelease.objects.filter(pk=release.pk).update(**fields))


@pytest.mark.parametrize(
    ("fields", "constraint"),
    [
        ({"system": "amiga"}, "installer_system_is_known"),
        ({"sha256": "0" * 63}, "installer_sha256_is_sha256"),
        ({"size_bytes": 0}, "installer_is_not_empty"),
    ],
)
def test_an_installer_is_sound(refused_by, fields, constraint):
    installer = make_installer()

    refused_by(constraint, lambda: ReleaseInstaller.objects.filter(pk=installer.pk).update(**fields))


def test_a_release_has_one_installer_for_each_system(refused_by):
    installer = make_installer()

    refused_by("one_installer_per_release_and_system", lambda: make_installer(release=installer.release))


def test_a_version_is_released_once_a_channel(refused_by):
    make_release("2.0.0", channel="beta")
    make_release("2.0.0")

    refused_by("one_release_per_channel_and_version", lambda: make_release("2.0.0"))


def test_a_take_over_changes_the_token(refused_by):
    watcher, token = make_watcher(), make_token()

    refused_by(
        "take_over_changes_the_token", lambda: TakeOver.objects.create(watcher=watcher, former_token=token, token=token)
    )


@pytest.mark.parametrize(
    ("fields", "constraint"),
    [
        ({"digest": "A" * 64}, "enrolment_code_digest_is_sha256"),
        ({"expires_at": datetime(2020, 1, 1, tzinfo=UTC)}, "enrolment_code_ends_later"),
        ({"used_at": now()}, "enrolment_code_use_is_told_whole"),
    ],
)
def test_an_enrolment_code_is_sound(refused_by, fields, constraint):
    code = make_enrolment_code()

    refused_by(constraint, lambda: EnrolmentCode.objects.filter(pk=code.pk).update(**fields))


@pytest.mark.parametrize("column", ["new_instrument_id", "new_display_name", "new_instrument_type"])
def test_an_enrolment_code_is_for_an_instrument_or_for_a_new_one(refused_by, column):
    refused_by(
        "enrolment_code_is_bound_or_for_a_new_one",
        lambda: make_enrolment_code(instrument=make_instrument(), **{column: "b"}),
    )


def test_no_two_enrolment_codes_are_alike(refused_by):
    make_enrolment_code("ABCD-EFGH-JKMN-PQRS")

    refused_by("one_enrolment_code_per_digest", lambda: make_enrolment_code("abcdefghjkmnpqrs"))


@pytest.mark.parametrize(
    ("fields", "constraint"),
    [
        ({"state": "odd"}, "wanted_config_is_settled_as_its_state_says"),
        ({"config_checksum": "A" * 64}, "wanted_config_checksum_is_sha256"),
        ({"settled_at": now()}, "wanted_config_is_settled_as_its_state_says"),
        ({"state": "taken"}, "wanted_config_is_settled_as_its_state_says"),
        ({"state": "refused", "settled_at": now()}, "wanted_config_is_settled_as_its_state_says"),
        ({"state": "taken", "settled_at": now()}, "wanted_config_is_settled_as_its_state_says"),
        ({"taken_checksum": "a" * 64}, "wanted_config_is_settled_as_its_state_says"),
        ({"refusal": "why"}, "wanted_config_is_settled_as_its_state_says"),
    ],
)
def test_a_wanted_configuration_is_sound(refused_by, fields, constraint):
    wanted = make_wanted_config()

    refused_by(constraint, lambda: WantedConfig.objects.filter(pk=wanted.pk).update(**fields))
