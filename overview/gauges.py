"""What whoever runs the service watches: what waits, who is silent, how much is stored. Of the whole workspace."""

import logging
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.core.cache import cache
from django.db.models import Count, Min, Q, QuerySet, Sum

from archives.models import ArchiveJob, ArchiveStatus
from files.cold.recalls import RECALLS
from files.integrity.findings import read_integrity
from files.models import File
from files.stored.sizes import correct_ranges, fold_changes, list_ranges, read_kept_sizes
from files.uploads.read_back import READ_BACKS
from jobs.task_queue import enqueue
from notifications.delivery import CHAT_DELIVERIES
from notifications.models import Announcement
from overview.backups import find_last_backup
from processing.models import ProcessingJob
from runs.models import Run
from runs.status import STALLED_AFTER, RunStatus
from watchers.choices import OFFLINE_AFTER, WatcherStatus
from watchers.models import Watcher

STORED_CACHE_KEY = "overview:stored"
COUNT_SECONDS = 60  # how long ranges that were never counted are counted in one go
log = logging.getLogger(__name__)


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
    cold: dict[str, int]  # files in the cold store, and of these those that were asked for
    findings: dict[str, int]  # open ones of reading stored bytes again, by kind
    unread_seconds: float  # since the stored file was read that was read longest ago
    backup_age_seconds: float | None  # None: there is none


def read_gauges(*, at: datetime) -> Gauges:
    """A fixed number of queries, each over an index of what is unfinished or over the few watchers."""
    watchers, lag = _read_watchers(at=at)
    integrity = read_integrity(at=at)
    return Gauges(
        queues={
            "archives": _measure_queue(ArchiveJob.objects.building(), since="created_at", at=at),
            "processing": _measure_queue(ProcessingJob.objects.unfinished(), since="requested_at", at=at),
            "announcements": _measure_queue(Announcement.objects.filter(delivered_at=None), since="created_at", at=at),
            "chat": _measure_queue(CHAT_DELIVERIES.unfinished, since="notification__created_at", at=at),
            "recalls": _measure_queue(RECALLS.unfinished, since="requested_at", at=at),
            "read_backs": _measure_queue(READ_BACKS.unfinished, since="requested_at", at=at),
        },
        watchers=watchers,
        heartbeat_lag_seconds=lag,
        runs=_read_runs(at=at),
        stored=read_stored_sizes(),
        cold=_read_cold(),
        findings=integrity.open,
        unread_seconds=(at - (integrity.oldest_read_at or at)).total_seconds(),
        backup_age_seconds=(at - last.made_at).total_seconds() if (last := find_last_backup()) else None,
    )


def read_stored_sizes() -> dict[str, tuple[int, int]]:
    """As last measured. Where nothing is known a worker is asked to measure."""
    known: dict[str, tuple[int, int]] | None = cache.get(STORED_CACHE_KEY)
    if known is None:
        enqueue("overview.measure")
    return known or {}


def measure_stored_sizes(*, at: datetime) -> None:
    """Remember for `read_stored_sizes` what the database keeps of stored files.

    Files that no range was counted of, as those from before the counting, are counted first, a minute at a time.
    """
    fold_changes()
    for drift in correct_ranges(list_ranges(uncounted=True), at=at, seconds=COUNT_SECONDS):
        log.info("what is stored was counted", extra={"range": drift.number, "objects": drift.objects})
    found = read_kept_sizes()
    if found is None:
        return
    archives = ArchiveJob.objects.filter(status=ArchiveStatus.READY)
    sums = archives.aggregate(objects=Count("*"), size=Sum("size_bytes", default=0))
    cache.set(STORED_CACHE_KEY, found | {"archive": (sums["objects"], int(sums["size"]))}, timeout=None)


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


def _read_cold() -> dict[str, int]:
    """Over an index of cold files alone."""
    return File.objects.cold().aggregate(cold=Count("pk"), recalled=Count("restore_requested_at"))


def _read_runs(*, at: datetime) -> dict[str, int]:
    active = Run.objects.active()
    stalled = active.filter(processing_since__lt=at - STALLED_AFTER).exclude(status=RunStatus.FAILED)
    return {"failed": active.filter(status=RunStatus.FAILED).count(), "stalled": stalled.count()}
