"""The jobs that pack files of a run into one ZIP. The row is the truth; a queued task only wakes a worker."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from accounts.callers import Caller
from archives import triggers
from runs.models import Run
from wire.clock import now
from wire.columns import is_hex
from wire.ids import new_id


class ArchiveStatus(models.TextChoices):
    BUILDING = "building"
    READY = "ready"
    FAILED = "failed"


class ArchiveKind(models.TextChoices):
    FILES = "files"
    CRATE = "ro-crate"  # the same with an RO-Crate's metadata


class ArchiveJobQuerySet(models.QuerySet["ArchiveJob"]):
    def visible_to(self, by: Caller) -> "ArchiveJobQuerySet":
        return self if by.instrument_ids is None else self.filter(run__instrument_id__in=by.instrument_ids)

    def building(self) -> "ArchiveJobQuerySet":
        return self.filter(status=ArchiveStatus.BUILDING)


class ArchiveJob(models.Model):
    """One ZIP. Of one set of members at most one is being built or ready: the database decides."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="archive_jobs")
    kind = models.CharField(max_length=8, choices=ArchiveKind, default=ArchiveKind.FILES, db_default=ArchiveKind.FILES)
    cache_key = models.CharField(max_length=64, editable=False)
    file_ids = ArrayField(models.BigIntegerField(), editable=False)
    status = models.CharField(max_length=8, choices=ArchiveStatus, default=ArchiveStatus.BUILDING)
    size_bytes = models.BigIntegerField(null=True)
    error_message = models.TextField(null=True, blank=True)
    attempts = models.IntegerField(default=0)
    lease_id = models.UUIDField(null=True, editable=False)
    lease_until = models.DateTimeField(null=True, editable=False)
    external_upload_id = models.TextField(null=True, editable=False)  # the multipart upload of an external worker
    created_at = models.DateTimeField(default=now, editable=False)
    completed_at = models.DateTimeField(null=True)

    objects = ArchiveJobQuerySet.as_manager()

    class Meta:
        triggers = triggers.ON_ARCHIVE_JOBS
        indexes = [
            models.Index(fields=["created_at"], condition=Q(status=ArchiveStatus.BUILDING), name="archives_building"),
            models.Index(fields=["cache_key", "-created_at"], name="archives_by_key"),
            models.Index(fields=["completed_at"], name="archives_by_completion"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["cache_key"],
                condition=~Q(status=ArchiveStatus.FAILED),
                name="one_archive_in_flight_or_ready_per_key",
            ),
            models.CheckConstraint(condition=Q(status__in=ArchiveStatus.values), name="archive_status_is_known"),
            models.CheckConstraint(condition=Q(kind__in=ArchiveKind.values), name="archive_kind_is_known"),
            models.CheckConstraint(condition=is_hex("cache_key", digits=64), name="archive_key_is_sha256"),
            models.CheckConstraint(condition=~Q(file_ids=[]), name="archive_has_members"),
            models.CheckConstraint(
                condition=Q(status=ArchiveStatus.BUILDING, completed_at__isnull=True)
                | ~Q(status=ArchiveStatus.BUILDING) & Q(completed_at__isnull=False),
                name="archive_ends_at_a_time",
            ),
            models.CheckConstraint(
                condition=~Q(status=ArchiveStatus.READY) | Q(size_bytes__isnull=False), name="ready_archive_has_a_size"
            ),
        ]

    def __str__(self) -> str:
        return f"archive {self.id}"

    @property
    def storage_key(self) -> str:
        return f"archives/{self.pk}.zip"
