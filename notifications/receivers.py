"""What becomes an announcement. Receivers run inside the event's transaction and write the outbox line only."""

from datetime import datetime
from typing import Any

from django.dispatch import receiver

from accounts.callers import Caller
from files.models import File
from files.signals import file_failed
from notifications.announcements import announce
from notifications.models import Kind
from notifications.senders import sender_of
from runs.markdown import words_of
from runs.models import Comment, Run
from runs.signals import comment_added, run_created
from watchers.models import Watcher
from watchers.signals import watcher_came_online, watcher_went_offline

EXCERPT = 200


@receiver(run_created)
def announce_run(run: Run, by: Caller, at: datetime, **_: Any) -> None:
    message = f"New run {run.run_id} on {run.instrument.display_name}."
    announce(kind=Kind.RUN_CREATED, message=message, at=at, sender=sender_of(by), run=run, instrument=run.instrument)


@receiver(comment_added)
def announce_comment(comment: Comment, by: Caller, at: datetime, **_: Any) -> None:
    sender = sender_of(by)
    message = f"{sender.name} on {comment.run.run_id}: {excerpt(comment.body)}"
    announce(kind=Kind.COMMENT, message=message, at=at, sender=sender, run=comment.run)


@receiver(file_failed)
def announce_failure(file: File, at: datetime, **_: Any) -> None:
    """One unread message a run, however many of its files fail."""
    run = file.run
    message = f"Run {run.run_id} on {run.instrument.display_name} has a failed file."
    announce(kind=Kind.RUN_FAILED, message=message, at=at, run=run, instrument=run.instrument)


@receiver(watcher_went_offline)
def announce_silence(watcher: Watcher, at: datetime, **_: Any) -> None:
    heard = watcher.last_heartbeat_at
    since = f" since {heard:%Y-%m-%d %H:%M} UTC" if heard else ""
    message = f"{watcher.hostname or 'The watcher'} at {watcher.instrument.display_name} was not heard{since}."
    announce(kind=Kind.WATCHER_OFFLINE, message=message, at=at, instrument=watcher.instrument)


@receiver(watcher_came_online)
def announce_return(watcher: Watcher, at: datetime, **_: Any) -> None:
    message = f"{watcher.hostname or 'The watcher'} at {watcher.instrument.display_name} is back at {at:%H:%M} UTC."
    announce(kind=Kind.WATCHER_ONLINE, message=message, at=at, instrument=watcher.instrument)


def excerpt(body: str) -> str:
    line = words_of(body)
    return line if len(line) <= EXCERPT else line[: EXCERPT - 1] + "…"
