"""Wire shapes of watchers, and of what they send."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from watchers.choices import (
    AGENT_EVENT_TYPES,
    EventType,
    FolderState,
    UploadMode,
    WatcherStatus,
)
from watchers.config import MAX_DIRECTORY_CHARS
from watchers.folders import find_silence_of_files
from watchers.models import Heartbeat, Watcher, WatcherEvent
from watchers.status import DISPLAY_STATUSES, display_status
from wire.clock import format_timestamp, now
from wire.fields import (
    BoundedList,
    Choice,
    Details,
    LongText,
    QueryBoolean,
    QueryDateTime,
    StrictInteger,
    Text,
    Timestamp,
    Uuid,
)
from wire.lists.pagination import PageParams
from wire.outputs import represent

MAX_EVENTS_PER_BATCH = 500
MAX_MESSAGE_CHARS = 10_000


class FolderSerializer(serializers.Serializer[Any]):
    state = Choice(choices=FolderState.choices)
    last_scan_at = Timestamp(required=False, allow_null=True, help_text="By the agent's clock, as the next.")
    last_file_at = Timestamp(required=False, allow_null=True, help_text="When something new was last found.")
    files_waiting = StrictInteger(min_value=0, required=False, allow_null=True)
    bytes_waiting = StrictInteger(min_value=0, required=False, allow_null=True)


class KnownFolderSerializer(serializers.Serializer[Watcher]):
    state = Choice(choices=FolderState.choices, source="folder_state")
    away_since = Timestamp(source="folder_away_since", allow_null=True, help_text="By the server's clock.")
    last_scan_at = Timestamp(source="folder_last_scan_at", allow_null=True)
    last_file_at = Timestamp(source="folder_last_file_at", allow_null=True)
    files_waiting = serializers.IntegerField(source="folder_files_waiting", allow_null=True)
    bytes_waiting = serializers.IntegerField(source="folder_bytes_waiting", allow_null=True)


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
    folder = serializers.SerializerMethodField()
    silent_files_since = serializers.SerializerMethodField()
    instance_id = Uuid(allow_null=True, help_text="The installation whose heartbeats count.")
    other_instance_id = Uuid(allow_null=True, help_text="One that is refused, until an admin settles the conflict.")
    created_at = Timestamp()
    updated_at = Timestamp()
    deleted_at = Timestamp(allow_null=True)

    @extend_schema_field(Choice(choices=DISPLAY_STATUSES))
    def get_status(self, watcher: Watcher) -> str:
        return display_status(watcher, at=now())

    @extend_schema_field(KnownFolderSerializer(allow_null=True))
    def get_folder(self, watcher: Watcher) -> dict[str, Any] | None:
        return represent(KnownFolderSerializer, watcher) if watcher.folder_state else None

    @extend_schema_field(Timestamp(allow_null=True, help_text="Longer than `expect_files_every_hours`; else null."))
    def get_silent_files_since(self, watcher: Watcher) -> str | None:
        return format_timestamp(find_silence_of_files(watcher))


class RegisteredWatcherSerializer(WatcherSerializer):
    watcher_id = Uuid(source="id")


class NewWatcherSerializer(serializers.Serializer[Any]):
    instrument_id = Text(max_length=64)
    hostname = Text(max_length=255, required=False, allow_null=True)
    os_info = Text(max_length=255, required=False, allow_null=True)
    agent_version = Text(max_length=64, required=False, allow_null=True)
    instance_id = Uuid(required=False, allow_null=True, help_text="Of this installation of the agent.")
    folder = FolderSerializer(required=False, allow_null=True)


class InstanceSerializer(serializers.Serializer[Any]):
    instance_id = Uuid()


class WatcherListParams(PageParams):
    instrument_id = Text(required=False)
    include_deleted = QueryBoolean(required=False, help_text="Deregistered watchers too.")


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
    watch_directory = Text(max_length=MAX_DIRECTORY_CHARS, required=False, allow_null=True)
    files_uploaded = StrictInteger(min_value=0, required=False, allow_null=True)
    runs_reported = StrictInteger(min_value=0, required=False, allow_null=True)
    errors = StrictInteger(min_value=0, required=False, allow_null=True)  # type: ignore[assignment]  # a field by that name
    uptime_seconds = StrictInteger(min_value=0, required=False, allow_null=True)
    queue_depth = StrictInteger(min_value=0, required=False, allow_null=True)
    instance_id = Uuid(required=False, allow_null=True, help_text="Of this installation of the agent.")
    folder = FolderSerializer(required=False, allow_null=True)


class HeardSerializer(serializers.Serializer[Any]):
    ok = serializers.SerializerMethodField()
    server_time = Timestamp()
    upload_requests = serializers.IntegerField(help_text="Files that wait for this watcher in its upload queue.")
    config_checksum = serializers.CharField(allow_null=True, help_text="Null before the first push.")
    wanted_config_checksum = serializers.CharField(
        allow_null=True, help_text="Of a configuration that waits for the agent to take it; null where none does."
    )

    @extend_schema_field({"type": "boolean", "const": True})
    def get_ok(self, heard: Any) -> bool:
        return True


class HeartbeatSerializer(serializers.Serializer[Heartbeat]):
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
    event_type = Choice(choices=[(kind.value, kind.label) for kind in AGENT_EVENT_TYPES])
    timestamp = Timestamp(help_text="The agent's clock.")
    message = LongText(max_length=MAX_MESSAGE_CHARS)
    details = Details(required=False, allow_null=True)


class EventBatchSerializer(serializers.Serializer[Any]):
    events = BoundedList(child=NewEventSerializer(), min_length=1, max_length=MAX_EVENTS_PER_BATCH)


class StoredEventsSerializer(serializers.Serializer[Any]):
    received = serializers.IntegerField(help_text="The whole batch.")
    duplicates = serializers.IntegerField(help_text="Those of it that were known already.")


class EventSerializer(serializers.Serializer[WatcherEvent]):
    """An event that an agent reported."""

    id = Uuid(source="event_id")
    event_type = Choice(choices=EventType.choices)
    timestamp = Timestamp(source="happened_at")
    message = serializers.CharField()
    details = Details(allow_null=True)
    received_at = Timestamp()


class EventListParams(PageParams):
    event_type = Choice(choices=EventType.choices, required=False)
    since = QueryDateTime(required=False, help_text="By the events' own timestamps.")
