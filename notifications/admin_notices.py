"""What admins are told of by the service itself, at once."""

import hashlib
from collections.abc import Collection
from datetime import datetime
from uuid import UUID

from notifications.addressees import list_admins
from notifications.inbox import store_notifications
from notifications.models import Notification, NotificationKind
from notifications.senders import SERVICE_SENDER


def tell_admins(
    message: str,
    *,
    instrument_ids: Collection[str] = (),
    and_to: Collection[UUID] = (),
    but: Collection[UUID] = (),
    at: datetime,
) -> set[UUID]:
    """Put it into the inbox of every admin but those; who got it comes back. An unread exact repeat is skipped."""
    return store_notifications(
        recipients=(list_admins() | set(and_to)) - set(but),
        kind=NotificationKind.GENERIC,
        message=message,
        sender=SERVICE_SENDER,
        run_id=None,
        instrument_ids=instrument_ids,
        at=at,
    )


def tell_admins_once(message: str, *, instrument_ids: Collection[str] = (), since: datetime, at: datetime) -> set[UUID]:
    """The same to those who were not told these words since then, read or not."""
    digest = hashlib.sha256(message.encode()).hexdigest()
    told = Notification.objects.filter(
        kind=NotificationKind.GENERIC, message_sha256=digest, run__isnull=True, created_at__gte=since
    )
    return tell_admins(message, instrument_ids=instrument_ids, but=told.values_list("recipient_id", flat=True), at=at)
