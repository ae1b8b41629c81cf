"""The instruments of the laboratory."""

from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Case, FilteredRelation, Q, Value, When
from django.db.models.functions import Coalesce

from accounts.callers import Caller
from accounts.trail.rows import audited
from instruments import triggers
from instruments.groups.models import Group as Group
from instruments.groups.models import GroupInstrument as GroupInstrument
from instruments.groups.models import Membership as Membership
from instruments.retention_rules import COLD_RULE, MAX_RETENTION_DAYS, RetentionRule
from wire.clock import now

MAX_EXPECTED_HOURS = 366 * 24
TEXT_ARRAY = ArrayField(models.TextField())


class InstrumentStatus(models.TextChoices):
    PENDING = "pending"  # announced by a script, not yet confirmed by a person
    ACTIVE = "active"
    INACTIVE = "inactive"  # retired; its watchers are gone and new ones are refused


class Visibility(models.TextChoices):
    EVERYONE = "everyone", "everyone"
    GROUPS = "groups", "its groups"


class InstrumentQuerySet(models.QuerySet["Instrument"]):
    def visible_to(self, by: Caller) -> "InstrumentQuerySet":
        """Everything, or what a bound token is bound to."""
        return self.within(by.instrument_ids)

    def within(self, instrument_ids: tuple[Any, ...] | None) -> "InstrumentQuerySet":
        """The bound of a caller, or what stands for it; None is all."""
        return self if instrument_ids is None else self.filter(id__in=instrument_ids)

    def with_details(self) -> "InstrumentQuerySet":
        """With `file_patterns` of its active watcher and `watcher_count`, which a constraint holds to 0 or 1."""
        active = FilteredRelation("watchers", condition=Q(watchers__deleted_at__isnull=True))
        return self.annotate(active_watcher=active).annotate(
            file_patterns=Coalesce("active_watcher__file_patterns", Value([], output_field=TEXT_ARRAY)),
            watcher_count=Case(When(active_watcher__isnull=False, then=1), default=0),
        )


@audited(
    *("display_name", "status", "instrument_type", "time_zone", "expect_files_every_hours", "visibility"),
    *RetentionRule.values,
    COLD_RULE,
)
class Instrument(models.Model):
    """One instrument. Its slug is permanent; `run_count` counts active runs and is kept by triggers of the runs."""

    id = models.CharField(primary_key=True, max_length=64, db_collation="C")
    display_name = models.CharField(max_length=255)
    status = models.CharField(max_length=8, choices=InstrumentStatus, default=InstrumentStatus.PENDING)
    instrument_type = models.CharField(max_length=64, default="generic")
    time_zone = models.CharField(max_length=64)
    expect_files_every_hours = models.IntegerField(null=True, blank=True)  # null: nobody is told that none come
    visibility = models.CharField(
        max_length=8, choices=Visibility, default=Visibility.EVERYONE, db_default=Visibility.EVERYONE
    )
    purge_deleted_after_days = models.IntegerField(null=True, blank=True)  # null: kept for ever; these four
    expire_raw_after_days = models.IntegerField(null=True, blank=True)
    expire_processed_after_days = models.IntegerField(null=True, blank=True)
    expire_archives_after_days = models.IntegerField(null=True, blank=True)
    cold_raw_after_days = models.IntegerField(null=True, blank=True)  # null: raw files stay at hand
    run_count = models.IntegerField(default=0, editable=False)
    created_at = models.DateTimeField(default=now, editable=False)
    updated_at = models.DateTimeField(default=now, editable=False)

    objects = InstrumentQuerySet.as_manager()

    class Meta:
        triggers = triggers.ON_INSTRUMENTS
        constraints = [
            models.CheckConstraint(condition=Q(id__regex=r"^[a-z0-9-]{1,64}$"), name="instrument_id_is_a_slug"),
            models.CheckConstraint(condition=~Q(display_name=""), name="instrument_has_a_name"),
            models.CheckConstraint(condition=Q(status__in=InstrumentStatus.values), name="instrument_status_is_known"),
            models.CheckConstraint(condition=~Q(instrument_type=""), name="instrument_has_a_type"),
            models.CheckConstraint(condition=~Q(time_zone=""), name="instrument_has_a_time_zone"),
            models.CheckConstraint(
                condition=Q(expect_files_every_hours__gte=1, expect_files_every_hours__lte=MAX_EXPECTED_HOURS),
                name="instrument_expects_files_within_a_year",
            ),
            models.CheckConstraint(
                condition=Q(visibility__in=Visibility.values), name="instrument_visibility_is_known"
            ),
            models.CheckConstraint(
                condition=Q(**{f"{rule}__range": (1, MAX_RETENTION_DAYS) for rule in RetentionRule.values}),
                name="instrument_keeps_for_days",
            ),
            models.CheckConstraint(
                condition=Q(cold_raw_after_days__range=(1, MAX_RETENTION_DAYS)), name="instrument_cools_after_days"
            ),
            models.CheckConstraint(condition=Q(run_count__gte=0), name="instrument_run_count_is_not_negative"),
        ]

    def __str__(self) -> str:
        return self.display_name

    @property
    def changeable_values(self) -> tuple[Any, ...]:
        """What its version for If-Match is made of."""
        named = self.display_name, self.status, self.instrument_type, self.time_zone
        return *named, self.expect_files_every_hours, self.visibility
