"""Wire shapes of retention."""

from typing import Any

from rest_framework import serializers

from instruments.retention_rules import MAX_RETENTION_DAYS
from wire.fields import StrictInteger


def days(help_text: str) -> StrictInteger:
    return StrictInteger(
        min_value=1, max_value=MAX_RETENTION_DAYS, required=False, allow_null=True, default=None, help_text=help_text
    )


class RetentionSerializer(serializers.Serializer[Any]):
    """Days; null is for ever."""

    purge_deleted_after_days = days("Since a run was deleted: its bytes go and it cannot be restored.")
    expire_raw_after_days = days("Since a raw file was stored.")
    expire_processed_after_days = days("Since processing made a file.")
    expire_archives_after_days = days("Since an archive was packed; null: the seven days of all archives.")


class FreedSerializer(serializers.Serializer[Any]):
    runs = serializers.IntegerField()
    files = serializers.IntegerField()
    bytes = serializers.IntegerField()


class FreedByRuleSerializer(serializers.Serializer[Any]):
    purge_deleted_after_days = FreedSerializer()
    expire_raw_after_days = FreedSerializer()
    expire_processed_after_days = FreedSerializer()
    expire_archives_after_days = FreedSerializer()


class PurgePreviewSerializer(FreedSerializer):
    by_rule = FreedByRuleSerializer()
