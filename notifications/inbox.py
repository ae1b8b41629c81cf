"""The inbox: storing a message for several people at once, reading it, marking it read."""

import hashlib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.db import connection
from django.db.models import Q

from accounts.callers import Caller
from jobs.task_queue import enqueue_on_commit
from notifications.delivery import CHAT_DELIVERIES
from notifications.email_delivery import EMAIL_DELIVERIES
from notifications.models import Notification, NotificationKind, NotificationQuerySet
from notifications.senders import Sender
from wire.ids import new_id

# The message, and where its recipient wants that and a chat or mail is set up, a delivery by that way.
# Recipients in id order, so that two senders to the same people cannot deadlock on the unique index.
STORE_NOTIFICATIONS_SQL = """
    WITH given AS (
    SELECT * FROM unnest(%(recipients)s::uuid[], %(ids)s::uuid[], %(by_kind)s::bool[], %(shown)s::bool[],
                         %(mailed)s::bool[]) AS given (recipient_id, id, by_kind, in_app, email)
    ), told AS (
    INSERT INTO notifications_notification
        (id, recipient_id, kind, message, message_sha256, sender_kind, sender_id, sender_name, run_id,
         instrument_ids, in_app, created_at)
    SELECT given.id, person.id, %(kind)s, %(message)s, %(sha256)s, %(sender_kind)s, %(sender_id)s, %(sender_name)s,
           %(run_id)s, %(instruments)s, given.in_app OR given.by_kind AND coalesce(wish.in_app, true), %(at)s
    FROM given
    JOIN accounts_user person ON person.id = given.recipient_id AND person.is_active
    LEFT JOIN notifications_preference wish ON wish.user_id = person.id AND wish.kind = %(wish)s
    ORDER BY person.id
    ON CONFLICT DO NOTHING
    RETURNING id, recipient_id
    ), chats AS (
    INSERT INTO notifications_chatdelivery (notification_id, attempts, error_message)
    SELECT told.id, 0, '' FROM told JOIN given USING (id)
    JOIN notifications_preference wish ON wish.user_id = given.recipient_id AND wish.kind = %(wish)s AND wish.chat
    WHERE given.by_kind AND EXISTS (SELECT FROM accounts_integration WHERE kind = 'chat')
    ORDER BY told.id
    RETURNING id
    ), mails AS (
    INSERT INTO notifications_emaildelivery (notification_id, attempts, error_message, is_daily)
    SELECT told.id, 0, '', NOT given.email AND wish.email_daily FROM told JOIN given USING (id)
    LEFT JOIN notifications_preference wish
           ON wish.user_id = given.recipient_id AND wish.kind = %(wish)s AND given.by_kind
    WHERE %(has_mail)s AND (given.email OR wish.email)
    ORDER BY told.id
    RETURNING is_daily
    )
    SELECT recipient_id, (SELECT count(*) FROM chats), (SELECT count(*) FROM mails WHERE NOT is_daily) FROM told
"""


@dataclass(frozen=True)
class Ways:
    """How a message reaches one person: as they prefer for its kind, and whatever a rule of theirs names."""

    by_kind: bool = False
    in_app: bool = False
    email: bool = False

    def __or__(self, more: "Ways") -> "Ways":
        return Ways(self.by_kind or more.by_kind, self.in_app or more.in_app, self.email or more.email)


AS_PREFERRED = Ways(by_kind=True)
PREFERENCE_OF = {NotificationKind.FILE_FAILED: NotificationKind.RUN_FAILED}  # who asked for files hears of them instead


def store_notifications(
    *,
    recipients: Collection[UUID],
    ways: Mapping[UUID, Ways] | None = None,
    kind: NotificationKind,
    message: str,
    sender: Sender,
    run_id: UUID | None,
    instrument_ids: Collection[str] = (),
    at: datetime,
) -> set[UUID]:
    """Put one message into the inboxes of those recipients that exist; who got a new row comes back.

    `instrument_ids`: those that it speaks of, beside that of the run. Who sees one of them no more, sees it no more.

    `ways`: how it reaches some of them; the others as they prefer.

    An exact repeat (kind, sender, run, message) of a message that is still unread is skipped.
    """
    people = sorted(set(recipients))
    chosen = [(ways or {}).get(person, AS_PREFERRED) for person in people]
    values = {
        "kind": kind.value,
        "message": message,
        "sha256": hashlib.sha256(message.encode()).hexdigest(),
        "sender_kind": sender.kind.value,
        "sender_id": sender.id,
        "sender_name": sender.name,
        "run_id": run_id,
        "instruments": sorted(instrument_ids) or None,
        "at": at,
        "has_mail": bool(settings.EMAIL_URL),
        "recipients": people,
        "ids": [new_id() for _ in people],
        "wish": PREFERENCE_OF.get(kind, kind).value,
        "by_kind": [way.by_kind for way in chosen],
        "shown": [way.in_app for way in chosen],
        "mailed": [way.email for way in chosen],
    }
    with connection.cursor() as cursor:
        cursor.execute(STORE_NOTIFICATIONS_SQL, values)
        rows = cursor.fetchall()
    if rows:
        enqueue_on_commit(CHAT_DELIVERIES.task, times=rows[0][1])
        enqueue_on_commit(EMAIL_DELIVERIES.task, times=rows[0][2])
    return {row[0] for row in rows}


def list_notifications(*, by: Caller, unread_only: bool = False) -> NotificationQuerySet:
    """What the bell shows to this person, newest first."""
    rows = Notification.objects.visible_to(by).shown_in_app()
    rows = rows.unread() if unread_only else rows
    return rows.select_related("run").order_by("-created_at", "-id")


def count_unread(*, by: Caller) -> int:
    return Notification.objects.visible_to(by).shown_in_app().unread().count()


def mark_read(*, by: Caller, ids: Iterable[UUID] | None, at: datetime) -> int:
    """Mark these, or all; ids of other people's notifications are ignored. Returns how many stay unread in the bell."""
    chosen = Q() if ids is None else Q(pk__in=list(ids))
    Notification.objects.visible_to(by).unread().filter(chosen).update(read_at=at)
    return count_unread(by=by)
