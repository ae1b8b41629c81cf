"""Enrolment codes as rows. The code itself is nowhere: only its digest is kept."""

from datetime import datetime

from django.db import models
from django.db.models import F, Q

from accounts.models import User
from accounts.trail.rows import audited
from instruments.models import Instrument
from wire.clock import now
from wire.columns import is_hex
from wire.ids import new_id

NEW_INSTRUMENT_COLUMNS = ("new_instrument_id", "new_display_name", "new_instrument_type")
USE_COLUMNS = ("used_at", "watcher", "hostname", "instance_id")


class EnrolmentCodeQuerySet(models.QuerySet["EnrolmentCode"]):
    def good(self, at: datetime) -> "EnrolmentCodeQuerySet":
        """Neither used nor ended, and made by somebody who still is an admin."""
        maker = {"created_by__is_admin": True, "created_by__is_active": True}
        return self.filter(used_at__isnull=True, expires_at__gt=at, **maker)


@audited("instrument", *NEW_INSTRUMENT_COLUMNS, "created_by", "expires_at", *USE_COLUMNS)
class EnrolmentCode(models.Model):
    """What an admin hands to a computer: for one instrument, or for one that is announced when the code is used."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    digest = models.CharField(max_length=64, editable=False)
    instrument = models.ForeignKey(Instrument, on_delete=models.PROTECT, null=True, related_name="+", db_index=False)
    new_instrument_id = models.CharField(max_length=64, null=True, db_collation="C")
    new_display_name = models.CharField(max_length=255, null=True)
    new_instrument_type = models.CharField(max_length=64, null=True)
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+", db_index=False)
    created_at = models.DateTimeField(default=now, editable=False)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)
    watcher = models.ForeignKey("watchers.Watcher", on_delete=models.PROTECT, null=True, related_name="+")
    hostname = models.CharField(max_length=255, null=True)
    instance_id = models.UUIDField(null=True)

    objects = EnrolmentCodeQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["digest"], name="one_enrolment_code_per_digest"),
            models.CheckConstraint(condition=is_hex("digest", digits=64), name="enrolment_code_digest_is_sha256"),
            models.CheckConstraint(condition=Q(expires_at__gt=F("created_at")), name="enrolment_code_ends_later"),
            models.CheckConstraint(
                condition=Q(instrument__isnull=True)
                | Q(**{f"{name}__isnull": True for name in NEW_INSTRUMENT_COLUMNS}),
                name="enrolment_code_is_bound_or_for_a_new_one",
            ),
            models.CheckConstraint(
                condition=Q(**{f"{name}__isnull": True for name in USE_COLUMNS})
                | Q(**{f"{name}__isnull": False for name in USE_COLUMNS}),
                name="enrolment_code_use_is_told_whole",
            ),
        ]

    def __str__(self) -> str:
        return f"code for {self.instrument_id or self.new_instrument_id or 'a new instrument'}"
