"""Wire shapes of watchers, and of what they send."""

from typing import Any

from django.core.validators import RegexValidator
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from watchers.config import MAX_DIRECTORY
from watchers.models import Heartbeat, Watcher, WatcherEvent, WatcherRelease
from watchers.status import SHOWN_STATUSES, shown_status
from watchers.vocabulary import Channel, EventType, UploadMode, WatcherStatus
from wire.clock import now
from wire.errors import PayloadTooLarge
from wire.fields import KIB, Choice, Details, LongText, QueryMoment, QueryTruth, Text, Timestamp, Truth, Uuid, Whole
from wire.pagination import PageParams

CONFIG_LIMIT = 256 * KIB
MAX_BATCH = 500
MAX_MESSAGE = 10_000
IS_SHA256 = RegexValidator(r"^[0-9a-f]{64}\Z", "64 lower-case hex digits are needed.")


class WatcherSerializer(serializers.Serializer[Watcher]):
    """A described watcher."""

    id = Uuid()
    instrument_id = serializers.CharField()
    instrument_display_name = serializers.CharField(source="instrument.display_name")
    hostname = serializers.CharField(allow_null=True)
    os_info = serializers.CharField(allow_null=True)
    agent_version = serializers.CharField(allow_null=True)
    status = serializers.SerializerMethodField()
    upload_mode = Choice(choices=UploadMode.choices)
    watch_directory = serializers.CharField(allow_null=True)
    last_heartbeat_at = Timestamp(allow_null=True)
    created_at = Timestamp()
    updated_at = Timestamp()
    deleted_at = Timestamp(allow_null=True)

    @extend_schema_field(Choice(choices=SHOWN_STATUSES))
    def get_status(self, watcher: Watcher) -> str:
        return shown_status(watcher, at=now())


class RegisteredWatcherSerializer(WatcherSerializer):
    watcher_id = Uuid(source="id")


class NewWatcherSerializer(serializers.Serializer[Any]):
    instrument_id = Text(max_length=64)
    hostname = Text(max_length=255, required=False, allow_null=True)
    os_info = Text(max_length=255, required=False, allow_null=True)
    agent_version = Text(max_length=64, required=False, allow_null=True)


class WatcherListParams(PageParams):
    instrument_id = Text(required=False)
    include_deleted = QueryTruth(required=False, help_text="Deregistered watchers too.")


class DeregisteredWatcherSerializer(serializers.Serializer[Any]):
    id = Uuid(source="watcher.id")
    deleted_at = Timestamp(source="watcher.deleted_at")
    already_applied = serializers.BooleanField()


class NewHeartbeatSerializer(serializers.Serializer[Any]):
    """What is absent or null leaves what is known as it is."""

    status = Choice(choices=WatcherStatus.choices)
    timestamp = Timestamp(required=False, allow_null=True, help_text="The agent's clock; the server's own counts.")
    agent_version = Text(max_length=64, required=False, allow_null=True)
    upload_mode = Choice(choices=UploadMode.choices, required=False, allow_null=True)
    watch_directory = Text(max_length=MAX_DIRECTORY, required=False, allow_null=True)
    files_uploaded = Whole(min_value=0, required=False, allow_null=True)
    runs_reported = Whole(min_value=0, required=False, allow_null=True)
    errors = Whole(min_value=0, required=False, allow_null=True)  # type: ignore[assignment]  # a field by that name
    uptime_seconds = Whole(min_value=0, required=False, allow_null=True)
    queue_depth = Whole(min_value=0, required=False, allow_null=True)


class HeardSerializer(serializers.Serializer[Any]):
    ok = serializers.SerializerMethodField()
    server_time = Timestamp()
    upload_requests = serializers.IntegerField(help_text="Files that wait for this watcher in its upload queue.")
    config_checksum = serializers.CharField(allow_null=True, help_text="Null before the first push.")

    @extend_schema_field({"type": "boolean", "const": True})
    def get_ok(self, heard: Any) -> bool:
        return True


class HeartbeatSerializer(serializers.Serializer[Heartbeat]):
    """A heartbeat as it was received."""

    id = serializers.IntegerField()
    received_at = Timestamp()
    timestamp = Timestamp(source="sent_at", allow_null=True, help_text="The agent's clock.")
    status = Choice(choices=WatcherStatus.choices)
    agent_version = serializers.CharField(allow_null=True)
    upload_mode = Choice(choices=UploadMode.choices, allow_null=True)
    files_uploaded = serializers.IntegerField(allow_null=True)
    runs_reported = serializers.IntegerField(allow_null=True)
    errors = serializers.IntegerField(allow_null=True)  # type: ignore[assignment]  # a field by that name
    uptime_seconds = serializers.IntegerField(allow_null=True)
    queue_depth = serializers.IntegerField(allow_null=True)


class NewEventSerializer(serializers.Serializer[Any]):
    id = Uuid(required=False, allow_null=True, help_text="The agent's own; repeating it is safe.")
    event_type = Choice(choices=EventType.choices)
    timestamp = Timestamp(help_text="The agent's clock.")
    message = LongText(max_length=MAX_MESSAGE)
    details = Details(required=False, allow_null=True)


class EventBatchSerializer(serializers.Serializer[Any]):
    events = serializers.ListField(child=NewEventSerializer(), min_length=1, max_length=MAX_BATCH)


class StoredEventsSerializer(serializers.Serializer[Any]):
    received = serializers.IntegerField(help_text="The whole batch.")
    duplicates = serializers.IntegerField(help_text="Those of it that were known already.")


class EventSerializer(serializers.Serializer[WatcherEvent]):
    """Something an agent told."""

    id = Uuid(source="event_id")
    event_type = Choice(choices=EventType.choices)
    timestamp = Timestamp(source="happened_at")
    message = serializers.CharField()
    details = Details(allow_null=True)
    received_at = Timestamp()


class EventListParams(PageParams):
    event_type = Choice(choices=EventType.choices, required=False)
    since = QueryMoment(required=False, help_text="By the events' own timestamps.")


class ConfigYaml(Text):
    """YAML as it is: line ends stay. At most 256 KiB (else 413)."""

    multiline = True

    def to_internal_value(self, data: Any) -> str:
        text = super().to_internal_value(data)
        if (size := len(text.encode())) > CONFIG_LIMIT:
            raise PayloadTooLarge(f"The configuration has {size} bytes; at most {CONFIG_LIMIT} are kept.")
        return text


class ConfigChecksumSerializer(serializers.Serializer[Any]):
    checksum = serializers.CharField(help_text="SHA-256 of the exact bytes, in hex.")


class PushedConfigSerializer(ConfigChecksumSerializer):
    updated_at = Timestamp()


class ConfigSerializer(PushedConfigSerializer):
    config_yaml = serializers.CharField()


class NewConfigSerializer(serializers.Serializer[Any]):
    config_yaml = ConfigYaml(allow_blank=True)
    checksum = Text(validators=[IS_SHA256], help_text="SHA-256 of the exact bytes, in hex.")


class UpdateCheckSerializer(serializers.Serializer[Any]):
    latest_version = serializers.CharField(allow_null=True)
    channel = Choice(choices=Channel.choices)
    mandatory = serializers.BooleanField()
    min_supported_version = serializers.CharField(allow_null=True)
    update_available = serializers.BooleanField()


class NewReleaseSerializer(serializers.Serializer[Any]):
    version = Text(max_length=64)
    channel = Choice(choices=Channel.choices, required=False)
    min_supported_version = Text(max_length=64, required=False, allow_null=True)
    mandatory = Truth(required=False)
    notes = LongText(max_length=10_000, required=False, allow_blank=True)


class PublishSerializer(serializers.Serializer[Any]):
    published = Truth()


class ReleaseSerializer(serializers.Serializer[WatcherRelease]):
    id = serializers.IntegerField()
    version = serializers.CharField()
    channel = serializers.CharField()
    min_supported_version = serializers.CharField(allow_null=True)
    mandatory = serializers.BooleanField()
    notes = serializers.CharField()
    published_at = Timestamp(allow_null=True)
    created_at = Timestamp()
