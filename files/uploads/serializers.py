"""Wire shapes of uploads: asking where bytes go, parts, ends, the queue of a watcher."""

from typing import Any

from django.core.validators import RegexValidator
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from files.models import File
from files.records import FileMissing, NewFile
from files.serializers import IS_SHA256, DescribedFileSerializer
from files.storage.interface import MAX_PARTS_PER_UPLOAD, MIN_PART_SIZE
from files.uploads.multipart import MAX_PART_SIZE
from files.uploads.requests import UploadTicket
from files.uploads.together import UploadOrder
from wire.batches import Entry
from wire.fields import (
    MAX_BIGINT,
    BoundedList,
    Choice,
    StrictBoolean,
    StrictInteger,
    Text,
    Timestamp,
)
from wire.inputs import read_body

IS_CRC32 = RegexValidator(r"^[0-9a-f]{8}\Z", "8 lower-case hex digits are needed.")
MAX_FILES_PER_QUEUE_REQUEST = 100
MAX_FILES_PER_BATCH = 200
MAX_PART_URLS_PER_REQUEST = 16
MAX_UPLOAD_ID_CHARS = 1_024
NEW_VERSION_NEEDS_CHECKSUM = {
    "if": {"properties": {"new_version": {"const": True}}, "required": ["new_version"]},
    "then": {"anyOf": [{"properties": {name: {"type": "string"}}, "required": [name]} for name in ("sha256", "crc32")]},
}


class UploadRequestSerializer(DescribedFileSerializer):
    """The bytes that are to be sent. Where they go in parts, from 100 MiB on or as asked, `crc32` is needed."""

    schema_conditions = NEW_VERSION_NEEDS_CHECKSUM

    size_bytes = StrictInteger(min_value=0)
    part_size = StrictInteger(
        min_value=MIN_PART_SIZE,
        max_value=MAX_PART_SIZE,
        required=False,
        allow_null=True,
        help_text="Bytes, rounded to MiB. A file that is larger goes up in parts of this size.",
    )
    new_version = StrictBoolean(
        required=False,
        help_text="Where other bytes are stored for the path, these become its next version instead of a 409. "
        "sha256 or crc32 is then needed.",
    )
    sha256 = Text(required=False, allow_null=True, validators=[IS_SHA256])
    crc32 = Text(required=False, allow_null=True, validators=[IS_CRC32])


def read_order(body: Any) -> UploadOrder:
    """What a body asks for. Raises ValidationError."""
    asked = read_body(UploadRequestSerializer, body)
    part_size, new_version = asked.pop("part_size", None), asked.pop("new_version", False)
    return UploadOrder(NewFile(**asked), part_size, new_version)


@extend_schema_field(UploadRequestSerializer)
class UploadEntry(Entry):
    """As request-upload-url takes it."""


class UploadBatchSerializer(serializers.Serializer[Any]):
    files = BoundedList(child=UploadEntry(), min_length=1, max_length=MAX_FILES_PER_BATCH)


@extend_schema_field({"type": "integer", "minimum": 1})
class FileIdEntry(Entry):
    """The id of a file."""


class ConfirmationBatchSerializer(serializers.Serializer[Any]):
    file_ids = BoundedList(child=FileIdEntry(), min_length=1, max_length=MAX_FILES_PER_BATCH, help_text="Of this run.")


class ConfirmationSerializer(serializers.Serializer[Any]):
    file_id = StrictInteger(max_value=None)


def read_file_id(entry: Any) -> int:
    """Raises ValidationError for what is no whole number, FileMissing for one that no file has."""
    file_id: int = read_body(ConfirmationSerializer, {"file_id": entry})["file_id"]
    if not 0 < file_id <= MAX_BIGINT:
        raise FileMissing
    return file_id


class TicketSerializer(serializers.Serializer[Any]):
    """Where the bytes go. What does not apply is null."""

    file_id = serializers.IntegerField(source="file.id")
    already_uploaded = serializers.BooleanField()
    upload_type = Choice(choices=["single", "multipart"])
    method = serializers.CharField(default="PUT")
    upload_url = serializers.CharField(allow_null=True)
    headers = serializers.DictField(child=serializers.CharField(), help_text="What must be sent, exactly.")
    expires_in = serializers.IntegerField(allow_null=True, help_text="Seconds.")
    upload_id = serializers.CharField(allow_null=True)
    part_size = serializers.IntegerField(allow_null=True, help_text="Of every part but the last.")
    part_count = serializers.IntegerField(allow_null=True)
    storage_bucket = serializers.CharField(source="file.storage_bucket")
    storage_key = serializers.CharField(source="file.storage_key")


def represent_ticket(ticket: UploadTicket) -> dict[str, Any]:
    """What TicketSerializer says, several times faster; a test holds the two together."""
    return {
        "file_id": ticket.file.pk,
        "already_uploaded": ticket.already_uploaded,
        "upload_type": ticket.upload_type,
        "method": "PUT",
        "upload_url": ticket.upload_url,
        "headers": ticket.headers,
        "expires_in": ticket.expires_in,
        "upload_id": ticket.upload_id,
        "part_size": ticket.part_size,
        "part_count": ticket.part_count,
        "storage_bucket": ticket.file.storage_bucket,
        "storage_key": ticket.file.storage_key,
    }


class UploadIdSerializer(serializers.Serializer[Any]):
    upload_id = Text(max_length=MAX_UPLOAD_ID_CHARS)


class PartSumSerializer(serializers.Serializer[Any]):
    part_number = StrictInteger(min_value=1, max_value=MAX_PARTS_PER_UPLOAD)
    crc32 = Text(validators=[IS_CRC32])


class PartUrlsRequestSerializer(UploadIdSerializer):
    parts = BoundedList(child=PartSumSerializer(), min_length=1, max_length=MAX_PART_URLS_PER_REQUEST)


class SignedPartSerializer(serializers.Serializer[Any]):
    part_number = serializers.IntegerField()
    upload_url = serializers.CharField(source="signed.url")
    headers = serializers.DictField(source="signed.headers", child=serializers.CharField())


class PartUrlsSerializer(serializers.Serializer[Any]):
    parts = SignedPartSerializer(many=True)


class SentPartSerializer(serializers.Serializer[Any]):
    part_number = StrictInteger(min_value=1, max_value=MAX_PARTS_PER_UPLOAD)
    etag = Text(max_length=255, help_text="As the store answered it, with or without quotes.")


class CompletionSerializer(UploadIdSerializer):
    parts = BoundedList(child=SentPartSerializer(), min_length=1, max_length=MAX_PARTS_PER_UPLOAD)


class AbortedSerializer(serializers.Serializer[Any]):
    file_id = serializers.IntegerField()
    aborted = serializers.BooleanField(help_text="false where no upload was open.")


class QueueRequestSerializer(serializers.Serializer[Any]):
    file_ids = BoundedList(child=StrictInteger(min_value=1), allow_empty=False, max_length=MAX_FILES_PER_QUEUE_REQUEST)


class QueuedFileSerializer(serializers.Serializer[File]):
    id = serializers.IntegerField()
    filename = serializers.CharField()
    upload_requested_at = Timestamp()


class QueuedSerializer(serializers.Serializer[Any]):
    files_queued = serializers.IntegerField()
    watcher_online = serializers.BooleanField()
    files = QueuedFileSerializer(many=True)


class WaitingFileSerializer(serializers.Serializer[File]):
    """A file that its watcher is asked to upload."""

    id = serializers.IntegerField()
    instrument_id = serializers.CharField(source="run.instrument_id")
    run_id = serializers.CharField(source="run.run_id")
    filename = serializers.CharField()
    relative_path = serializers.CharField()
    size_bytes = serializers.IntegerField(allow_null=True)
