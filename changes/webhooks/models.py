"""Where events are sent to, and each message on its way there."""

from urllib.parse import urlsplit

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from accounts.models import User
from accounts.trail.rows import audited
from wire.clock import now
from wire.columns import has_length
from wire.ids import new_id

MAX_URL_CHARS = 2_000
MAX_DESCRIPTION_CHARS = 200


class WebhookKind(models.TextChoices):
    STANDARD = "standard", "Standard Webhooks"  # signed JSON, for programs
    CHAT = "chat", "Chat"  # {"text": …}: Slack, Mattermost, Rocket.Chat, Google Chat
    TEAMS = "teams", "Microsoft Teams"  # a card for a Workflow


class DeliveryStatus(models.TextChoices):
    PENDING = "pending"
    SUCCEEDED = "succeeded"
    FAILED = "failed"


@audited(
    *("kind", "description", "event_types", "instrument_ids", "is_active"),
    secret=("url", "sealed_secret"),  # an address of a chat is a credential
)
class Webhook(models.Model):
    """A receiver. Its row is also its lane: only who holds the lease calls it (changes/webhooks/lanes.py)."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    kind = models.CharField(max_length=8, choices=WebhookKind, default=WebhookKind.STANDARD)
    url = models.TextField()
    description = models.CharField(max_length=MAX_DESCRIPTION_CHARS, blank=True)
    event_types = ArrayField(models.CharField(max_length=32), default=list, blank=True)  # empty: all
    instrument_ids = ArrayField(models.CharField(max_length=64), null=True, blank=True)  # null: all
    is_active = models.BooleanField(default=True)
    disabled_reason = models.TextField(null=True, blank=True)
    sealed_secret = models.TextField(editable=False)
    former_sealed_secret = models.TextField(null=True, editable=False)  # signs, too, until `former_until`
    former_until = models.DateTimeField(null=True, editable=False)
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+", db_index=False)
    created_at = models.DateTimeField(default=now, editable=False)
    last_success_at = models.DateTimeField(null=True, editable=False)
    failing_since = models.DateTimeField(null=True, editable=False)
    failures = models.IntegerField(default=0, editable=False)  # in a row
    due_at = models.DateTimeField(null=True, editable=False)  # when there is something to send next
    is_slow = models.BooleanField(default=False, editable=False)  # it took long, so few are called at once
    lease_id = models.UUIDField(null=True, editable=False)
    lease_until = models.DateTimeField(null=True, editable=False)

    class Meta:
        indexes = [
            models.Index(fields=["due_at"], condition=Q(due_at__isnull=False, is_active=True), name="webhooks_due"),
            models.Index(fields=["-created_at", "-id"], name="webhooks_by_age"),
        ]
        constraints = [
            models.CheckConstraint(condition=Q(kind__in=WebhookKind.values), name="webhook_kind_is_known"),
            models.CheckConstraint(condition=has_length("url", least=1, most=MAX_URL_CHARS), name="webhook_url_length"),
            models.CheckConstraint(condition=~Q(sealed_secret=""), name="webhook_has_a_secret"),
            models.CheckConstraint(
                condition=Q(former_sealed_secret__isnull=True, former_until__isnull=True)
                | Q(former_sealed_secret__isnull=False, former_until__isnull=False),
                name="former_secret_has_an_end",
            ),
            models.CheckConstraint(
                condition=Q(is_active=False) | Q(disabled_reason__isnull=True), name="active_webhook_is_not_disabled"
            ),
        ]

    def __str__(self) -> str:
        return self.description or f"webhook {self.id}"

    @property
    def host(self) -> str:
        """What of its address is shown: the rest may be a credential."""
        return urlsplit(self.url).netloc


class WebhookDelivery(models.Model):
    """One message to one receiver; `webhook-id` is made of its id and stays the same, however often it is tried."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    webhook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="deliveries", db_index=False)
    position = models.BigIntegerField(null=True)  # of the change it tells; none of a test
    event_type = models.CharField(max_length=32)
    payload = models.JSONField()
    status = models.CharField(max_length=9, choices=DeliveryStatus, default=DeliveryStatus.PENDING)
    tries = models.IntegerField(default=0)  # since it was asked for last
    attempts = models.JSONField(default=list)  # all of them: at, http_status, duration_ms, error, answer
    next_attempt_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(default=now, editable=False)

    class Meta:
        verbose_name_plural = "webhook deliveries"
        indexes = [
            models.Index(fields=["webhook", "-created_at", "-id"], name="deliveries_of_webhook_by_age"),
            models.Index(
                fields=["webhook", "next_attempt_at", "id"], condition=Q(status="pending"), name="deliveries_due"
            ),
            models.Index(fields=["created_at"], name="deliveries_by_age"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["webhook", "position"], name="one_delivery_per_webhook_and_change"),
            models.CheckConstraint(condition=Q(status__in=DeliveryStatus.values), name="delivery_status_is_known"),
            models.CheckConstraint(
                condition=Q(status="pending", next_attempt_at__isnull=False)
                | ~Q(status="pending") & Q(next_attempt_at__isnull=True),
                name="pending_delivery_has_a_time",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.event_type} {self.id}"

    @property
    def message_id(self) -> str:
        return f"msg_{self.pk.hex}"
