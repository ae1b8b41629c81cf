"""What needs a person: files that could not be read, runs that stalled, watchers that fell silent, new instruments."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Generic, TypeVar
from uuid import UUID

from accounts.callers import Caller
from files.choices import FileStatus
from files.models import File
from instruments.models import Instrument, InstrumentStatus
from runs.models import Run
from runs.search import RunSearch, filter_runs
from runs.status import RunStatus
from watchers.models import Watcher

RECENT_FAILURE_PERIOD = timedelta(days=14)  # what failed earlier is history: the list of failed runs keeps it
MAX_ROWS = 5
MAX_COUNT = 100
Row = TypeVar("Row")


@dataclass(frozen=True)
class Newest(Generic[Row]):
    """The newest few, and how many there are, counted up to MAX_COUNT."""

    rows: Sequence[Row]
    total: int


@dataclass(frozen=True)
class Attention:
    offline: Newest[Watcher]
    failed: Newest[Run]
    stalled: Newest[Run]
    pending: Newest[Instrument]
    failures: Mapping[UUID, File]  # one file that explains each failed run

    @property
    def total(self) -> int:
        return self.offline.total + self.failed.total + self.stalled.total + self.pending.total

    @property
    def failed_with_files(self) -> list[tuple[Run, File | None]]:
        return [(run, self.failures.get(run.pk)) for run in self.failed.rows]

    @property
    def rest(self) -> int:
        """How many are not among the rows."""
        return self.total - sum(map(len, (self.offline.rows, self.failed.rows, self.stalled.rows, self.pending.rows)))


def find_attention(*, by: Caller, at: datetime) -> Attention:
    """Of everything the caller may see."""
    failed = _find_newest_runs(RunStatus.FAILED, since=at - RECENT_FAILURE_PERIOD, by=by, at=at)
    silent = Watcher.objects.visible_to(by).offline(at).with_details().order_by("last_heartbeat_at", "id")
    unconfirmed = (
        Instrument.objects.visible_to(by).filter(status=InstrumentStatus.PENDING).order_by("-created_at", "id")
    )
    return Attention(
        offline=_take_newest(list(silent[:MAX_COUNT])),
        failed=failed,
        stalled=_find_newest_runs(RunStatus.STALLED, since=None, by=by, at=at),
        pending=_take_newest(list(unconfirmed[:MAX_COUNT])),
        failures=_find_failed_files([run.pk for run in failed.rows]),
    )


def _find_newest_runs(status: RunStatus, *, since: datetime | None, by: Caller, at: datetime) -> Newest[Run]:
    found = filter_runs(RunSearch(statuses=(status,), happened_from=since), by=by, at=at)
    ids = list(found.order_by("-happened_at", "-id").values_list("pk", flat=True)[:MAX_COUNT])
    shown = Run.objects.filter(pk__in=ids[:MAX_ROWS]).select_related("instrument")
    return Newest(list(shown.order_by("-happened_at", "-id")) if ids else [], len(ids))


def _take_newest(rows: Sequence[Row]) -> Newest[Row]:
    return Newest(rows[:MAX_ROWS], len(rows))


def _find_failed_files(run_ids: list[UUID]) -> dict[UUID, File]:
    failed = (
        File.objects.active().filter(run__in=run_ids, status=FileStatus.FAILED).order_by("run", "natural_key", "id")
    )
    return {file.run_id: file for file in failed.distinct("run")} if run_ids else {}
