"""Wire shapes of holds."""

from typing import Any

from rest_framework import serializers

from runs.holds.models import MAX_REASON_CHARACTERS
from wire.fields import Choice, Name, Timestamp, Uuid


class HolderSerializer(serializers.Serializer[Any]):
    id = Uuid()
    display_name = serializers.CharField()


class HoldSerializer(serializers.Serializer[Any]):
    on = Choice(choices=["run", "project"])
    reason = serializers.CharField()
    placed_by = HolderSerializer()
    placed_at = Timestamp()


class HeldSerializer(serializers.Serializer[Any]):
    hold = HoldSerializer(allow_null=True)


class NewHoldSerializer(serializers.Serializer[Any]):
    reason = Name(max_length=MAX_REASON_CHARACTERS)
