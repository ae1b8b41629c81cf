"""Wire shapes of receivers and deliveries."""

from typing import Any

from rest_framework import serializers

from changes.models import ChangeType
from changes.webhooks.models import MAX_DESCRIPTION_CHARS, MAX_URL_CHARS, Webhook, WebhookDelivery, WebhookKind
from wire.fields import Choice, StrictBoolean, Text, Timestamp, Uuid

MAX_INSTRUMENTS = 1_000


class NewWebhookSerializer(serializers.Serializer[Any]):
    url = Text(min_length=1, max_length=MAX_URL_CHARS)
    kind = Choice(choices=WebhookKind.values, required=False)
    description = Text(max_length=MAX_DESCRIPTION_CHARS, allow_blank=True, required=False)
    event_types = serializers.ListField(
        child=Choice(choices=ChangeType.values), required=False, max_length=len(ChangeType)
    )
    instrument_ids = serializers.ListField(
        child=Text(min_length=1, max_length=64),
        allow_empty=False,
        required=False,
        allow_null=True,
        max_length=MAX_INSTRUMENTS,
    )
    is_active = StrictBoolean(required=False)


class WebhookChangeSerializer(NewWebhookSerializer):
    url = Text(min_length=1, max_length=MAX_URL_CHARS, required=False)


class WebhookSerializer(serializers.Serializer[Webhook]):
    id = Uuid()
    kind = Choice(choices=WebhookKind.values)
    url = serializers.CharField()
    description = serializers.CharField()
    event_types = serializers.ListField(child=serializers.CharField())
    instrument_ids = serializers.ListField(child=serializers.CharField(), allow_null=True)
    is_active = serializers.BooleanField()
    disabled_reason = serializers.CharField(allow_null=True)
    created_at = Timestamp()
    last_success_at = Timestamp(allow_null=True)
    failing_since = Timestamp(allow_null=True)


class DeliverySerializer(serializers.Serializer[WebhookDelivery]):
    id = Uuid()
    webhook_id = Uuid()
    message_id = serializers.CharField()
    event_type = serializers.CharField()
    status = serializers.CharField()
    attempts = serializers.JSONField()
    next_attempt_at = Timestamp(allow_null=True)
    created_at = Timestamp()
