"""The outbox of announcements: written with the event, delivered by a task, found again by a sweep."""

import logging
from datetime import datetime, timedelta
from uuid import UUID

from django.db import DatabaseError, transaction
from django.db.models import Q, QuerySet

from accounts.models import User
from instruments.models import Instrument
from notifications.inbox import store_notifications
from notifications.models import Announcement, Follow, Kind, SenderKind
from notifications.senders import SERVICE, Sender
from runs.models import Claim, Comment, Run
from wire.bell import ring_on_commit

log = logging.getLogger(__name__)
MAX_ATTEMPTS = 5
RETRY_AFTER = timedelta(seconds=30)
KEPT = timedelta(days=7)
MESSAGE_LENGTH = 2_000


def announce(
    *,
    kind: Kind,
    message: str,
    at: datetime,
    sender: Sender = SERVICE,
    run: Run | None = None,
    instrument: Instrument | None = None,
) -> Announcement:
    """Write the outbox line, in the caller's transaction. Who hears of it is decided at delivery."""
    line = Announcement.objects.create(
        kind=kind,
        message=message[:MESSAGE_LENGTH],
        sender_kind=sender.kind,
        sender_id=sender.id,
        sender_name=sender.name,
        run=run,
        instrument=instrument,
        created_at=at,
    )
    ring_on_commit("notifications.deliver", announcement_id=line.pk)
    return line


def deliver_announcement(*, announcement_id: int, at: datetime) -> bool:
    """Put an announcement into the inboxes it belongs to. Twice, or by two workers at once, changes nothing more."""
    try:
        with transaction.atomic():
            line = Announcement.objects.select_for_update(skip_locked=True).filter(pk=announcement_id).first()
            if line is None or line.delivered_at is not None:
                return False
            _deliver(line, at=at)
            Announcement.objects.filter(pk=line.pk).update(delivered_at=at)
    except DatabaseError as error:
        log.exception("announcement %s failed", announcement_id)
        _note_failure(announcement_id, str(error), at=at)
        return False
    return True


def waiting_announcements(*, at: datetime, most: int = 200) -> list[int]:
    """What still has to go out: new lines whose bell was lost, and failed ones whose time has come."""
    due = Q(retry_at__isnull=True) | Q(retry_at__lte=at)
    waiting = Announcement.objects.filter(due, delivered_at__isnull=True, attempts__lt=MAX_ATTEMPTS)
    return list(waiting.order_by("id").values_list("pk", flat=True)[:most])


def retry_announcements(lines: QuerySet[Announcement]) -> int:
    """Let the sweep try these again from the beginning; how many they are."""
    return lines.filter(delivered_at__isnull=True).update(attempts=0, retry_at=None)


def forget_delivered(*, at: datetime) -> int:
    """Delivered lines go after a week; the inbox keeps what matters."""
    return Announcement.objects.filter(delivered_at__lt=at - KEPT).delete()[0]


def _deliver(line: Announcement, *, at: datetime) -> None:
    sender = Sender(SenderKind(line.sender_kind), line.sender_id, line.sender_name)
    store_notifications(
        recipients=[person for person in recipients_of(line) if person != line.sender_id],
        kind=Kind(line.kind),
        message=line.message,
        sender=sender,
        run_id=line.run_id,
        at=line.created_at,
    )


def recipients_of(line: Announcement) -> set[UUID]:
    """Contract section 3: followers hear of runs, claimants and commenters of comments, admins of watchers too."""
    match Kind(line.kind):
        case Kind.RUN_CREATED:
            return _followers(line)
        case Kind.RUN_FAILED:
            return _followers(line) | _admins() | _claimants(line)
        case Kind.COMMENT:
            return _claimants(line) | _commenters(line)
        case Kind.WATCHER_OFFLINE | Kind.WATCHER_ONLINE:
            return _followers(line) | _admins()
    return set()


def _followers(line: Announcement) -> set[UUID]:
    return set(Follow.objects.filter(instrument=line.instrument_id).values_list("user_id", flat=True))


def _admins() -> set[UUID]:
    return set(User.objects.filter(is_admin=True, is_active=True).values_list("pk", flat=True))


def _claimants(line: Announcement) -> set[UUID]:
    return set(Claim.objects.filter(run=line.run_id).values_list("user_id", flat=True))


def _commenters(line: Announcement) -> set[UUID]:
    rows = Comment.objects.active().filter(run=line.run_id, user__isnull=False)
    return set(rows.values_list("user_id", flat=True).distinct())


def _note_failure(announcement_id: int, reason: str, *, at: datetime) -> None:
    with transaction.atomic():
        line = Announcement.objects.select_for_update().filter(pk=announcement_id, delivered_at__isnull=True).first()
        if line:
            line.attempts += 1
            line.retry_at = at + RETRY_AFTER * 2**line.attempts
            line.error_message = reason[:500]
            line.save(update_fields=["attempts", "retry_at", "error_message"])
