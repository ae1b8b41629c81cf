"""A receiver that wants nothing more, or was dead for days, is switched off, and admins are told."""

from datetime import datetime

from changes.signals import webhook_disabled
from changes.webhooks.models import Webhook


def disable_webhook(receiver: Webhook, *, reason: str, at: datetime) -> None:
    """In the caller's transaction. What waits stays until it is switched on again or forgotten."""
    changed = Webhook.objects.filter(pk=receiver.pk, is_active=True).update(is_active=False, disabled_reason=reason)
    receiver.is_active, receiver.disabled_reason = False, reason
    if changed:
        webhook_disabled.send(sender=Webhook, webhook=receiver, at=at)
