"""Wire shapes of archive jobs."""

from typing import Any

from rest_framework import serializers

from archives.models import ArchiveJob, ArchiveStatus
from wire.fields import Choice, LongText, StrictInteger, Text, Timestamp, Uuid

DIGITS_AND_COMMAS = r"^[0-9]{1,18}(,[0-9]{1,18})*$"
MAX_FILE_IDS_PER_REQUEST = 10_000


class ArchiveDownloadParams(serializers.Serializer[Any]):
    file_ids = Text(
        required=False, pattern=DIGITS_AND_COMMAS, help_text="Comma-separated file ids; without it, the whole run."
    )

    def validate_file_ids(self, text: str) -> list[int]:
        numbers = text.split(",")
        if not all(number.isascii() and number.isdigit() and len(number) <= 18 for number in numbers):
            raise serializers.ValidationError("File ids are integers, separated by commas.")
        if len(numbers) > MAX_FILE_IDS_PER_REQUEST:
            raise serializers.ValidationError(f"At most {MAX_FILE_IDS_PER_REQUEST} files can be named.")
        return [int(number) for number in numbers]


class ReadyArchiveSerializer(serializers.Serializer[Any]):
    status = Choice(choices=ArchiveStatus.choices)
    job_id = Uuid()
    download_url = serializers.CharField()
    size_bytes = serializers.IntegerField()
    expires_in = serializers.IntegerField()


class BuildingArchiveSerializer(serializers.Serializer[Any]):
    status = Choice(choices=ArchiveStatus.choices)
    job_id = Uuid()


class ArchiveJobSerializer(serializers.Serializer[ArchiveJob]):
    id = Uuid()
    instrument_id = serializers.CharField(source="run.instrument_id")
    run_id = serializers.CharField(source="run.run_id")
    status = Choice(choices=ArchiveStatus.choices)
    size_bytes = serializers.IntegerField(allow_null=True)
    error_message = serializers.CharField(allow_null=True)
    created_at = Timestamp()
    completed_at = Timestamp(allow_null=True)


class ArchiveMemberSerializer(serializers.Serializer[Any]):
    file_id = serializers.IntegerField()
    path = serializers.CharField()
    size_bytes = serializers.IntegerField()
    crc32 = serializers.CharField(allow_null=True)
    download_url = serializers.CharField()


class ArchiveUploadSerializer(serializers.Serializer[Any]):
    """Either one request, or for large archives a part size and the URLs of the parts."""

    method = serializers.CharField()
    url = serializers.CharField(required=False)
    headers = serializers.DictField(child=serializers.CharField())
    upload_id = serializers.CharField(required=False)
    part_size = serializers.IntegerField(required=False)
    part_urls = serializers.ListField(child=serializers.CharField(), required=False)


class ArchiveOrderSerializer(ArchiveJobSerializer):
    """What a worker needs to build the archive with the public API alone."""

    members = ArchiveMemberSerializer(many=True)
    upload = ArchiveUploadSerializer(allow_null=True)


class BuildReportSerializer(serializers.Serializer[Any]):
    status = Choice(choices=[ArchiveStatus.READY.value, ArchiveStatus.FAILED.value])
    size_bytes = StrictInteger(required=False, allow_null=True, min_value=0)
    error_message = LongText(required=False, allow_null=True, allow_blank=True, max_length=2_000)
