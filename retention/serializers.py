"""Wire shapes of retention."""

from typing import Any

from rest_framework import serializers

from files.storage import cold_store
from instruments.retention import Retention
from instruments.retention_rules import COLD_RULE, MAX_RETENTION_DAYS
from wire.fields import StrictInteger
from wire.outputs import represent


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


class CoolingSerializer(RetentionSerializer):
    """With the rule by which bytes move, and are kept."""

    cold_raw_after_days = StrictInteger(
        min_value=1,
        max_value=MAX_RETENTION_DAYS,
        required=False,
        allow_null=True,
        help_text="Since a raw file was stored: its bytes go to the cold store. Left out of a request: as it was.",
    )


def represent_rules(kept: Retention) -> dict[str, Any]:
    """What is said of cold files only where there is a store for them."""
    shown: dict[str, Any] = represent(RetentionSerializer, kept)
    return shown if cold_store() is None else shown | {COLD_RULE: kept.cold_raw_after_days}


class FreedSerializer(serializers.Serializer[Any]):
    runs = serializers.IntegerField()
    files = serializers.IntegerField()
    bytes = serializers.IntegerField()


class FreedByRuleSerializer(serializers.Serializer[Any]):
    purge_deleted_after_days = FreedSerializer()
    expire_raw_after_days = FreedSerializer()
    expire_processed_after_days = FreedSerializer()
    expire_archives_after_days = FreedSerializer()
    cold_raw_after_days = FreedSerializer(
        required=False, help_text="What would move to the cold store: no part of the sums."
    )


class PurgePreviewSerializer(FreedSerializer):
    by_rule = FreedByRuleSerializer()
