"""What two groups have, planted alike: every text of one has its word in it, so that a leak is seen by the word."""

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from accounts.callers import caller_for_user
from accounts.models import Token, User
from archives.models import ArchiveJob
from changes.models import Webhook, WebhookDelivery
from feedback.models import Report
from files.models import Thumbnail
from instruments.groups.models import Membership
from instruments.models import Instrument
from notifications.announcements import announce, deliver_announcement
from notifications.inbox import store_notifications
from notifications.models import Follow, Notification, NotificationKind
from notifications.senders import SERVICE_SENDER
from processing.models import ProcessingJob
from runs.claims import claim_run
from runs.holds.models import Hold
from runs.models import Run
from tests.datasets.making import make_dataset
from tests.factories import (
    make_comment,
    make_enrolment_code,
    make_event,
    make_file,
    make_group,
    make_instrument,
    make_project,
    make_run,
    make_share_link,
    make_signature,
    make_stored_file,
    make_token_with_text,
    make_view,
    make_wanted_config,
    make_watcher,
)
from watchers.models import Heartbeat
from wire.clock import now
from wire.ids import new_id

ROLES = {"nm": "axis", "au": "value"}


@dataclass(frozen=True)
class People:
    """Of two groups and of none; `everybody` is told of everything, as before somebody left a group."""

    member: User
    manager: User
    other: User
    admin: User

    @property
    def everybody(self) -> list[User]:
        return [self.member, self.manager, self.other, self.admin]


@dataclass(frozen=True)
class Names:
    """What of a group's rows is known before they are there: `number` tells the ids of two groups apart."""

    word: str
    number: int
    run_name: str = "run 1"

    @property
    def instrument(self) -> str:
        return f"{self.word}-reader"

    @property
    def run(self) -> str:
        return f"{self.word} {self.run_name}"

    @property
    def file(self) -> int:
        return 700_000_000 + self.number * 1_000

    def id(self, place: int) -> UUID:
        return UUID(int=(0x77 << 120) + (4 << 76) + (0x8 << 60) + self.number * 1_000 + place)

    @property
    def path_values(self) -> dict[str, Any]:
        """By the name of the parameter of a path or a tool."""
        kinds = ("project", "watcher", "comment", "dataset", "job", "view", "group", "notification", "report", "token")
        ids = {
            f"{kind}_id": self.id(place)
            for place, kind in enumerate((*kinds, "webhook", "delivery", "signature", "link", "code"))
        }
        return {"instrument_id": self.instrument, "run_id": self.run, "file_id": self.file, **ids}

    def __getitem__(self, name: str) -> Any:
        return self.path_values[name]


def plant(names: Names, *, members: list[User], managers: list[User], people: People) -> None:
    """All that a group may have. The times of its runs and rows are those of this hour, so that they are counted."""
    reader = make_instrument(
        id=names.instrument, display_name=f"{names.word.title()} reader", time_zone="Asia/Tokyo"
    )  # hidden at the end: everybody was told of what it did before
    make_instrument(id=f"{names.word}-pending", visibility="groups", status="pending", display_name=names.word)
    waiting = Instrument.objects.get(pk=f"{names.word}-pending")
    group = make_group(*members, instruments=[reader, waiting], id=names["group_id"], name=f"{names.word} group")
    for person in managers:
        Membership.objects.create(group=group, person=person, role="manager")
    Follow.objects.bulk_create(Follow(user=person, instrument=reader) for person in people.everybody)
    run = _plant_runs(names, reader, members[0])
    _plant_files(names, run)
    _plant_watcher(names, reader, people)
    _plant_what_is_said(names, run, members[0], people)
    _plant_views(names, reader, members[0])
    _plant_outside(names, people.admin, members[0])
    Instrument.objects.filter(pk=reader.pk).update(visibility="groups")


def _plant_runs(names: Names, reader: Instrument, member: User) -> Run:
    word = names.word
    project = make_project(id=names["project_id"], name=f"{word} project", description=f"About {word}")
    facts = {"tags": [f"{word}-tag"], "project": project, "caller_metadata": {f"{word}_key": f"{word} value"}}
    run = make_run(instrument=reader, run_id=names.run, **facts)
    make_run(instrument=reader, run_id=f"{word} run 0", **facts)
    gone = make_run(instrument=reader, run_id=f"{word} gone", deleted_at=now(), deleted_by=member, **facts)
    make_run(instrument=reader, run_id=f"{word} run 2", **facts, acquired_at=now() - timedelta(days=3))
    failed = make_run(instrument=reader, run_id=f"{word} failed", tags=[f"{word}-tag"])
    stalled = make_run(instrument=reader, run_id=f"{word} stalled")
    make_file(f"{word} failed.csv", run=failed, status="failed", error_message=f"{word} is no number")
    make_file(f"{word} stalled.csv", run=stalled, status="processing", processing_since=now() - timedelta(hours=2))
    make_file(f"{word} gone.csv", run=gone)
    Hold.objects.create(run=run, reason=f"{word} audit", placed_by=member)
    Hold.objects.create(project=project, reason=f"{word} order", placed_by=member)
    claim_run(instrument=reader.pk, run_id=run.run_id, by=caller_for_user(member), at=now())
    return run


def _plant_files(names: Names, run: Run) -> None:
    word = names.word
    source = make_stored_file(f"{word}.csv", f"nm,au\n1,{names.number}\n".encode(), run=run, id=names.file)
    curve = {
        "format": "ids-curve/1", "title": word, "x": {"label": word, "unit": "nm"}, "y": {"label": "A", "unit": ""},
        "series": [{"label": word, "x": [1.0, 2.0], "y": [1.0, 2.0], "points": 2}], "downsampled": False,
    }  # fmt: skip
    kept = {"run": run, "category": "processed", "status": "completed", "source_file": source}
    kept |= {"content_type": "application/json", "relative_path": f"{word}.csv/curve.json", "id": names.file + 1}
    shown = make_stored_file(
        "curve.json", json.dumps(curve).encode(), caller_metadata={"kind": "curve", "title": word}, **kept
    )
    make_dataset(
        {"nm": [1.0, 2.0], "au": [1.0, float(names.number)], word: [word, word]},
        run=run, id=names["dataset_id"], name="absorbance", title=word, kind="spectrum", roles=ROLES,
        source_file=source,
    )  # fmt: skip
    drawn = {"data": f"<svg><title>{word}</title></svg>".encode(), "digest": f"{names.number:016x}"}
    Thumbnail.objects.create(
        run=run, file=shown, storage_key=shown.storage_key or "", content_type="image/svg+xml", **drawn
    )
    make_file(f"{word} waits.csv", run=run)
    make_file(f"{word} asked.csv", run=run, status="upload_requested")
    ProcessingJob.objects.create(file=source, instrument=run.instrument, turn=1)
    done = {"status": "ready", "size_bytes": 7, "completed_at": now()}
    ArchiveJob.objects.create(
        id=names["job_id"], run=run, cache_key=f"{names.number:064}", file_ids=[source.pk], **done
    )
    ArchiveJob.objects.create(run=run, cache_key=f"{names.number + 50:064}", file_ids=[source.pk])


def _plant_watcher(names: Names, reader: Instrument, people: People) -> None:
    word = names.word
    token, _ = make_token_with_text(id=names["token_id"], name=f"{word} token", instrument_ids=[reader.pk])
    silent_since = now() - timedelta(hours=3)
    config = {"config_yaml": f"name: {word}", "config_checksum": f"{names.number:064}"}
    watcher = make_watcher(
        id=names["watcher_id"], instrument=reader, token=token, hostname=f"{word}-pc", watch_directory=f"/{word}",
        status="watching", last_heartbeat_at=silent_since, config_updated_at=silent_since, **config,
        file_patterns=[f"{word}*.csv"], agent_version="1.0.0", folder_state="watching", os_info=word,
    )  # fmt: skip
    make_event(watcher=watcher, message=f"{word} disk is full")
    make_wanted_config(watcher=watcher, **config)
    Heartbeat.objects.create(watcher=watcher, received_at=now(), status="watching", agent_version=word)
    use: Any = {"used_at": now(), "watcher": watcher, "hostname": f"{word}-pc", "instance_id": new_id()}
    make_enrolment_code(id=names["code_id"], instrument=reader, created_by=people.admin, **use)


def _plant_what_is_said(names: Names, run: Run, member: User, people: People) -> None:
    word = names.word
    make_comment(id=names["comment_id"], run=run, user=member, body=f"{word} looks right")
    revoked = {"revoked_at": now(), "revoked_by": member, "revocation_reason": f"{word} was wrong"}  # else it freezes
    make_signature(id=names["signature_id"], run=run, signer=member, printed_name=f"{word} signer", **revoked)
    make_share_link(id=names["link_id"], run=run, made_by=member)
    make_comment(run=run, token=Token.objects.get(pk=names["token_id"]), body=f"{word} was checked")
    told: Any = {"recipients": {one.pk for one in people.everybody}, "sender": SERVICE_SENDER, "at": now()}
    store_notifications(kind=NotificationKind.COMMENT, message=f"{word} was commented on", run_id=run.pk, **told)
    silent = announce(
        kind=NotificationKind.WATCHER_OFFLINE, message=f"{word}-pc fell silent", instrument=run.instrument, at=now()
    )
    deliver_announcement(silent.pk, at=now() + timedelta(hours=1))
    announce(kind=NotificationKind.RUN_FAILED, message=f"{word} failed", run=run, instrument=run.instrument, at=now())
    mine = Notification.objects.filter(recipient=member).first()
    assert mine is not None
    Notification.objects.filter(pk=mine.pk).update(id=names["notification_id"])
    Report.objects.create(
        id=names["report_id"], kind="bug", title=f"{word} is slow", description=word, created_by=member
    )


def _plant_views(names: Names, reader: Instrument, member: User) -> None:
    word, of_reader = names.word, f"instrument_id={reader.pk}"
    shared = {"owner": member, "is_shared": True}
    make_view(id=names["view_id"], name=f"{word} view", query=f"{of_reader}&status=failed", **shared)
    make_view(name=f"{word} default", query=of_reader, instrument=reader, **shared)
    make_view(name=f"{word} and more", query=f"instrument_id=nowhere&{of_reader}&tag={word}-tag", **shared)
    make_view(name=f"{word} study", query=f"project_id={names['project_id']}", **shared)


def _plant_outside(names: Names, admin: User, member: User) -> None:
    """What admins alone see of the service's neighbours."""
    word = names.word
    receiver = Webhook.objects.create(
        id=names["webhook_id"], url=f"https://{word}.example/", description=word, sealed_secret="x",
        instrument_ids=[names.instrument], created_by=admin,
    )  # fmt: skip
    WebhookDelivery.objects.create(
        id=names["delivery_id"], webhook=receiver, position=names.number, event_type="run.created",
        payload={"instrument_id": names.instrument}, next_attempt_at=datetime(2026, 1, 1, tzinfo=UTC),
    )  # fmt: skip
