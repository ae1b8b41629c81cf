"""Wire shapes of notifications, their dispatch and a person's settings."""

from typing import Any

from rest_framework import serializers

from notifications.models import CHOSEN_KINDS, Notification
from wire.fields import BoundedList, LongText, QueryBoolean, StrictBoolean, Text, Timestamp, Uuid, refuse_blanks
from wire.names import TEXT_PATTERN


class RunLinkSerializer(serializers.Serializer[Any]):
    instrument_id = Text(min_length=1, max_length=64)
    run_id = Text(min_length=1, max_length=255)


class DispatchSerializer(serializers.Serializer[Any]):
    """`users`, `user_ids` or both."""

    user_ids = BoundedList(child=Text(max_length=100), min_length=1, max_length=100, required=False)
    users = BoundedList(
        child=Text(min_length=1, max_length=100),
        min_length=1,
        max_length=100,
        required=False,
        help_text="Names or ids; a name that nobody has, or several people, is refused.",
    )
    message = LongText(min_length=1, max_length=2_000, pattern=TEXT_PATTERN, validators=[refuse_blanks])
    run = RunLinkSerializer(required=False, allow_null=True)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if "user_ids" not in attrs and "users" not in attrs:
            raise serializers.ValidationError({"user_ids": ["This field is required, or users."]})
        return attrs


class DispatchedSerializer(serializers.Serializer[Any]):
    notified_user_ids = serializers.ListField(child=serializers.CharField())
    skipped_user_ids = serializers.ListField(child=serializers.CharField())


class SenderSerializer(serializers.Serializer[Notification]):
    kind = serializers.CharField(source="sender_kind")
    id = Uuid(source="sender_id", allow_null=True)
    name = serializers.CharField(source="sender_name")


class LinkedRunSerializer(serializers.Serializer[Any]):
    instrument_id = serializers.CharField()
    run_id = serializers.CharField()


class NotificationSerializer(serializers.Serializer[Notification]):
    id = Uuid()
    kind = serializers.CharField()
    message = serializers.CharField()
    sender = SenderSerializer(source="*")
    run = LinkedRunSerializer(allow_null=True)
    read_at = Timestamp(allow_null=True)
    created_at = Timestamp()


class InboxParams(serializers.Serializer[Any]):
    unread_only = QueryBoolean(required=False)


class ReadSerializer(serializers.Serializer[Any]):
    ids = BoundedList(child=Uuid(), required=False, max_length=1_000)


class ChannelsSerializer(serializers.Serializer[Any]):
    in_app = StrictBoolean()
    chat = StrictBoolean()
    email = StrictBoolean(required=False)
    email_daily = StrictBoolean(required=False)


class NotificationSettingsSerializer(serializers.Serializer[Any]):
    kinds = serializers.DictField(child=ChannelsSerializer(), required=False)
    followed_instruments = BoundedList(child=Text(max_length=64), required=False, max_length=1_000)

    def validate_kinds(self, kinds: dict[str, Any]) -> dict[str, Any]:
        unknown = sorted(set(kinds) - set(CHOSEN_KINDS))
        if unknown:
            raise serializers.ValidationError([f"Unknown kind: {kind}." for kind in unknown])
        return kinds
