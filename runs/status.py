"""The status of a run, derived from its files: docs/interface.md, Status of a run."""

from datetime import timedelta

from django.db import models

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
