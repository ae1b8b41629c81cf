"""What was sent to a receiver and what is on its way: looked at, sent again, tried out, forgotten after a month."""

from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet

from accounts.callers import Caller
from changes.webhooks.catalogue import find_webhook
from changes.webhooks.models import DeliveryStatus, Webhook, WebhookDelivery
from changes.webhooks.payloads import TEST_EVENT, build_test_payload
from wire.errors import Conflict, NotFound

KEPT = timedelta(days=30)
FORGOTTEN_AT_ONCE = 10_000
SOON = timedelta(minutes=1)  # within which what is due has been tried, if anything sends at all


class DeliveryMissing(NotFound):
    def __init__(self) -> None:
        super().__init__("There is no such delivery.")


class WebhookSwitchedOff(Conflict):
    def __init__(self, webhook: Webhook) -> None:
        super().__init__(
            "The webhook is switched off.", webhook_id=str(webhook.pk), disabled_reason=webhook.disabled_reason
        )


def list_deliveries(webhook_id: UUID) -> QuerySet[WebhookDelivery]:
    """Newest first. Raises WebhookMissing."""
    return WebhookDelivery.objects.filter(webhook=find_webhook(webhook_id)).order_by("-created_at", "-id")


def is_due(delivery: WebhookDelivery, *, at: datetime) -> bool:
    """Whether it is being sent just now, so that it is worth waiting for."""
    due = delivery.next_attempt_at
    return due is not None and at - SOON < due <= at


@transaction.atomic
def redeliver(webhook_id: UUID, delivery_id: UUID, *, by: Caller, at: datetime) -> WebhookDelivery:
    """Send a message once more, under the same id and with all its retries. Raises NotFound, WebhookSwitchedOff."""
    webhook = _find_active(webhook_id)
    delivery = WebhookDelivery.objects.select_for_update().filter(pk=delivery_id, webhook=webhook).first()
    if delivery is None:
        raise DeliveryMissing
    delivery.status, delivery.tries, delivery.next_attempt_at = DeliveryStatus.PENDING, 0, at
    delivery.save(update_fields=["status", "tries", "next_attempt_at"])
    _ring(webhook, at=at)
    return delivery


@transaction.atomic
def send_test(webhook_id: UUID, *, by: Caller, at: datetime) -> WebhookDelivery:
    """Send a message of its own kind. Raises NotFound, WebhookSwitchedOff."""
    webhook = _find_active(webhook_id)
    payload = build_test_payload(at=at, webhook_id=webhook.pk)
    delivery = WebhookDelivery.objects.create(
        webhook=webhook, event_type=TEST_EVENT, payload=payload, next_attempt_at=at, created_at=at
    )
    _ring(webhook, at=at)
    return delivery


def forget_deliveries(*, at: datetime) -> int:
    """What is older than is kept, some thousand rows a transaction."""
    dropped = 0
    while True:
        old = WebhookDelivery.objects.filter(created_at__lt=at - KEPT).order_by("created_at").values("pk")
        count = WebhookDelivery.objects.filter(pk__in=old[:FORGOTTEN_AT_ONCE]).delete()[0]
        dropped += count
        if count < FORGOTTEN_AT_ONCE:
            return dropped


def _find_active(webhook_id: UUID) -> Webhook:
    webhook = find_webhook(webhook_id, lock=True)
    if not webhook.is_active:
        raise WebhookSwitchedOff(webhook)
    return webhook


def _ring(webhook: Webhook, *, at: datetime) -> None:
    """A person waits: at once, even where the lane pauses."""
    Webhook.objects.filter(pk=webhook.pk).update(due_at=at)
