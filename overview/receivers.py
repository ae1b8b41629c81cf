"""What one part of the service tells another that it may not know."""

from datetime import datetime
from typing import Any

from django.dispatch import receiver

from feedback.models import Report
from feedback.signals import feedback_updated
from notifications.inbox import store_notifications
from notifications.models import NotificationKind
from notifications.senders import SERVICE_SENDER


@receiver(feedback_updated)
def notify_reporter(report: Report, at: datetime, **_: Any) -> None:
    message = f"Your report “{report.title}” was closed."
    store_notifications(
        recipients=[report.created_by_id],
        kind=NotificationKind.FEEDBACK_UPDATED,
        message=message,
        sender=SERVICE_SENDER,
        run_id=None,
        at=at,
    )
