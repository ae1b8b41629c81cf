"""Bringing cold files back, as rows: who asked for which, and what became of it."""

from django.db import models
from django.db.models import Q

from accounts.models import Token, User
from runs.models import Run
from wire.clock import now


class Recall(models.Model):
    """Somebody waits for the cold files of a run, or for one of them; a job until `ended_at`."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="recalls", db_index=False)
    file = models.ForeignKey("files.File", on_delete=models.CASCADE, null=True, related_name="+", db_index=False)
    requested_by = models.ForeignKey(User, on_delete=models.CASCADE, null=True, related_name="+", db_index=False)
    requested_by_token = models.ForeignKey(Token, on_delete=models.CASCADE, null=True, related_name="+", db_index=False)
    requested_at = models.DateTimeField(default=now, editable=False)
    ended_at = models.DateTimeField(null=True, editable=False)
    attempts = models.IntegerField(default=0)
    lease_id = models.UUIDField(null=True, editable=False)
    lease_until = models.DateTimeField(null=True, editable=False)
    error_message = models.TextField(null=True, blank=True)

    class Meta:
        indexes = (
            models.Index(fields=["requested_at"], condition=Q(ended_at__isnull=True), name="recalls_under_way"),
            models.Index(fields=["run"], name="recalls_of_run"),
        )
        constraints = (
            models.UniqueConstraint(
                fields=["run", "file", "requested_by", "requested_by_token"],
                condition=Q(ended_at__isnull=True),
                nulls_distinct=False,
                name="one_open_recall_per_requester",
            ),
            models.CheckConstraint(
                condition=Q(requested_by__isnull=False, requested_by_token__isnull=True)
                | Q(requested_by__isnull=True, requested_by_token__isnull=False),
                name="recall_has_one_requester",
            ),
        )

    def __str__(self) -> str:
        return f"recall {self.pk} of run {self.run_id}"
