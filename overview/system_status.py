"""Whether everything works, in numbers."""

from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.core.cache import cache

from accounts.callers import Caller
from archives.models import ArchiveJob
from files.storage import object_store
from notifications.models import Announcement
from processing.models import ProcessingJob
from processing.registry import registry
from runs.search import RunSearch, matching_runs
from runs.status import RunStatus
from watchers.models import Watcher
from wire.errors import ServiceError


@dataclass(frozen=True)
class SystemStatus:
    """`degraded` when a part is out of reach; the numbers are of what the caller may see."""

    status: str
    version: str
    time: datetime
    time_zone: str
    database: str
    queue: str
    storage: str
    watchers: dict[str, int]
    runs: dict[str, int]
    jobs: dict[str, int]
    processors: dict[str, list[str]]


def read_status(*, by: Caller, at: datetime) -> SystemStatus:
    queue, storage = queue_state(), storage_state()
    return SystemStatus(
        status="ok" if queue == storage == "ok" else "degraded",
        version=settings.VERSION,
        time=at,
        time_zone=settings.TIME_ZONE,
        database="ok",
        queue=queue,
        storage=storage,
        watchers=count_watchers(by=by, at=at),
        runs={str(status): count_runs(status, by=by, at=at) for status in (RunStatus.FAILED, RunStatus.STALLED)},
        jobs=waiting_jobs(at=at),
        processors={"broken": sorted(registry().broken)},
    )


def queue_state() -> str:
    has_ping = getattr(cache, "ping", None)
    return "ok" if has_ping is None or has_ping() else "unreachable"


def storage_state() -> str:
    try:
        object_store().check()
    except ServiceError:
        return "unreachable"
    return "ok"


def count_watchers(*, by: Caller, at: datetime) -> dict[str, int]:
    watchers = Watcher.objects.visible_to(by).active()
    return {"active": watchers.count(), "offline": watchers.offline(at).count()}


def count_runs(status: RunStatus, *, by: Caller, at: datetime) -> int:
    return matching_runs(RunSearch(statuses=(status,)), by=by, at=at).count()


def waiting_jobs(*, at: datetime) -> dict[str, int]:
    """Archives not built, files not read and announcements that did not go out; the age of the oldest in seconds."""
    waiting = [
        *ArchiveJob.objects.building().values_list("created_at", flat=True),
        *ProcessingJob.objects.unfinished().values_list("requested_at", flat=True)[:1_000],
        *Announcement.objects.filter(delivered_at__isnull=True).values_list("created_at", flat=True)[:1_000],
    ]
    oldest = min(waiting, default=at)
    return {"waiting": len(waiting), "oldest_seconds": max(0, int((at - oldest).total_seconds()))}
