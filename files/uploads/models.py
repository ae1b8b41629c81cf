"""What uploads leave to be known: parts that were signed, objects to be read back, how far the sweep has come."""

from django.db import models
from django.db.models import Q

from wire.clock import now
from wire.columns import is_hex


class UploadPart(models.Model):
    """A part for which a signed URL went out, and the CRC32 that it binds; one row more where it was corrected."""

    file = models.ForeignKey("files.File", on_delete=models.CASCADE, related_name="upload_parts", db_index=False)
    upload_id = models.TextField()  # the store's name of the multipart upload
    part_number = models.IntegerField()
    crc32 = models.CharField(max_length=8)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["file", "upload_id", "part_number", "crc32"], name="one_upload_part_per_number_and_crc32"
            ),
            models.CheckConstraint(condition=Q(part_number__range=(1, 10_000)), name="upload_part_number_range"),
            models.CheckConstraint(condition=is_hex("crc32", digits=8), name="upload_part_crc32_is_hex"),
        ]

    def __str__(self) -> str:
        return f"part {self.part_number} of file {self.file_id}"


class ReadBack(models.Model):
    """A large object whose bytes are read again before they count as uploaded; the store compares no checksums."""

    file = models.ForeignKey("files.File", on_delete=models.CASCADE, related_name="read_backs")
    storage_key = models.TextField()
    crc32 = models.CharField(max_length=8, null=True)  # of the bytes that the store has
    requested_at = models.DateTimeField(default=now, editable=False)
    attempts = models.IntegerField(default=0)
    lease_id = models.UUIDField(null=True, editable=False)
    lease_until = models.DateTimeField(null=True, editable=False)
    error_message = models.TextField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["storage_key"], name="one_read_back_per_key"),
            models.CheckConstraint(condition=is_hex("crc32", digits=8), name="read_back_crc32_is_hex"),
        ]

    def __str__(self) -> str:
        return self.storage_key


class SweepPosition(models.Model):
    """How far the sweep for orphans has come, so that the next one goes on there; one row for the whole store."""

    id = models.IntegerField(primary_key=True, default=1)
    after = models.TextField(blank=True)  # the key that was looked at last; nothing before a new beginning
    looked_at = models.DateTimeField(default=now)

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(id=1), name="one_sweep_position")]

    def __str__(self) -> str:
        return self.after or "at the beginning"
