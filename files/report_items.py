"""What a run's report shows, in natural order, and the window of it around one item."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Q

from accounts.callers import Caller
from files.choices import ReportKind
from files.models import File, FileQuerySet
from runs.lifecycle import find_run
from wire.errors import NotFound


class AnchorMissing(NotFound):
    def __init__(self) -> None:
        super().__init__("The anchor is not among the items.")


@dataclass(frozen=True)
class ReportWindow:
    """Which items are asked for. An anchor overrides the offset."""

    kind: ReportKind
    search: str = ""
    offset: int = 0
    limit: int = 50
    anchor: int | None = None


@dataclass(frozen=True)
class ReportItems:
    """A window of the items. `anchor_index` is the anchor's position in the whole filtered list."""

    items: Sequence[File]
    offset: int
    limit: int
    total: int
    anchor_index: int | None


def list_report_items(*, instrument: str, run_id: str, window: ReportWindow, by: Caller) -> ReportItems:
    """The stored, active files of any category that a report shows as this kind. Raises RunMissing, AnchorMissing."""
    run = find_run(instrument=instrument, run_id=run_id, by=by)
    return select_window(File.objects.filter(run=run, report_kind=window.kind).active().stored(), window)


def select_window(files: FileQuerySet, window: ReportWindow, *, counted: int | None = None) -> ReportItems:
    """The window of these files, in natural order; `counted` of them, where that is known. Raises AnchorMissing."""
    if window.search:
        files, counted = files.name_contains(window.search), None
    total, anchor_index, offset = files.count() if counted is None else counted, None, window.offset
    if window.anchor is not None:
        anchor_index = _count_items_before(files, window.anchor)
        offset = _centre_window(anchor_index, limit=window.limit, total=total)
    rows = files.order_by("natural_key", "id").only("id", "filename")
    items = list(rows[offset : offset + window.limit]) if offset < total else []
    return ReportItems(items, offset, window.limit, total, anchor_index)


def _count_items_before(files: FileQuerySet, anchor: int) -> int:
    """How many items stand before the anchor."""
    key = files.filter(pk=anchor).values_list("natural_key", flat=True).first()
    if key is None:
        raise AnchorMissing
    return files.filter(Q(natural_key__lte=key) & (Q(natural_key__lt=key) | Q(id__lt=anchor))).count()


def _centre_window(position: int, *, limit: int, total: int) -> int:
    """Where a window with the position in its middle begins, clamped at both ends."""
    return max(0, min(position - limit // 2, total - limit))
