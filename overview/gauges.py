"""What whoever runs the service watches: what waits, who is silent, how much is stored. Of the whole workspace."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.core.cache import cache
from django.db import connection, transaction
from django.db.models import Count, Min, Q, QuerySet, Sum

from archives.models import ArchiveJob, ArchiveStatus
from files.models import File
from files.uploads.read_back import READ_BACKS
from jobs.task_queue import enqueue
from notifications.delivery import CHAT_DELIVERIES
from notifications.models import Announcement
from processing.models import ProcessingJob
from runs.models import Run
from runs.status import STALLED_AFTER, RunStatus
from watchers.choices import OFFLINE_AFTER, WatcherStatus
from watchers.models import Watcher

STORED_CACHE_KEY = "overview:stored"
MEASURE_TIMEOUT_SECONDS = 60  # the longest that measuring what is stored may take


@dataclass(frozen=True)
class QueueGauge:
    """What waits in one queue or is at work, how much of it is at work, and the age of the oldest."""

    waiting: int
    running: int
    oldest_seconds: float


@dataclass(frozen=True)
class Gauges:
    queues: dict[str, QueueGauge]
    watchers: dict[str, int]  # by the state that is shown
    heartbeat_lag_seconds: float  # since the last heartbeat of the watching agent that is silent longest
    runs: dict[str, int]
    stored: dict[str, tuple[int, int]]  # objects and bytes by kind; empty until they were measured


def read_gauges(*, at: datetime) -> Gauges:
    """A fixed number of queries, each over an index of what is unfinished or over the few watchers."""
    watchers, lag = _read_watchers(at=at)
    return Gauges(
        queues={
            "archives": _measure_queue(ArchiveJob.objects.building(), since="created_at", at=at),
            "processing": _measure_queue(ProcessingJob.objects.unfinished(), since="requested_at", at=at),
            "announcements": _measure_queue(Announcement.objects.filter(delivered_at=None), since="created_at", at=at),
            "chat": _measure_queue(CHAT_DELIVERIES.unfinished, since="notification__created_at", at=at),
            "read_backs": _measure_queue(READ_BACKS.unfinished, since="requested_at", at=at),
        },
        watchers=watchers,
        heartbeat_lag_seconds=lag,
        runs=_read_runs(at=at),
        stored=read_stored_sizes(),
    )


def read_stored_sizes() -> dict[str, tuple[int, int]]:
    """As last measured. Where nothing is known a worker is asked to measure."""
    known: dict[str, tuple[int, int]] | None = cache.get(STORED_CACHE_KEY)
    if known is None:
        enqueue("overview.measure")
    return known or {}


def measure_stored_sizes() -> None:
    """Count all stored files, which takes seconds in a large laboratory, and remember it for `read_stored_sizes`."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(f"SET LOCAL statement_timeout = '{MEASURE_TIMEOUT_SECONDS}s'")
        objects, size = Count("*"), Sum("size_bytes", default=0)
        files = File.objects.active().stored().order_by().values_list("category").annotate(count=objects, total=size)
        found = {str(row[0]): (int(row[1]), int(row[2])) for row in files}
        archives = ArchiveJob.objects.filter(status=ArchiveStatus.READY).aggregate(objects=objects, size=size)
    found["archive"] = (archives["objects"], int(archives["size"]))
    cache.set(STORED_CACHE_KEY, found, timeout=None)


def _measure_queue(waiting: QuerySet[Any], *, since: str, at: datetime) -> QueueGauge:
    leased = Q(lease_id__isnull=False, lease_until__gt=at)
    found = waiting.aggregate(waiting=Count("*"), running=Count("pk", filter=leased), oldest=Min(since))
    oldest: datetime = found["oldest"] or at
    return QueueGauge(found["waiting"], found["running"], max(0.0, (at - oldest).total_seconds()))


def _read_watchers(*, at: datetime) -> tuple[dict[str, int], float]:
    watching = Q(status=WatcherStatus.WATCHING)
    silent = watching & Q(last_heartbeat_at__lte=at - OFFLINE_AFTER)
    found = Watcher.objects.active().aggregate(
        **{str(status): Count("pk", filter=Q(status=status)) for status in WatcherStatus},
        offline=Count("pk", filter=silent),
        heard=Min("last_heartbeat_at", filter=watching),
    )
    heard: datetime = found.pop("heard") or at
    found[WatcherStatus.WATCHING] -= found["offline"]
    return found, max(0.0, (at - heard).total_seconds())


def _read_runs(*, at: datetime) -> dict[str, int]:
    active = Run.objects.active()
    stalled = active.filter(processing_since__lt=at - STALLED_AFTER).exclude(status=RunStatus.FAILED)
    return {"failed": active.filter(status=RunStatus.FAILED).count(), "stalled": stalled.count()}
