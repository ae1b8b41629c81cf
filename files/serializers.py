"""Wire shapes of file records, and the query parameters of their lists."""

from typing import Any

from django.core.validators import RegexValidator
from drf_spectacular.utils import inline_serializer
from rest_framework import serializers

from files.choices import FileCategory, FileStatus, ReportKind, StorageClass
from files.listing import VersionsListed
from files.models import File
from files.naming import MAX_NAME_BYTES, MAX_PATH_BYTES, NAME_PATTERN, PATH_PATTERN, name_fault, path_fault
from files.storage.headers import MEDIA_TYPE
from instruments.retention_rules import FILE_RULES
from wire.clock import format_timestamp
from wire.fields import (
    Choice,
    LongText,
    Metadata,
    QueryBoolean,
    QueryInteger,
    StrictInteger,
    Text,
    Timestamp,
)
from wire.lists.sparse import SparsePageParams
from wire.merge_patch import PATCH_HELP, refuse_metadata_twice

MAX_REPORT_ITEMS_PER_PAGE = 200
IS_SHA256 = RegexValidator(r"^[0-9a-f]{64}\Z", "64 lower-case hex digits are needed.")
IS_MEDIA_TYPE = RegexValidator(rf"^(?:{MEDIA_TYPE.pattern})\Z", "A media type is needed, such as text/csv.")


class FileSerializer(serializers.Serializer[File]):
    id = serializers.IntegerField()
    instrument_run_id = serializers.UUIDField(source="run_id")
    filename = serializers.CharField()
    relative_path = serializers.CharField()
    storage_bucket = serializers.CharField(allow_null=True)
    storage_key = serializers.CharField(allow_null=True)
    content_type = serializers.CharField(allow_null=True)
    size_bytes = serializers.IntegerField(allow_null=True)
    category = Choice(choices=FileCategory.choices)
    status = Choice(choices=FileStatus.choices)
    metadata = Metadata()
    error_message = serializers.CharField(allow_null=True)
    warnings = serializers.ListField(
        child=serializers.CharField(), help_text="What reading has to say: what is missing, guessed or only a table."
    )
    sha256 = serializers.CharField(allow_null=True, help_text="The sender's claim until the bytes were read.")
    crc32 = serializers.CharField(allow_null=True)
    version = serializers.IntegerField(help_text="From 1, in the order in which other bytes came for one path.")
    version_of = serializers.IntegerField(
        source="version_of_id", allow_null=True, help_text="The file that is the first version; null of that itself."
    )
    detected_at = Timestamp(allow_null=True)
    upload_requested_at = Timestamp(allow_null=True)
    uploaded_at = Timestamp(allow_null=True)
    processed_at = Timestamp(allow_null=True)
    created_at = Timestamp()
    file_created_at = Timestamp(allow_null=True)
    deleted_at = Timestamp(allow_null=True)
    purged_at = Timestamp(allow_null=True, help_text="Since then its bytes are gone, by a rule of retention.")
    purged_by_rule = Choice(choices=FILE_RULES, allow_null=True)
    storage_class = Choice(choices=StorageClass.choices, help_text="cold: its bytes are brought back on request.")
    restore_requested_at = Timestamp(allow_null=True, help_text="Since then its cold bytes are on their way back.")


def represent_file(file: File) -> dict[str, Any]:
    """What FileSerializer says, several times faster; a test holds the two together."""
    return {
        "id": file.pk,
        "instrument_run_id": str(file.run_id),
        "filename": file.filename,
        "relative_path": file.relative_path,
        "storage_bucket": file.storage_bucket,
        "storage_key": file.storage_key,
        "content_type": file.content_type,
        "size_bytes": file.size_bytes,
        "category": file.category,
        "status": file.status,
        "metadata": file.metadata,
        "error_message": file.error_message,
        "warnings": file.warnings,
        "sha256": file.sha256,
        "crc32": file.crc32,
        "version": file.version,
        "version_of": file.version_of_id,
        "detected_at": format_timestamp(file.detected_at),
        "upload_requested_at": format_timestamp(file.upload_requested_at),
        "uploaded_at": format_timestamp(file.uploaded_at),
        "processed_at": format_timestamp(file.processed_at),
        "created_at": format_timestamp(file.created_at),
        "file_created_at": format_timestamp(file.file_created_at),
        "deleted_at": format_timestamp(file.deleted_at),
        "purged_at": format_timestamp(file.purged_at),
        "purged_by_rule": file.purged_by_rule,
        "storage_class": file.storage_class,
        "restore_requested_at": format_timestamp(file.restore_requested_at),
    }


class FileDetailSerializer(FileSerializer):
    own_metadata = Metadata(source="caller_metadata", help_text="The part of the metadata that callers wrote.")


def represent_file_detail(file: File) -> dict[str, Any]:
    """What FileDetailSerializer says."""
    return represent_file(file) | {"own_metadata": file.caller_metadata}


class ListedFileSerializer(FileSerializer):
    version_count = serializers.IntegerField(
        required=False, help_text="With versions=collapse: how many versions of the path are listed as this row."
    )


def represent_listed_file(file: File) -> dict[str, Any]:
    """What ListedFileSerializer says of a row of `list_files`."""
    collapsed = getattr(file, "version_count", None)
    return represent_file(file) | ({} if collapsed is None else {"version_count": collapsed})


class NamedFileSerializer(serializers.Serializer[Any]):
    """A file name, and the place within the run, which is the name itself where none is given."""

    filename = Text(max_length=MAX_NAME_BYTES, pattern=NAME_PATTERN, help_text="1 to 255 bytes, without separators.")
    relative_path = Text(
        max_length=MAX_PATH_BYTES,
        pattern=PATH_PATTERN,
        required=False,
        help_text="With /; its last segment equals filename.",
    )

    def validate_filename(self, filename: str) -> str:
        if fault := name_fault(filename):
            raise serializers.ValidationError(fault)
        return filename

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        attrs.setdefault("relative_path", attrs["filename"])
        if fault := path_fault(attrs["relative_path"], filename=attrs["filename"]):
            raise serializers.ValidationError({"relative_path": [fault]})
        return attrs


class DetectedFileSerializer(NamedFileSerializer):
    """A file that was seen beside the instrument."""

    relative_path = Text(
        max_length=MAX_PATH_BYTES, pattern=PATH_PATTERN, help_text="With /; its last segment equals filename."
    )
    size_bytes = StrictInteger(min_value=0, required=False, allow_null=True)
    file_created_at = Timestamp(required=False, allow_null=True)


class DescribedFileSerializer(NamedFileSerializer):
    category = Choice(choices=FileCategory.choices, required=False)
    content_type = Text(max_length=255, required=False, allow_null=True, validators=[IS_MEDIA_TYPE])
    file_created_at = Timestamp(required=False, allow_null=True)


class NewFileSerializer(DescribedFileSerializer):
    size_bytes = StrictInteger(min_value=0, required=False, allow_null=True)
    metadata = Metadata(required=False)


class FileChangeSerializer(serializers.Serializer[Any]):
    status = Choice(choices=FileStatus.choices, required=False)
    content_type = Text(max_length=255, required=False, validators=[IS_MEDIA_TYPE])
    size_bytes = StrictInteger(min_value=0, required=False)
    metadata = Metadata(required=False, help_text="Replaces what callers wrote before.")
    metadata_patch = Metadata(required=False, help_text=PATCH_HELP)
    error_message = LongText(required=False, allow_null=True, allow_blank=True, max_length=10_000)

    def validate_error_message(self, text: str | None) -> str:
        return text or ""

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        return refuse_metadata_twice(attrs)


class DismissedFileSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField(source="file.id")
    filename = serializers.CharField(source="file.filename")
    deleted_at = Timestamp(source="file.deleted_at")
    already_applied = serializers.BooleanField()


class RecallRequestedSerializer(serializers.Serializer[Any]):
    instrument_id = serializers.CharField(source="run.instrument_id")
    run_id = serializers.CharField(source="run.run_id")
    files = serializers.IntegerField(help_text="Cold ones that are on their way back.")
    size_bytes = serializers.IntegerField()
    restore_requested_at = Timestamp(allow_null=True)
    already_applied = serializers.BooleanField(help_text="Nothing is cold, or all of it was asked for before.")


class FileListParams(SparsePageParams):
    status = serializers.ListField(child=Choice(choices=FileStatus.choices), required=False)
    category = serializers.ListField(child=Choice(choices=FileCategory.choices), required=False)
    search = Text(required=False, max_length=255, help_text="A part of the file name, in any case.")
    include_deleted = QueryBoolean(required=False, help_text="Dismissed files too.")
    versions = Choice(
        choices=VersionsListed.choices,
        required=False,
        help_text="collapse: one row a path, its newest version, with version_count.",
    )


class DownloadParams(serializers.Serializer[Any]):
    disposition = Choice(
        choices=["attachment", "inline"], required=False, help_text="inline is for raster images and PDF."
    )


class DownloadSerializer(serializers.Serializer[Any]):
    download_url = serializers.CharField()
    expires_in = serializers.IntegerField(help_text="Seconds.")
    size_bytes = serializers.IntegerField()
    filename = serializers.CharField()


class ReportItemParams(serializers.Serializer[Any]):
    kind = Choice(choices=[kind for kind in ReportKind.choices if kind[0]])
    search = Text(required=False, max_length=255, help_text="A part of the file name, in any case.")
    offset = QueryInteger(min_value=0, required=False)
    limit = QueryInteger(min_value=1, max_value=MAX_REPORT_ITEMS_PER_PAGE, required=False)
    anchor = QueryInteger(min_value=1, required=False, help_text="File id to centre the window on; overrides offset.")


class ReportItemSerializer(serializers.Serializer[File]):
    id = serializers.IntegerField()
    filename = serializers.CharField()


class ReportPaginationSerializer(serializers.Serializer[Any]):
    offset = serializers.IntegerField()
    limit = serializers.IntegerField()
    total = serializers.IntegerField()
    anchor_index = serializers.IntegerField(required=False, help_text="Present when anchor is used.")


ReportItemsSerializer = inline_serializer(
    "ReportItems", {"data": ReportItemSerializer(many=True), "pagination": ReportPaginationSerializer()}
)
