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
from processing.registry import get_registry
from runs.search import RunSearch, filter_runs
from runs.status import RunStatus
from watchers.models import Watcher
from wire.errors import ServiceError

REACHABLE = {True: "ok", False: "unreachable"}


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
    queue, storage = has_queue(), has_storage()
    return SystemStatus(
        status="ok" if queue and storage else "degraded",
        version=settings.VERSION,
        time=at,
        time_zone=settings.TIME_ZONE,
        database="ok",
        queue=REACHABLE[queue],
        storage=REACHABLE[storage],
        watchers=count_watchers(by=by, at=at),
        runs={str(status): count_runs(status, by=by, at=at) for status in (RunStatus.FAILED, RunStatus.STALLED)},
        jobs=count_waiting_jobs(by=by, at=at),
        processors={"broken": sorted(get_registry().broken)},
    )


def has_queue() -> bool:
    has_ping = getattr(cache, "ping", None)
    return has_ping is None or has_ping()


def has_storage() -> bool:
    try:
        object_store().check()
        object_store().probe()
    except ServiceError:
        return False
    return True


def count_watchers(*, by: Caller, at: datetime) -> dict[str, int]:
    watchers = Watcher.objects.visible_to(by).active()
    return {"active": watchers.count(), "offline": watchers.offline(at).count()}


def count_runs(status: RunStatus, *, by: Caller, at: datetime) -> int:
    return filter_runs(RunSearch(statuses=(status,)), by=by, at=at).count()


def count_waiting_jobs(*, by: Caller, at: datetime) -> dict[str, int]:
    """Archives not built, files not read and announcements that did not go out; the age of the oldest in seconds."""
    announcements = Announcement.objects.visible_to(by).filter(delivered_at__isnull=True)
    waiting = [
        *ArchiveJob.objects.visible_to(by).building().values_list("created_at", flat=True),
        *ProcessingJob.objects.visible_to(by).unfinished().values_list("requested_at", flat=True)[:1_000],
        *announcements.values_list("created_at", flat=True)[:1_000],
    ]
    oldest = min(waiting, default=at)
    return {"waiting": len(waiting), "oldest_seconds": max(0, int((at - oldest).total_seconds()))}
