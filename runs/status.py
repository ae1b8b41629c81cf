"""The status of a run, derived from its files: docs/interface.md, Status of a run."""

from datetime import datetime, timedelta

from django.db import models
from django.db.models import Q

STALLED_AFTER = timedelta(minutes=20)


class RunStatus(models.TextChoices):
    """Derived from the active raw files, the first that applies. `stalled` is decided at reading, by the clock."""

    FAILED = "failed"
    STALLED = "stalled"
    PENDING_UPLOAD = "pending_upload"
    UPLOADED = "uploaded"
    PROCESSING = "processing"
    COMPLETED = "completed"
    EMPTY = "empty"


# The counters of a run and the status each stands for, in the order in which they decide.
COUNTED_STATUSES = {
    "n_failed": RunStatus.FAILED,
    "n_pending": RunStatus.PENDING_UPLOAD,
    "n_uploaded": RunStatus.UPLOADED,
    "n_processing": RunStatus.PROCESSING,
    "n_completed": RunStatus.COMPLETED,
}
STATUSES_THAT_STALL = {
    RunStatus.PENDING_UPLOAD,
    RunStatus.UPLOADED,
    RunStatus.PROCESSING,
}  # a stalled run shows none of these


def status_filter(statuses: tuple[RunStatus, ...], *, at: datetime) -> Q:
    """Derived statuses as conditions on what is stored; what is not asked leaves no trace, so that indexes serve."""
    stalled_before = at - STALLED_AFTER
    asked = set(statuses)
    lasting = sorted(asked - STATUSES_THAT_STALL - {RunStatus.STALLED})
    passing = sorted(asked & STATUSES_THAT_STALL)
    condition = _status_in(lasting)
    if passing:
        is_alive = Q(processing_since__isnull=True) | Q(processing_since__gte=stalled_before)
        condition |= _status_in(passing) & is_alive
    if RunStatus.STALLED in asked:
        condition |= Q(processing_since__lt=stalled_before) & ~Q(status=RunStatus.FAILED)
    return condition


def _status_in(statuses: list[RunStatus]) -> Q:
    if len(statuses) == 1:
        return Q(status=statuses[0])
    return Q(status__in=statuses) if statuses else Q()
