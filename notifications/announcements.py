"""The outbox of announcements: written with the event, delivered by a task, found again by a sweep."""

import logging
from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from django.db import DatabaseError, transaction
from django.db.models import Q, QuerySet

from accounts.models import User
from accounts.sight import keep_those_who_see
from instruments.models import Instrument
from jobs.leases import (
    RELEASED,
    JobQueue,
    Lease,
    LeaseLost,
    end_attempt,
    end_job,
    hold_lease,
    lease_job,
    lease_next_job,
)
from jobs.task_queue import enqueue_on_commit
from notifications.grouping import join_messages, place_in_group
from notifications.inbox import store_notifications
from notifications.models import Announcement, Follow, NotificationKind, SenderKind
from notifications.senders import SERVICE_SENDER, Sender
from runs.models import Claim, Comment, Run

log = logging.getLogger(__name__)
MAX_ATTEMPTS = 5
RETRY_AFTER = timedelta(seconds=30)  # doubles with each attempt
DIED = "Delivering stopped without a word."
TRIED_FURTHER = Q(attempts__lt=MAX_ATTEMPTS) | Q(lease_id__isnull=False)
ANNOUNCEMENTS = JobQueue(
    task="notifications.deliver",
    unfinished=Announcement.objects.filter(TRIED_FURTHER, delivered_at__isnull=True, joined_to__isnull=True),
    requested_at="created_at",
    lease=timedelta(minutes=1),
    max_attempts=MAX_ATTEMPTS,
    pause=RETRY_AFTER,
)
KEPT = timedelta(days=7)
MESSAGE_LENGTH = 2_000


def announce(
    *,
    kind: NotificationKind,
    message: str,
    at: datetime,
    sender: Sender = SERVICE_SENDER,
    run: Run | None = None,
    instrument: Instrument | None = None,
) -> Announcement:
    """Write the outbox line, in the caller's transaction. Who hears of it is decided at delivery.

    Of a kind that comes in numbers it waits for others like it (notifications/grouping.py).
    """
    line = Announcement.objects.create(
        kind=kind,
        message=message[:MESSAGE_LENGTH],
        sender_kind=sender.kind,
        sender_id=sender.id,
        sender_name=sender.name,
        run=run,
        instrument=instrument,
        created_at=at,
        **place_in_group(kind, at=at),
    )
    if line.lease_until is None and line.joined_to is None:
        enqueue_on_commit(ANNOUNCEMENTS.task)
    return line


def deliver_announcement(announcement_id: int, *, at: datetime) -> bool:
    """Put an announcement into the inboxes it belongs to. Twice, or by two workers at once, changes nothing more."""
    return _try_to_deliver(lease_job(ANNOUNCEMENTS, announcement_id, at=at), at=at)


def deliver_next_announcement(*, at: datetime) -> bool:
    """The same with the one that has waited longest."""
    return _try_to_deliver(lease_next_job(ANNOUNCEMENTS, at=at), at=at)


def retry_announcements(lines: QuerySet[Announcement]) -> int:
    """Let the sweep try these again from the beginning; how many they are."""
    return lines.filter(delivered_at__isnull=True).update(attempts=0, **RELEASED)


def forget_delivered(*, at: datetime) -> int:
    """Delivered lines go after a week; the inbox keeps what matters."""
    return Announcement.objects.filter(delivered_at__lt=at - KEPT).delete()[0]


def _try_to_deliver(lease: Lease[Announcement] | None, *, at: datetime) -> bool:
    if lease is None:
        return False
    if lease.is_exhausted:
        end_job(lease, {"error_message": lease.job.error_message or DIED})
        return False
    try:
        _deliver(lease, at=at)
    except LeaseLost:
        return False
    except DatabaseError as error:
        log.exception("announcement %s failed", lease.job.pk)
        end_attempt(lease, reason=str(error)[:500], at=at, wait=RETRY_AFTER * 2**lease.attempt)
        return False
    return True


@transaction.atomic
def _deliver(lease: Lease[Announcement], *, at: datetime) -> None:
    line = hold_lease(lease)
    joined = list(line.joined.order_by("id"))
    sender = Sender(SenderKind(line.sender_kind), line.sender_id, line.sender_name)
    for (message, instruments), people in _address_messages([line, *joined]).items():
        store_notifications(
            recipients=people,
            kind=NotificationKind(line.kind),
            message=message,
            sender=sender,
            run_id=line.run_id,
            instrument_ids=instruments,
            at=line.created_at,
        )
    line.joined.update(delivered_at=at)
    end_job(lease, {"delivered_at": at})


def _address_messages(lines: Sequence[Announcement]) -> dict[tuple[str, frozenset[str]], set[UUID]]:
    """One message to each person, of those lines that the person is to hear of, and the instruments in it."""
    heard: dict[UUID, list[Announcement]] = {}
    for line in lines:
        for person in recipients_who_see(line) - {line.sender_id}:
            heard.setdefault(person, []).append(line)
    addressed: dict[tuple[str, frozenset[str]], set[UUID]] = {}
    for person, told in heard.items():
        messages = [line.message for line in told]
        text = join_messages(NotificationKind(lines[0].kind), messages, max_length=MESSAGE_LENGTH)
        instruments = frozenset(line.instrument_id for line in told if line.instrument_id)
        addressed.setdefault((text, instruments), set()).add(person)
    return addressed


def recipients_who_see(line: Announcement) -> set[UUID]:
    """Without those from whom a group keeps the instrument that it is about."""
    people, about = recipients_of(line), line.instrument_id or (line.run.instrument_id if line.run else None)
    return keep_those_who_see(people, about) if about else people


def recipients_of(line: Announcement) -> set[UUID]:
    """By kind and by what people follow, claimed or commented: docs/interface.md, Notifications."""
    match NotificationKind(line.kind):
        case NotificationKind.RUN_CREATED:
            return _followers(line)
        case NotificationKind.RUN_FAILED:
            return _followers(line) | list_admins() | _claimants(line)
        case NotificationKind.COMMENT:
            return _claimants(line) | _commenters(line)
        case NotificationKind.WATCHER_OFFLINE | NotificationKind.WATCHER_ONLINE:
            return _followers(line) | list_admins()
        case NotificationKind.FOLDER_AWAY | NotificationKind.NO_FILES:
            return _followers(line) | list_admins()
        case NotificationKind.INSTANCE_CONFLICT:
            return list_admins()
    return set()


def _followers(line: Announcement) -> set[UUID]:
    return set(Follow.objects.filter(instrument=line.instrument_id).values_list("user_id", flat=True))


def list_admins() -> set[UUID]:
    """Who rules the dashboard."""
    return set(User.objects.filter(is_admin=True, is_active=True).values_list("pk", flat=True))


def _claimants(line: Announcement) -> set[UUID]:
    return set(Claim.objects.filter(run=line.run_id).values_list("user_id", flat=True))


def _commenters(line: Announcement) -> set[UUID]:
    rows = Comment.objects.active().filter(run=line.run_id, user__isnull=False)
    return set(rows.values_list("user_id", flat=True).distinct())
