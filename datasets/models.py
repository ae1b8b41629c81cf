"""What was measured, as numbers: one row for each table of typed columns, whose values lie in a Parquet file."""

from collections.abc import Iterable
from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.db.models import Func, Q
from django.db.models.lookups import Exact

from accounts.callers import Caller
from files.models import File
from runs.models import Run
from wire.clock import now
from wire.ids import new_id

RunKey = tuple[str, str]  # instrument_id, run_id


class DatasetKind(models.TextChoices):
    SPECTRUM = "spectrum"
    CHROMATOGRAM = "chromatogram"
    TIME_SERIES = "time_series"
    PLATE = "plate"
    EVENTS = "events"
    TABLE = "table"


def is_array(name: str) -> Q:
    return Q(Exact(Func(models.F(name), function="jsonb_typeof", output_field=models.TextField()), "array"))


class DatasetQuerySet(models.QuerySet["Dataset"]):
    def visible_to(self, by: Caller) -> "DatasetQuerySet":
        return self.within(by.instrument_ids)

    def within(self, instrument_ids: tuple[Any, ...] | None) -> "DatasetQuerySet":
        """Of these instruments; None means all."""
        return self if instrument_ids is None else self.filter(run__instrument__id__in=instrument_ids)

    def active(self) -> "DatasetQuerySet":
        """Of files that are not dismissed, with values that are not purged."""
        return self.filter(source_file__deleted_at__isnull=True, file__purged_at__isnull=True)

    def of_runs(self, runs: Iterable[RunKey]) -> "DatasetQuerySet":
        chosen = [Q(run__instrument_id=instrument, run__run_id=name) for instrument, name in sorted(set(runs))]
        return self.filter(Q(*chosen, _connector=Q.OR)) if chosen else self.none()

    def with_places(self) -> "DatasetQuerySet":
        """With what reading the rows of one takes, and no more: a short query pays for every column."""
        own = ("id", "name", "title", "kind", "columns", "row_count", "run_id", "source_file_id", "file_id")
        beside = ("run__instrument_id", "run__run_id", "source_file__filename", "file__storage_key", "file__size_bytes")
        return self.select_related("run", "source_file", "file").only(*own, *beside)

    def with_files(self) -> "DatasetQuerySet":
        """With what its presentation shows of its files and its run."""
        shown = ("run__instrument_id", "run__run_id", "run__acquired_at")
        stored = ("source_file__filename", "source_file__relative_path", "file__size_bytes", "file__storage_key")
        own = [field.name for field in Dataset._meta.concrete_fields if field.name != "statistics"]
        return self.select_related("run", "source_file", "file").only(*own, *shown, *stored)


class Dataset(models.Model):
    """One table. It keeps its id when its file is read again, as long as its name stays."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="datasets", db_index=False)
    source_file = models.ForeignKey(File, on_delete=models.CASCADE, related_name="datasets", db_index=False)
    file = models.OneToOneField(File, on_delete=models.CASCADE, related_name="dataset")  # the Parquet
    name = models.CharField(max_length=63, db_collation="C")
    title = models.CharField(max_length=255, blank=True)
    kind = models.CharField(max_length=12, choices=DatasetKind)
    columns = models.JSONField()  # [{name, type, unit, role, title}]
    column_names = ArrayField(models.CharField(max_length=63))
    row_count = models.BigIntegerField()
    statistics = models.JSONField(default=dict)  # {column: {min, max, null_count, distinct_count}}
    processor = models.CharField(max_length=64, blank=True, default="")
    processor_version = models.CharField(max_length=64, blank=True, default="")
    created_at = models.DateTimeField(default=now, editable=False)

    objects = DatasetQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["run", "source_file", "name"], name="datasets_of_run"),
            models.Index(fields=["name", "-created_at"], name="datasets_by_name"),
            models.Index(fields=["-created_at", "-id"], name="datasets_by_age"),
            GinIndex(fields=["column_names"], name="datasets_by_column", fastupdate=False),
        ]
        constraints = [
            models.UniqueConstraint(fields=["source_file", "name"], name="one_dataset_per_file_and_name"),
            models.CheckConstraint(condition=Q(kind__in=DatasetKind.values), name="dataset_kind_is_known"),
            models.CheckConstraint(condition=Q(name__regex=r"^[a-z][a-z0-9_]{0,62}$"), name="dataset_name_is_plain"),
            models.CheckConstraint(condition=is_array("columns"), name="dataset_columns_are_an_array"),
            models.CheckConstraint(condition=~Q(column_names=[]), name="dataset_has_columns"),
            models.CheckConstraint(condition=Q(row_count__gte=0), name="dataset_rows_are_counted"),
        ]

    def __str__(self) -> str:
        return f"dataset {self.name} of file {self.source_file_id}"
