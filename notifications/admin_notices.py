"""What admins are told of in time: the same words reach each of them once in a while, read or not."""

import hashlib
from collections.abc import Collection
from datetime import datetime
from uuid import UUID

from notifications.addressees import list_admins
from notifications.inbox import store_notifications
from notifications.models import Notification, NotificationKind
from notifications.senders import SERVICE_SENDER


def tell_admins_once(message: str, *, instrument_ids: Collection[str] = (), since: datetime, at: datetime) -> set[UUID]:
    """Put it into the inbox of every admin who was not told these words since then; who was told now comes back."""
    digest = hashlib.sha256(message.encode()).hexdigest()
    told = Notification.objects.filter(
        kind=NotificationKind.GENERIC, message_sha256=digest, run__isnull=True, created_at__gte=since
    )
    return store_notifications(
        recipients=list_admins() - set(told.values_list("recipient_id", flat=True)),
        kind=NotificationKind.GENERIC,
        message=message,
        sender=SERVICE_SENDER,
        run_id=None,
        instrument_ids=instrument_ids,
        at=at,
    )
