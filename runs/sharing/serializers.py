"""Wire shapes of links for outsiders."""

from typing import Any

from rest_framework import serializers

from accounts.serializers import PersonRefSerializer, TokenRefSerializer
from runs.sharing.models import MAX_DAYS, USUAL_DAYS, ShareLink
from wire.fields import StrictInteger, Timestamp, Uuid

URL_HELP = "The address to send. It is told here and never again."
END_HELP = f"When it ends: within {MAX_DAYS} days."
DAYS_HELP = f"Instead of `expires_at`; {USUAL_DAYS} where neither is said."


class ShareLinkSerializer(serializers.Serializer[ShareLink]):
    id = Uuid()
    made_by = PersonRefSerializer(allow_null=True)
    made_by_token = TokenRefSerializer(allow_null=True)
    created_at = Timestamp()
    expires_at = Timestamp()
    open_count = serializers.IntegerField()
    last_opened_at = Timestamp(allow_null=True)


class MadeShareLinkSerializer(ShareLinkSerializer):
    url = serializers.URLField(help_text=URL_HELP)


class NewShareLinkSerializer(serializers.Serializer[Any]):
    expires_at = Timestamp(required=False, help_text=END_HELP)
    days = StrictInteger(required=False, min_value=1, max_value=MAX_DAYS, help_text=DAYS_HELP)
