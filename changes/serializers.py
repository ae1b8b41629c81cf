"""Wire shapes of the log."""

from typing import Any

from rest_framework import serializers

from changes.log import MAX_CHANGES
from changes.models import Change, ChangeType
from wire.fields import MAX_BIGINT, Choice, QueryInteger, Text, Timestamp, Uuid

POSITION_PATTERN = r"^(now|0|[1-9][0-9]{0,17})$"


class ChangesParams(serializers.Serializer[Any]):
    after = serializers.RegexField(
        POSITION_PATTERN,
        required=False,
        error_messages={"invalid": "A position is needed, or now."},
        help_text="What comes behind this position; `now` begins at the end. Without it: all that is kept.",
    )
    types = serializers.ListField(
        child=Choice(choices=ChangeType.values), required=False, max_length=len(ChangeType), help_text="Repeatable."
    )
    instrument_id = Text(required=False, min_length=1, max_length=64)
    limit = QueryInteger(min_value=1, max_value=MAX_CHANGES, required=False)


class ChangeSerializer(serializers.Serializer[Change]):
    """What is not of the change's kind is left out, but for the run: null where it is about none."""

    position = serializers.IntegerField(min_value=1, max_value=MAX_BIGINT)
    type = Choice(choices=ChangeType.values)
    at = Timestamp()
    instrument_id = serializers.CharField()
    run_id = serializers.CharField(allow_null=True)
    file_id = serializers.IntegerField(required=False)
    comment_id = Uuid(required=False)
    archive_job_id = Uuid(required=False)
    watcher_id = Uuid(required=False)

    def to_representation(self, instance: Change) -> dict[str, Any]:
        shown = super().to_representation(instance)
        return {name: value for name, value in shown.items() if value is not None or name == "run_id"}


class ChangesSerializer(serializers.Serializer[Any]):
    data = ChangeSerializer(many=True, source="rows")  # type: ignore[assignment]
    next = serializers.IntegerField(min_value=0, help_text="The `after` of the next call.")
