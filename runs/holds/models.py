"""Holds: what keeps runs from being deleted and purged."""

from django.db import models

from accounts.models import User
from accounts.trail.rows import audited
from runs.projects.models import Project
from wire.clock import now
from wire.columns import exactly_one, has_length
from wire.ids import new_id

MAX_REASON_CHARACTERS = 1_000


@audited("run", "project", "reason", "placed_by")
class Hold(models.Model):
    """One hold: on a run, or on all runs of a project. `runs.triggers.KEEP_HELD_RUNS` makes it hold."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    run = models.OneToOneField("runs.Run", on_delete=models.CASCADE, null=True, blank=True, related_name="hold")
    project = models.OneToOneField(Project, on_delete=models.PROTECT, null=True, blank=True, related_name="hold")
    reason = models.CharField(max_length=MAX_REASON_CHARACTERS)
    placed_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+", db_index=False)
    placed_at = models.DateTimeField(default=now, editable=False)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=exactly_one("run", "project"), name="hold_is_on_a_run_or_a_project"),
            models.CheckConstraint(
                condition=has_length("reason", least=1, most=MAX_REASON_CHARACTERS), name="hold_has_a_reason"
            ),
        ]

    def __str__(self) -> str:
        return self.reason
