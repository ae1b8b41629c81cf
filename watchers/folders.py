"""The folder that an agent watches: what the agent says of it, and since when files that should come do not."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import DurationField, ExpressionWrapper, F, Q, Value
from django.db.models.functions import Coalesce

from watchers.choices import UNWATCHED_STATES, FolderState
from watchers.models import Watcher, WatcherQuerySet

HOUR = timedelta(hours=1)


@dataclass(frozen=True)
class FolderReport:
    """How an agent finds its folder, its times by its own clock; None leaves what is known as it is."""

    state: FolderState
    last_scan_at: datetime | None = None
    last_file_at: datetime | None = None
    files_waiting: int | None = None
    bytes_waiting: int | None = None


@dataclass(frozen=True)
class FolderColumns:
    """A report as the columns of a watcher. A clock that runs ahead tells of nothing that is still to come."""

    folder_state: FolderState | None = None
    folder_away_since: datetime | None = None
    folder_last_scan_at: datetime | None = None
    folder_last_file_at: datetime | None = None
    folder_files_waiting: int | None = None
    folder_bytes_waiting: int | None = None


def to_folder_columns(report: FolderReport | None, *, at: datetime) -> FolderColumns:
    """All None where nothing was reported."""
    if report is None:
        return FolderColumns()
    return FolderColumns(
        folder_state=report.state,
        folder_away_since=at if report.state in UNWATCHED_STATES else None,
        folder_last_scan_at=report.last_scan_at and min(report.last_scan_at, at),
        folder_last_file_at=report.last_file_at and min(report.last_file_at, at),
        folder_files_waiting=report.files_waiting,
        folder_bytes_waiting=report.bytes_waiting,
    )


def find_silence_of_files(watcher: Watcher) -> datetime | None:
    """Since when no file came, once that is longer than the instrument's `expect_files_every_hours`; else None.

    What counts is how long the agent looked in vain, both times by its own clock: one that is wrong changes nothing,
    and neither does a computer that was switched off.
    """
    hours = watcher.instrument.expect_files_every_hours
    looked_at = watcher.folder_last_scan_at or watcher.last_heartbeat_at
    if hours is None or looked_at is None or watcher.folder_state is None or watcher.deleted_at is not None:
        return None
    since = watcher.folder_last_file_at or watcher.created_at
    return since if looked_at - since >= hours * HOUR else None


def is_blind(watcher: Watcher) -> bool:
    """Whether it sees no files, though it may be there."""
    return watcher.folder_away_since is not None or find_silence_of_files(watcher) is not None


def list_silent_of_files() -> WatcherQuerySet:
    """Those that find_silence_of_files tells of."""
    expected: Any = ExpressionWrapper(
        F("instrument__expect_files_every_hours") * Value(HOUR), output_field=DurationField()
    )
    return (
        Watcher.objects.active()
        .filter(folder_state__isnull=False, instrument__expect_files_every_hours__isnull=False)
        .alias(looked_at=Coalesce("folder_last_scan_at", "last_heartbeat_at"))
        .filter(looked_at__gte=Coalesce("folder_last_file_at", "created_at") + expected)
    )


def list_blind(*, at: datetime) -> WatcherQuerySet:
    """Those of which is_blind is true though they are online."""
    silent = Q(pk__in=list_silent_of_files().values("pk"))
    return Watcher.objects.online(at).filter(Q(folder_away_since__isnull=False) | silent)
