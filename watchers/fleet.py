"""The watchers of the laboratory: listed and looked up."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from accounts.callers import Caller
from accounts.foreign_rows import note_foreign_row
from watchers.models import Watcher, WatcherQuerySet
from watchers.status import health_status
from wire.errors import NotFound


class WatcherMissing(NotFound):
    def __init__(self) -> None:
        super().__init__("There is no such watcher.")


def list_watchers(
    *,
    instrument_id: str | None = None,
    include_deleted: bool = False,
    offline_at: datetime | None = None,
    by: Caller,
) -> WatcherQuerySet:
    """Newest first; deregistered ones only where they are asked for; of a moment those alone that were not heard."""
    watchers = Watcher.objects.visible_to(by).with_details()
    if not include_deleted:
        watchers = watchers.active()
    if instrument_id is not None:
        watchers = watchers.filter(instrument_id=instrument_id)
    if offline_at is not None:
        watchers = watchers.offline(offline_at)
    return watchers.order_by("-created_at", "-id")


def find_watcher(watcher_id: UUID, *, by: Caller) -> Watcher:
    """The watcher as it is shown, a deregistered one too. Raises WatcherMissing."""
    found = Watcher.objects.visible_to(by).with_details().filter(id=watcher_id).first()
    if found is None:
        note_foreign_row(Watcher.objects.filter(id=watcher_id), by=by)
        raise WatcherMissing
    return found


def health_of_instruments(instrument_ids: Sequence[str], *, at: datetime) -> dict[str, str]:
    """Of those that have an active watcher."""
    rows = Watcher.objects.active().filter(instrument__in=instrument_ids)
    shown = rows.only("instrument_id", "status", "last_heartbeat_at", "deleted_at")
    return {watcher.instrument_id: health_status(watcher, at=at) for watcher in shown}
