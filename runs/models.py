"""Runs, and who claims them."""

import math
from datetime import datetime
from typing import Any

from django.contrib.postgres.expressions import ArraySubquery
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import BrinIndex, GinIndex, OpClass
from django.db import models
from django.db.models import F, Func, OuterRef, Q, Value
from django.db.models.functions import Cast, Coalesce, Floor, Ln, Upper

from accounts.callers import Caller
from accounts.models import Token, User
from accounts.trail.rows import audited
from instruments.models import Instrument
from runs import triggers
from runs.attributions import CLAIMANT_JSON, Attribution, build_attribution
from runs.comments.models import Comment as Comment
from runs.eln.models import ElnTemplate as ElnTemplate
from runs.holds.models import Hold as Hold
from runs.mentions.models import Mention as Mention
from runs.metadata_terms import MetadataText, MetadataWords
from runs.metadata_values import MetadataValues
from runs.projects.models import Project
from runs.saved_views.models import SavedView as SavedView
from runs.sharing.models import ShareLink as ShareLink
from runs.signatures.models import Signature as Signature
from runs.status import COUNTED_STATUSES, STALLED_AFTER, RunStatus
from watchers.models import Watcher
from wire.clock import now
from wire.columns import HasPairBehindOther, Searchable, exactly_one, is_object, overlaid_metadata
from wire.ids import new_id


class RunSource(models.TextChoices):
    WATCHER = "watcher"
    WORKER = "worker"
    SCRIPT = "script"


MAX_TAGS = 30
HIDDEN_COLUMNS = {"caller_metadata", "extracted", "terms", "search_key"}
RELATED_COLUMNS = (
    *("instrument__display_name", "instrument__instrument_type", "instrument__time_zone"),
    *("deleted_by__display_name", "deleted_by__email", "deleted_by_token__name"),
)
HALF_DOUBLINGS = 2 / math.log(2)  # of a size: how many times the square root of two, from its natural logarithm
COUNTERS = ("file_count", "total_size_bytes", *COUNTED_STATUSES, "comment_count", "claim_count")


class RunQuerySet(models.QuerySet["Run"]):
    def visible_to(self, by: Caller) -> "RunQuerySet":
        return self.within(by.instrument_ids)

    def within(self, instrument_ids: tuple[Any, ...] | None) -> "RunQuerySet":
        """The bound of a caller, or what stands for it; None is all."""
        return self if instrument_ids is None else self.filter(instrument__id__in=instrument_ids)

    def active(self) -> "RunQuerySet":
        return self.filter(deleted_at__isnull=True)

    def with_details(self, *more: str) -> "RunQuerySet":
        """With all that is shown of a run, in one query: names, `claimants` for `attributions`, and `more` columns."""
        claims = Claim.objects.filter(run=OuterRef("pk")).order_by("claimed_at", "id")
        shown = [field.name for field in Run._meta.concrete_fields if field.name not in HIDDEN_COLUMNS]
        return (
            self.select_related("instrument", "deleted_by", "deleted_by_token")
            .only(*shown, *RELATED_COLUMNS, *more)
            .annotate(claimants=ArraySubquery(claims.values_list(CLAIMANT_JSON)))
        )


@audited(
    *("run_id", "source", "watcher", "acquired_at", "deleted_at", "deleted_by", "deleted_by_token"),
    *("tags", "project", "purged_at"),
    objects={"caller_metadata": "metadata"},
    set_later=("tags", "project", "purged_at"),
    by_month=True,
)
class Run(models.Model):
    """One run. Counters, `updated_at` and generated columns are the database's: read a row again after a write."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    instrument = models.ForeignKey(Instrument, on_delete=models.PROTECT, related_name="runs", db_index=False)
    run_id = models.CharField(max_length=255, db_collation="C")
    source = models.CharField(max_length=7, choices=RunSource, default=RunSource.SCRIPT)
    watcher = models.ForeignKey(
        Watcher, on_delete=models.PROTECT, null=True, blank=True, related_name="runs", db_index=False
    )
    caller_metadata = models.JSONField(default=dict, blank=True, db_column="own")  # what callers wrote
    extracted = models.JSONField(default=dict, blank=True)
    metadata = models.GeneratedField(expression=overlaid_metadata(), output_field=models.JSONField(), db_persist=True)
    terms = models.GeneratedField(
        expression=Func(overlaid_metadata(), function="public.run_terms"),
        output_field=ArrayField(models.TextField()),
        db_persist=True,
    )
    tags = ArrayField(models.CharField(max_length=64), default=list, db_default=[], blank=True)  # sorted
    project = models.ForeignKey(
        Project, on_delete=models.PROTECT, null=True, blank=True, related_name="runs", db_index=False
    )
    acquired_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(default=now, editable=False)
    updated_at = models.DateTimeField(default=now, editable=False)
    search_key = models.GeneratedField(
        expression=Upper(Searchable("run_id")), output_field=models.TextField(), db_persist=True
    )
    happened_at = models.GeneratedField(
        expression=Coalesce("acquired_at", "created_at"), output_field=models.DateTimeField(), db_persist=True
    )
    deleted_at = models.DateTimeField(null=True, blank=True)
    deleted_by = models.ForeignKey(
        User, on_delete=models.PROTECT, null=True, blank=True, related_name="+", db_index=False
    )
    deleted_by_token = models.ForeignKey(
        Token, on_delete=models.PROTECT, null=True, blank=True, related_name="+", db_index=False
    )
    purged_at = models.DateTimeField(null=True, editable=False)  # since then it cannot be restored
    file_count = models.IntegerField(default=0, editable=False)
    total_size_bytes = models.BigIntegerField(default=0, editable=False)
    size_class = models.GeneratedField(  # rises with the size, seldom: most updates stay within their page
        expression=Floor(
            Ln(Cast("total_size_bytes", models.FloatField()) + Value(1.0)) * Value(HALF_DOUBLINGS),
            output_field=models.SmallIntegerField(),
        ),
        output_field=models.SmallIntegerField(),
        db_persist=True,
    )
    n_failed = models.IntegerField(default=0, editable=False)
    n_pending = models.IntegerField(default=0, editable=False)
    n_uploaded = models.IntegerField(default=0, editable=False)
    n_processing = models.IntegerField(default=0, editable=False)
    n_completed = models.IntegerField(default=0, editable=False)
    processing_since = models.DateTimeField(null=True, editable=False)
    comment_count = models.IntegerField(default=0, editable=False)
    claim_count = models.IntegerField(default=0, editable=False)
    status = models.GeneratedField(
        expression=models.Case(
            *(
                models.When(**{f"{counter}__gt": 0}, then=models.Value(status))
                for counter, status in COUNTED_STATUSES.items()
            ),
            default=models.Value(RunStatus.EMPTY),
        ),
        output_field=models.CharField(max_length=14, choices=RunStatus),
        db_persist=True,
    )

    objects = RunQuerySet.as_manager()

    class Meta:
        triggers = triggers.ON_RUNS
        indexes = [
            models.Index(fields=["-happened_at", "-id"], condition=Q(deleted_at__isnull=True), name="runs_by_time"),
            models.Index(
                fields=["instrument", "-happened_at", "-id"],
                condition=Q(deleted_at__isnull=True),
                name="runs_of_instrument_by_time",
            ),
            models.Index(fields=["-created_at", "-id"], condition=Q(deleted_at__isnull=True), name="runs_by_creation"),
            models.Index(fields=["run_id", "id"], condition=Q(deleted_at__isnull=True), name="runs_by_name"),
            models.Index(fields=["-size_class"], condition=Q(deleted_at__isnull=True), name="runs_by_size"),
            BrinIndex(  # of ranges: an update that writes no other indexed column stays within its page
                OpClass("updated_at", name="timestamptz_minmax_multi_ops"),
                name="runs_by_change",
                pages_per_range=32,
                autosummarize=True,
            ),
            models.Index(
                fields=["status", "-happened_at", "-id"],
                condition=Q(deleted_at__isnull=True) & ~Q(status=RunStatus.COMPLETED),
                include=["instrument"],
                name="unfinished_runs_by_time",
            ),
            models.Index(
                fields=["-happened_at", "-id"],
                condition=Q(deleted_at__isnull=True, claim_count=0),
                name="unattributed_runs_by_time",
            ),
            models.Index(
                fields=["processing_since"],
                condition=Q(processing_since__isnull=False),
                name="processing_runs",
            ),
            GinIndex(fields=["terms"], name="runs_by_term"),
            GinIndex(OpClass(Upper(Searchable(MetadataWords())), name="gin_trgm_ops"), name="runs_by_part_of_metadata"),
            GinIndex(MetadataValues(), condition=~Q(metadata={}), fastupdate=False, name="runs_by_metadata_value"),
            models.Index(
                fields=["id"],
                condition=Q(HasPairBehindOther(Upper(MetadataText()))),
                name="other_metadata_of_runs",
            ),
            models.Index(fields=["id"], condition=Q(HasPairBehindOther("search_key")), name="other_names_of_runs"),
            GinIndex(fields=["tags"], name="runs_by_tag"),
            models.Index(fields=["project", "instrument"], condition=Q(project__isnull=False), name="runs_of_project"),
            models.Index(
                fields=["project", "-happened_at", "-id"],
                condition=Q(deleted_at__isnull=True, project__isnull=False),
                name="runs_of_project_by_time",
            ),
            models.Index(
                fields=["instrument", "deleted_at"],
                condition=Q(deleted_at__isnull=False, purged_at__isnull=True),
                name="deleted_runs_of_instrument",
            ),
            GinIndex(OpClass("search_key", name="gin_trgm_ops"), name="runs_by_part_of_run_id"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["instrument", "run_id"], name="one_run_per_instrument_and_run_id"),
            models.CheckConstraint(
                condition=~Q(run_id__regex=r"[/\\[:cntrl:]]")
                & ~Q(run_id__in=["", ".", ".."])
                & ~Q(run_id__startswith=" ")
                & ~Q(run_id__endswith=" "),
                name="run_id_is_a_path_segment",
            ),
            models.CheckConstraint(condition=Q(tags__len__lte=MAX_TAGS), name="run_has_few_tags"),
            models.CheckConstraint(condition=Q(source__in=RunSource.values), name="run_source_is_known"),
            models.CheckConstraint(condition=is_object("caller_metadata"), name="run_own_is_an_object"),
            models.CheckConstraint(condition=is_object("extracted"), name="run_extracted_is_an_object"),
            models.CheckConstraint(
                condition=Q(deleted_at__isnull=True, deleted_by__isnull=True, deleted_by_token__isnull=True)
                | Q(deleted_at__isnull=False) & exactly_one("deleted_by", "deleted_by_token"),
                name="run_is_deleted_by_somebody",
            ),
            models.CheckConstraint(
                condition=Q(purged_at__isnull=True) | Q(deleted_at__isnull=False), name="purged_run_stays_deleted"
            ),
            models.CheckConstraint(
                condition=Q(**{f"{name}__gte": 0 for name in COUNTERS}), name="run_counts_are_not_negative"
            ),
            models.CheckConstraint(
                condition=Q(
                    file_count=F("n_failed") + F("n_pending") + F("n_uploaded") + F("n_processing") + F("n_completed")
                ),
                name="run_counts_add_up",
            ),
            models.CheckConstraint(
                condition=Q(n_processing=0, processing_since__isnull=True)
                | Q(n_processing__gt=0, processing_since__isnull=False),
                name="run_processing_has_a_beginning",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.instrument_id}/{self.run_id}"

    @property
    def changeable_values(self) -> tuple[Any, ...]:
        """What its version for If-Match is made of."""
        return self.caller_metadata, self.acquired_at, self.deleted_at, self.tags, self.project_id

    @property
    def attributions(self) -> list[Attribution]:
        """Of a described run, the first claim first."""
        return [build_attribution(claimant) for claimant in vars(self)["claimants"]]

    def status_at(self, at: datetime) -> RunStatus:
        """The derived status as shown: whatever is not failed and was processing for too long has stalled."""
        started = self.processing_since
        if self.status != RunStatus.FAILED and started is not None and started < at - STALLED_AFTER:
            return RunStatus.STALLED
        return RunStatus(self.status)


class ClaimQuerySet(models.QuerySet["Claim"]):
    def visible_to(self, by: Caller) -> "ClaimQuerySet":
        return self if by.instrument_ids is None else self.filter(run__instrument_id__in=by.instrument_ids)


@audited("user", parent="run", by_month=True)
class Claim(models.Model):
    """One person says: this run is mine."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="claims")
    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="claims", db_index=False)
    claimed_at = models.DateTimeField(default=now, editable=False)

    objects = ClaimQuerySet.as_manager()

    class Meta:
        triggers = triggers.ON_CLAIMS
        constraints = [models.UniqueConstraint(fields=["user", "run"], name="one_claim_per_person_and_run")]

    def __str__(self) -> str:
        return f"{self.user_id} claims {self.run_id}"
