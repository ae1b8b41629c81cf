"""What processing made of a run's files: tables, curves, plates and pictures."""

from accounts.callers import Caller
from files.choices import FileCategory
from files.models import File
from files.previews import PREVIEW_TYPES
from runs.lifecycle import find_run


def list_artefacts(*, instrument: str, run_id: str, limit: int, by: Caller) -> list[File]:
    """The first of a run's artefacts that can be shown, in natural order. `metadata` says kind and title."""
    run = find_run(instrument=instrument, run_id=run_id, by=by)
    made = (
        File.objects.filter(run=run, category=FileCategory.PROCESSED, content_type__in=PREVIEW_TYPES).active().stored()
    )
    return list(made.order_by("natural_key", "id").defer("caller_metadata", "extracted")[:limit])
