"""The files of runs: what was seen beside an instrument, what is stored of it, and what processing made of it."""

from typing import Any

from django.contrib.postgres.indexes import GinIndex, OpClass
from django.db import models
from django.db.models import F, Func, Q, Value
from django.db.models.functions import Collate, Concat, Length, Right, Upper
from django.db.models.lookups import Exact

from accounts.callers import Caller
from accounts.trail.rows import audited
from files import triggers
from files.choices import NOT_STORED_STATUSES, FileCategory, FileStatus, ReportKind, StorageClass
from files.cold.models import Recall as Recall
from files.intake.models import DailyIntake as DailyIntake
from files.integrity.models import FileScrub as FileScrub
from files.integrity.models import IntegrityFinding as IntegrityFinding
from files.naming import normalize_nfc
from files.shared.keys import KEY_IN_BYTE_ORDER, SHARED_PREFIX
from files.stored.models import ObjectRemoval as ObjectRemoval
from files.stored.models import SharableObject as SharableObject
from files.stored.models import StoredChange as StoredChange
from files.stored.models import StoredRange as StoredRange
from files.thumbnails.models import Thumbnail as Thumbnail
from files.uploads.models import ReadBack as ReadBack
from files.uploads.models import SweepPosition as SweepPosition
from files.uploads.models import UploadPart as UploadPart
from instruments.retention_rules import FILE_RULES
from runs.models import Run
from wire.clock import now
from wire.columns import HasPairBehindOther, Searchable, fits_bytes, is_hex, is_object, overlaid_metadata

PLACEHOLDERS = "demo/placeholder/"  # where files of the demonstration lie whose bytes are zeros
# Such a name has one Unicode form only. Asking for the form takes four times as long as all the rest of a search.
NAME_IS_ASCII = Q(
    Exact(Func(F("filename"), function="octet_length", output_field=models.IntegerField()), Length("filename"))
)


class FileQuerySet(models.QuerySet["File"]):
    def visible_to(self, by: Caller) -> "FileQuerySet":
        return self.within(by.instrument_ids)

    def within(self, instrument_ids: tuple[str, ...] | None) -> "FileQuerySet":
        """The bound of a caller, or what stands for it; None is all."""
        return self if instrument_ids is None else self.filter(run__instrument__id__in=instrument_ids)

    def active(self) -> "FileQuerySet":
        """Not dismissed."""
        return self.filter(deleted_at__isnull=True)

    def stored(self) -> "FileQuerySet":
        """Its bytes are in the object store."""
        return self.filter(uploaded_at__isnull=False, purged_at__isnull=True)

    def measured(self) -> "FileQuerySet":
        """Not those that only stand for a file in the demonstration."""
        return self.exclude(storage_key__startswith=PLACEHOLDERS)

    def cold(self) -> "FileQuerySet":
        """Its bytes are in the cold store."""
        return self.filter(storage_class=StorageClass.COLD, purged_at__isnull=True)

    def name_contains(self, part: str) -> "FileQuerySet":
        """Whose name has this part, whatever its case and its Unicode form."""
        wanted = normalize_nfc(part)
        named = self.alias(plain=Collate(F("filename"), "default"), form=Searchable("filename"))
        return named.filter(Q(plain__icontains=wanted) | ~NAME_IS_ASCII & Q(form__icontains=wanted))


@audited(
    *("relative_path", "category", "status", "content_type", "size_bytes", "sha256", "crc32", "error_message"),
    *("file_created_at", "deleted_at", "purged_at", "purged_by_rule"),
    *("storage_class", "restore_requested_at"),
    objects={"caller_metadata": "metadata"},
    set_later=("purged_at", "purged_by_rule", "storage_class", "restore_requested_at"),
    parent="run",
    by_statement=True,
    by_month=True,
)
class File(models.Model):
    """One file of a run. `natural_key` and `report_kind` are written with the name; no caller sets `storage_*`."""

    id = models.BigAutoField(primary_key=True)
    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="files", db_index=False)
    filename = models.CharField(max_length=255, db_collation="C")
    relative_path = models.CharField(max_length=1024, db_collation="C")
    natural_key = models.TextField(db_collation="C", editable=False)
    report_kind = models.CharField(
        max_length=8, choices=ReportKind, default=ReportKind.NONE, blank=True, db_collation="C"
    )
    category = models.CharField(max_length=9, choices=FileCategory, default=FileCategory.RAW)
    status = models.CharField(max_length=16, choices=FileStatus, default=FileStatus.DETECTED)
    content_type = models.CharField(max_length=255, null=True, blank=True)
    size_bytes = models.BigIntegerField(null=True, blank=True)
    sha256 = models.CharField(max_length=64, null=True, blank=True)
    crc32 = models.CharField(max_length=8, null=True, blank=True)
    storage_bucket = models.CharField(max_length=255, null=True, editable=False)
    storage_key = models.TextField(null=True, editable=False)
    key_nonce = models.CharField(max_length=64, null=True, editable=False, db_column="upload_id")  # random, in the key
    multipart_upload_id = models.TextField(null=True, editable=False)  # the store's name of an open multipart upload
    part_size = models.BigIntegerField(null=True, editable=False)
    caller_metadata = models.JSONField(default=dict, blank=True, db_column="own")  # what callers wrote
    extracted = models.JSONField(default=dict, blank=True)
    metadata = models.GeneratedField(expression=overlaid_metadata(), output_field=models.JSONField(), db_persist=True)
    error_message = models.TextField(null=True, blank=True)
    source_file = models.ForeignKey(
        "self", on_delete=models.CASCADE, null=True, blank=True, related_name="artefacts", db_index=False
    )
    version = models.IntegerField(default=1, db_default=1, editable=False)  # of the bytes that came under one path
    version_of = models.ForeignKey(
        "self", on_delete=models.PROTECT, null=True, related_name="later_versions", db_index=False, editable=False
    )  # the first one
    detected_at = models.DateTimeField(default=now)
    upload_requested_at = models.DateTimeField(null=True, blank=True)
    uploaded_at = models.DateTimeField(null=True, blank=True)
    processing_since = models.DateTimeField(null=True, blank=True)  # the last sign of life of whoever processes it
    processed_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(default=now, editable=False)
    file_created_at = models.DateTimeField(null=True, blank=True)
    deleted_at = models.DateTimeField(null=True, blank=True)
    purged_at = models.DateTimeField(null=True, editable=False)  # since then its bytes are gone, by a rule of retention
    purged_by_rule = models.CharField(max_length=32, null=True, editable=False)
    storage_class = models.CharField(
        max_length=4, choices=StorageClass, default=StorageClass.HOT, db_default=StorageClass.HOT, editable=False
    )
    restore_requested_at = models.DateTimeField(null=True, editable=False)  # its bytes are on their way back
    hot_until = models.DateTimeField(null=True, editable=False)  # it was brought back, and stays at least so long

    objects = FileQuerySet.as_manager()

    class Meta:
        triggers = triggers.ON_FILES
        indexes = [
            models.Index(
                fields=["run", "report_kind", "natural_key", "id"],
                condition=Q(deleted_at__isnull=True, uploaded_at__isnull=False, purged_at__isnull=True)
                & ~Q(report_kind=ReportKind.NONE),
                name="kept_report_items",
            ),
            models.Index(
                fields=["run", "category", "natural_key", "id"],
                condition=Q(deleted_at__isnull=True),
                name="files_in_natural_order",
            ),
            models.Index(
                fields=["deleted_at", "id"],
                condition=Q(deleted_at__isnull=False, uploaded_at__isnull=False, purged_at__isnull=True),
                name="taken_pictures",
            ),
            models.Index(
                fields=["run", "processing_since"], condition=Q(processing_since__isnull=False), name="processing_files"
            ),
            models.Index(
                fields=["upload_requested_at", "id"],
                condition=Q(upload_requested_at__isnull=False, uploaded_at__isnull=True, deleted_at__isnull=True),
                name="requested_uploads_by_age",
            ),
            GinIndex(
                OpClass(Upper(Searchable("filename")), name="gin_trgm_ops"),
                condition=Q(deleted_at__isnull=True),
                name="files_by_part_of_name",
            ),
            models.Index(
                fields=["run"],
                condition=Q(HasPairBehindOther(Upper(Searchable("filename"))), deleted_at__isnull=True),
                name="other_names_of_files",
            ),
            models.Index(
                fields=["run", "version_of", "version"],
                condition=Q(version_of__isnull=False),
                name="later_versions_of_run",
            ),
            models.Index(
                KEY_IN_BYTE_ORDER,
                condition=Q(storage_key__startswith=SHARED_PREFIX),
                name="files_by_shared_key",
            ),
            models.Index(
                fields=["run", "category", "uploaded_at"],
                condition=Q(uploaded_at__isnull=False, purged_at__isnull=True),
                name="kept_files_of_run",
            ),
            models.Index(
                fields=["run", "restore_requested_at"],
                condition=Q(storage_class=StorageClass.COLD, purged_at__isnull=True),
                name="cold_files_of_run",
            ),
            models.Index(fields=["source_file"], condition=Q(source_file__isnull=False), name="artefacts_of_file"),
            models.Index(
                fields=["uploaded_at"],
                condition=Q(category=FileCategory.PROCESSED, source_file__isnull=True, deleted_at__isnull=True),
                name="artefacts_of_no_file",
            ),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["run", "category", "relative_path"], name="one_file_per_run_category_and_path"
            ),
            models.UniqueConstraint(
                fields=["version_of", "version"],
                condition=Q(version_of__isnull=False),
                name="one_file_per_version",
            ),
            models.CheckConstraint(
                condition=Q(version=1, version_of__isnull=True) | Q(version__gt=1, version_of__isnull=False),
                name="later_version_has_a_first",
            ),
            models.CheckConstraint(condition=Q(category__in=FileCategory.values), name="file_category_is_known"),
            models.CheckConstraint(condition=Q(status__in=FileStatus.values), name="file_status_is_known"),
            models.CheckConstraint(condition=Q(report_kind__in=ReportKind.values), name="file_report_kind_is_known"),
            models.CheckConstraint(
                condition=~Q(filename="") & fits_bytes("filename", most=255) & Q(filename__regex=r"^[^/\\]*$"),
                name="file_name_is_a_path_segment",
            ),
            models.CheckConstraint(
                condition=fits_bytes("relative_path", most=1024)
                & (
                    Q(relative_path=F("filename"))
                    | Q(Exact(Right("relative_path", Length("filename") + 1), Concat(Value("/"), "filename")))
                ),
                name="file_path_ends_in_its_name",
            ),
            models.CheckConstraint(condition=Q(size_bytes__gte=0), name="file_size_is_not_negative"),
            models.CheckConstraint(condition=is_hex("sha256", digits=64), name="file_sha256_is_hex"),
            models.CheckConstraint(condition=is_hex("crc32", digits=8), name="file_crc32_is_hex"),
            models.CheckConstraint(condition=is_object("caller_metadata"), name="file_own_is_an_object"),
            models.CheckConstraint(condition=is_object("extracted"), name="file_extracted_is_an_object"),
            models.CheckConstraint(
                condition=Q(status__in=NOT_STORED_STATUSES, uploaded_at__isnull=True)
                | ~Q(status__in=NOT_STORED_STATUSES)
                & Q(
                    uploaded_at__isnull=False,
                    storage_key__isnull=False,
                    storage_bucket__isnull=False,
                    size_bytes__isnull=False,
                ),
                name="file_is_stored_or_waits",
            ),
            models.CheckConstraint(
                condition=~Q(status=FileStatus.UPLOAD_REQUESTED) | Q(upload_requested_at__isnull=False),
                name="file_upload_request_has_a_time",
            ),
            models.CheckConstraint(
                condition=Q(status=FileStatus.PROCESSING, processing_since__isnull=False)
                | ~Q(status=FileStatus.PROCESSING) & Q(processing_since__isnull=True),
                name="file_processing_has_a_beginning",
            ),
            models.CheckConstraint(
                condition=~Q(status=FileStatus.COMPLETED) | Q(processed_at__isnull=False),
                name="file_completion_has_a_time",
            ),
            models.CheckConstraint(
                condition=Q(deleted_at__isnull=True) | Q(uploaded_at__isnull=True) | Q(category=FileCategory.PROCESSED),
                name="stored_raw_file_is_not_dismissed",
            ),
            models.CheckConstraint(
                condition=Q(purged_at__isnull=True, purged_by_rule__isnull=True)
                | Q(purged_at__isnull=False, purged_by_rule__isnull=False, uploaded_at__isnull=False),
                name="purged_file_was_stored_and_names_its_rule",
            ),
            models.CheckConstraint(condition=Q(purged_by_rule__in=FILE_RULES), name="file_purge_rule_is_known"),
            models.CheckConstraint(
                condition=Q(storage_class__in=StorageClass.values), name="file_storage_class_is_known"
            ),
            models.CheckConstraint(
                condition=Q(storage_class=StorageClass.HOT) | Q(category=FileCategory.RAW, uploaded_at__isnull=False),
                name="cold_file_is_stored_and_raw",
            ),
            models.CheckConstraint(
                condition=Q(restore_requested_at__isnull=True)
                | Q(storage_class=StorageClass.COLD, purged_at__isnull=True),
                name="cold_files_alone_are_brought_back",
            ),
        ]

    def __str__(self) -> str:
        return self.relative_path

    @property
    def is_placeholder(self) -> bool:
        return (self.storage_key or "").startswith(PLACEHOLDERS)

    @property
    def changeable_values(self) -> tuple[Any, ...]:
        """What its version for If-Match is made of."""
        changed = self.status, self.content_type, self.size_bytes, self.caller_metadata, self.error_message
        return *changed, self.deleted_at

    @property
    def warnings(self) -> list[str]:
        """What reading has to say of the file, failed or not."""
        said = self.metadata.get("warnings", [])
        return [str(warning) for warning in said] if isinstance(said, list) else []

    @property
    def is_degraded(self) -> bool:
        """Read, but as less than it seems to be."""
        return self.metadata.get("degraded") is True
