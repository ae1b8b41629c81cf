"""What seals the trail: a link for each of its rows, a chain a day and table, and how far the sealer has come.

Links are only added to, by everybody; a chain's row says where its day ends and is written on while the day lasts.
"""

from typing import ClassVar

import pgtrigger
from django.contrib.postgres.fields import ArrayField
from django.db import models

TRAIL_IDS = "public.accounts_trail_ids"


class TrailLink(models.Model):
    """The seal of one row: SHA-256 of the link before it in its table's chain, then of itself. 32 bytes each."""

    row_id = models.BigIntegerField(primary_key=True)  # pgh_id of the row: unique in all tables of the trail
    kind = models.CharField(max_length=40)  # as histories name what the row is of
    previous = models.BinaryField()
    sha256 = models.BinaryField()

    class Meta:
        triggers: ClassVar[list[pgtrigger.Trigger]] = [
            pgtrigger.Protect(name="append_only", operation=pgtrigger.Update | pgtrigger.Delete)
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.row_id}"


class TrailChain(models.Model):
    """One day (UTC) of one table. Its first link follows the head of the table's chain before."""

    kind = models.CharField(max_length=40)
    day = models.DateField()
    first_id = models.BigIntegerField()
    last_id = models.BigIntegerField()
    rows_count = models.BigIntegerField()
    sha256 = models.BinaryField()  # the head: that of its last link

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["kind", "day"], name="one_chain_a_day_and_kind")
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.day}"


class TrailSealer(models.Model):
    """One row. `safe_through`: no row with such an id or a lower one can still be committed.

    `candidate_through` becomes that when the transactions in `writers` have ended.
    """

    sealed_through = models.BigIntegerField(default=0)
    safe_through = models.BigIntegerField(default=0)
    candidate_through = models.BigIntegerField(null=True)
    writers = ArrayField(models.TextField(), default=list)  # as pg_locks.virtualtransaction names them

    def __str__(self) -> str:
        return f"sealed through {self.sealed_through}"


class TrailDetachment(models.Model):
    """A part of a table that was written to a file and taken out of the trail. Its seals stay."""

    kind = models.CharField(max_length=40)
    part = models.CharField(max_length=40)  # as accounts.trail.months.TrailPart names it
    rows_count = models.BigIntegerField()
    first_id = models.BigIntegerField()
    last_id = models.BigIntegerField()
    file_sha256 = models.BinaryField()
    detached_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["kind", "part"], name="one_detachment_a_part_of_the_trail")
        ]
        triggers: ClassVar[list[pgtrigger.Trigger]] = [
            pgtrigger.Protect(name="append_only", operation=pgtrigger.Update | pgtrigger.Delete)
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.part}"
