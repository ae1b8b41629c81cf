"""What becomes an announcement. Receivers run inside the event's transaction and write the outbox line only."""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Exists
from django.dispatch import receiver

from accounts.callers import Caller
from accounts.models import User
from accounts.sight import keep_those_who_see
from accounts.signals import guessing_noticed
from archives.models import ArchiveJob
from archives.signals import archive_ready
from changes.signals import webhook_disabled
from changes.webhooks.models import Webhook
from files.models import File, IntegrityFinding, Recall
from files.signals import file_completed, file_failed, integrity_finding, recall_ended
from notifications.admin_notices import tell_admins
from notifications.announcements import announce
from notifications.inbox import store_notifications
from notifications.models import NotificationKind
from notifications.moments import write_moment
from notifications.rules.matching import list_active_rules
from notifications.rules.models import RuleEvent
from notifications.senders import SERVICE_SENDER, sender_of
from runs.markdown import extract_plain_text
from runs.models import Comment, Run
from runs.signals import comment_added, people_mentioned, run_created
from runs.status import RunStatus
from watchers.folders import find_silence_of_files
from watchers.models import Watcher
from watchers.signals import (
    files_went_missing,
    folder_went_away,
    instance_conflict_noticed,
    watcher_came_online,
    watcher_taken_over,
    watcher_went_offline,
)

MAX_EXCERPT_CHARS = 200


@receiver(run_created)
def announce_run(run: Run, by: Caller, at: datetime, **_: Any) -> None:
    message = f"New run {run.run_id} on {run.instrument.display_name}."
    announce(
        kind=NotificationKind.RUN_CREATED,
        message=message,
        at=at,
        sender=sender_of(by),
        run=run,
        instrument=run.instrument,
    )


@receiver(comment_added)
def announce_comment(comment: Comment, by: Caller, at: datetime, **_: Any) -> None:
    sender = sender_of(by)
    message = f"{sender.name} on {comment.run.run_id}: {make_excerpt(comment.body)}"
    announce(kind=NotificationKind.COMMENT, message=message, at=at, sender=sender, run=comment.run, comment=comment)


@receiver(people_mentioned)
def announce_mention(comment: Comment, people: set[UUID], by: Caller, at: datetime, **_: Any) -> None:
    """To those alone whom a comment names for the first time."""
    sender = sender_of(by)
    announce(
        kind=NotificationKind.MENTION,
        message=f"{sender.name} mentioned you on {comment.run.run_id}: {make_excerpt(comment.body)}",
        at=at,
        sender=sender,
        run=comment.run,
        comment=comment,
        recipients=people,
    )


@receiver(file_failed)
def announce_failed_file(file: File, at: datetime, **_: Any) -> None:
    """One unread message a run, however many of its files fail."""
    run = file.run
    message = f"Run {run.run_id} on {run.instrument.display_name} has a failed file."
    announce(kind=NotificationKind.RUN_FAILED, message=message, at=at, run=run, instrument=run.instrument)
    if list_active_rules(RuleEvent.FILE_FAILED).exists():
        reason = f": {file.error_message}" if file.error_message else "."
        message = f"{file.filename} of {run.run_id} on {run.instrument.display_name} cannot be read{reason}"
        announce(kind=NotificationKind.FILE_FAILED, message=message, at=at, run=run, instrument=run.instrument)


@receiver(file_completed)
def announce_completed_run(file: File, at: datetime, **_: Any) -> None:
    """With the last of its files, where somebody has a rule for it."""
    rules = list_active_rules(RuleEvent.RUN_COMPLETED)
    completed = Run.objects.filter(Exists(rules), pk=file.run_id, status=RunStatus.COMPLETED)
    run = completed.select_related("instrument").first()
    if run is not None:
        message = f"Run {run.run_id} on {run.instrument.display_name} is completed."
        announce(kind=NotificationKind.RUN_COMPLETED, message=message, at=at, run=run, instrument=run.instrument)


@receiver(archive_ready)
def announce_ready_archive(job: ArchiveJob, at: datetime, **_: Any) -> None:
    """Where somebody has a rule for it."""
    if not list_active_rules(RuleEvent.ARCHIVE_READY).exists():
        return
    run = job.run
    message = f"The archive of {run.run_id} on {run.instrument.display_name} is ready."
    announce(kind=NotificationKind.ARCHIVE_READY, message=message, at=at, run=run, instrument=run.instrument)


@receiver(watcher_went_offline)
def announce_watcher_offline(watcher: Watcher, at: datetime, **_: Any) -> None:
    message = f"{name_watcher(watcher)} has not been heard from{format_since(watcher.last_heartbeat_at)}."
    announce(kind=NotificationKind.WATCHER_OFFLINE, message=message, at=at, instrument=watcher.instrument)


@receiver(watcher_came_online)
def announce_watcher_online(watcher: Watcher, at: datetime, **_: Any) -> None:
    message = f"{name_watcher(watcher)} has been back since {write_moment(at)}."
    announce(kind=NotificationKind.WATCHER_ONLINE, message=message, at=at, instrument=watcher.instrument)


@receiver(watcher_taken_over)
def announce_take_over(watcher: Watcher, hostname: str, at: datetime, **_: Any) -> None:
    former = watcher.hostname or "the former computer"
    message = f"{hostname} took over {watcher.instrument.display_name} from {former}, which can send nothing more."
    announce(kind=NotificationKind.WATCHER_ONLINE, message=message, at=at, instrument=watcher.instrument)


@receiver(folder_went_away)
def announce_folder_away(watcher: Watcher, at: datetime, **_: Any) -> None:
    state = watcher.get_folder_state_display()
    message = f"The folder of {name_watcher(watcher)} {state}{format_since(watcher.folder_away_since)}."
    announce(kind=NotificationKind.FOLDER_AWAY, message=message, at=at, instrument=watcher.instrument)


@receiver(files_went_missing)
def announce_missing_files(watcher: Watcher, at: datetime, **_: Any) -> None:
    hours = watcher.instrument.expect_files_every_hours
    message = (
        f"{name_watcher(watcher)} has found no new file{format_since(find_silence_of_files(watcher))}; "
        f"one was expected every {'hour' if hours == 1 else f'{hours} hours'}."
    )
    announce(kind=NotificationKind.NO_FILES, message=message, at=at, instrument=watcher.instrument)


@receiver(instance_conflict_noticed)
def announce_instance_conflict(watcher: Watcher, at: datetime, **_: Any) -> None:
    message = f"Two computers report as {name_watcher(watcher)}; the second is refused until an admin settles it."
    announce(kind=NotificationKind.INSTANCE_CONFLICT, message=message, at=at, instrument=watcher.instrument)


@receiver(integrity_finding)
def tell_of_integrity_finding(finding: IntegrityFinding, at: datetime, **_: Any) -> None:
    """Admins only, and at once: the store has lost what it was given. Once a day: it may have lost everything."""
    told = f"Stored bytes were found {finding.kind} on {at:%Y-%m-%d}: Settings, Integrity names the files."
    tell_admins(told, at=at)


@receiver(recall_ended)
def tell_of_recall(recall: Recall, waiting: int, at: datetime, **_: Any) -> None:
    """Whoever asked, and still sees the run."""
    if recall.requested_by_id is None:
        return
    store_notifications(
        recipients=keep_those_who_see({recall.requested_by_id}, recall.run.instrument_id),
        kind=NotificationKind.GENERIC,
        message=describe_recall(recall, waiting=waiting),
        sender=SERVICE_SENDER,
        run_id=recall.run_id,
        at=at,
    )


def describe_recall(recall: Recall, *, waiting: int) -> str:
    name = f"{recall.file.filename} of run {recall.run.run_id}" if recall.file else f"Run {recall.run.run_id}"
    kept = File.objects.stored().filter(run=recall.run_id)
    if waiting:
        return f"{name} could not be brought back from cold storage. An admin finds more in Settings, Integrity."
    if not (kept.filter(pk=recall.file_id) if recall.file_id else kept).exists():
        return f"{name} was purged by a rule of retention before it could be brought back."
    return f"{name} is back from cold storage."


@receiver(webhook_disabled)
def tell_of_disabled_webhook(webhook: Webhook, at: datetime, **_: Any) -> None:
    """Admins only, and at once: it is their setting."""
    name = webhook.description or webhook.host
    tell_admins(f"The webhook {name} was switched off. {webhook.disabled_reason}", at=at)


@receiver(guessing_noticed)
def tell_of_guessing(message: str, person: User | None, at: datetime, **_: Any) -> None:
    """Admins, and whose password is known to somebody else."""
    tell_admins(message, and_to=[person.pk] if person else (), at=at)


def name_watcher(watcher: Watcher) -> str:
    return f"{watcher.hostname or 'The watcher'} at {watcher.instrument.display_name}"


def format_since(moment: datetime | None) -> str:
    return f" since {write_moment(moment)}" if moment else ""


def make_excerpt(body: str) -> str:
    line = extract_plain_text(body)
    return line if len(line) <= MAX_EXCERPT_CHARS else line[: MAX_EXCERPT_CHARS - 1] + "…"
