"""The outbox of announcements: written with the event, delivered by a task, found again by a sweep."""

import logging
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from uuid import UUID

from django.db import DatabaseError, transaction
from django.db.models import Q, QuerySet

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
from notifications.addressees import find_addressees
from notifications.grouping import join_messages, place_in_group
from notifications.inbox import Ways, store_notifications
from notifications.models import Announcement, NotificationKind, SenderKind
from notifications.senders import SERVICE_SENDER, Sender
from runs.models import Comment, Run
from wire.queries.row_sets import insert_row

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
    comment: Comment | None = None,
    recipients: Collection[UUID] | None = None,
) -> Announcement:
    """Write the outbox line, in the caller's transaction. Who hears of it is decided at delivery.

    `recipients`: of a mention, those named.

    Of a kind that comes in numbers it waits for others like it (notifications/grouping.py).
    """
    line = Announcement(
        kind=kind,
        message=message[:MESSAGE_LENGTH],
        sender_kind=sender.kind,
        sender_id=sender.id,
        sender_name=sender.name,
        run=run,
        instrument=instrument,
        comment=comment,
        recipient_ids=sorted(recipients) if recipients is not None else None,
        created_at=at,
        **place_in_group(kind, at=at),
    )
    insert_row(line)
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
    for (message, instruments), ways in _address_messages([line, *joined]).items():
        store_notifications(
            recipients=ways,
            ways=ways,
            kind=NotificationKind(line.kind),
            message=message,
            sender=sender,
            run_id=line.run_id,
            instrument_ids=instruments,
            at=line.created_at,
        )
    line.joined.update(delivered_at=at)
    end_job(lease, {"delivered_at": at})


def _address_messages(lines: Sequence[Announcement]) -> dict[tuple[str, frozenset[str]], dict[UUID, Ways]]:
    """One message to each person, of those lines that the person is to hear of, and the instruments in it."""
    heard: dict[UUID, list[Announcement]] = {}
    ways: dict[UUID, Ways] = {}
    for line in lines:
        for person, way in find_addressees(line).items():
            heard.setdefault(person, []).append(line)
            ways[person] = ways.get(person, Ways()) | way
    addressed: dict[tuple[str, frozenset[str]], dict[UUID, Ways]] = {}
    for person, told in heard.items():
        messages = [line.message for line in told]
        text = join_messages(NotificationKind(lines[0].kind), messages, max_length=MESSAGE_LENGTH)
        instruments = frozenset(line.instrument_id for line in told if line.instrument_id)
        addressed.setdefault((text, instruments), {})[person] = ways[person]
    return addressed
