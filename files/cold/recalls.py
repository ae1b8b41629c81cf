"""Asking for cold files: what waits is marked, and each who asked has a job that ends with a message."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Count, Max, Min, Sum

from accounts.callers import Caller
from files.choices import StorageClass
from files.downloads import FileNotStored, refuse_purged
from files.models import File, FileQuerySet, Recall
from files.records import find_file, lock_file
from jobs.leases import JobQueue
from jobs.task_queue import enqueue_on_commit
from runs.lifecycle import RunIsPurged, find_run, lock_active_run
from runs.models import Run

RECALLS = JobQueue(
    task="files.bring_back",
    unfinished=Recall.objects.filter(ended_at__isnull=True),
    requested_at="requested_at",
    lease=timedelta(seconds=settings.JOB_LEASE_SECONDS),
    max_attempts=3,
    pause=timedelta(minutes=1),
)


@dataclass(frozen=True)
class ColdFiles:
    """Of one run: what is cold, how much of that is on its way back, and since when."""

    files: int = 0
    size_bytes: int = 0
    files_waiting: int = 0
    restore_requested_at: datetime | None = None


@dataclass(frozen=True)
class RecallRequested:
    """What is on its way back now. `already_applied`: this asked for nothing that was not asked for already."""

    run: Run
    files: int
    size_bytes: int
    restore_requested_at: datetime | None
    already_applied: bool


def describe_cold_files(run: Run) -> ColdFiles:
    """By one query over an index of cold files alone."""
    counted = File.objects.cold().filter(run=run)
    sums = counted.aggregate(
        files=Count("pk"),
        size_bytes=Sum("size_bytes", default=0),
        files_waiting=Count("restore_requested_at"),
        restore_requested_at=Min("restore_requested_at"),
    )
    return ColdFiles(**sums)


@transaction.atomic
def request_run(*, instrument: str, run_id: str, by: Caller, at: datetime) -> RecallRequested:
    """Have all cold files of a run brought back. Raises RunMissing, RunIsPurged, RunIsDeleted, FilePurged."""
    seen = find_run(instrument=instrument, run_id=run_id, by=by)
    if seen.purged_at is not None:
        raise RunIsPurged(seen)
    run = lock_active_run(instrument=instrument, run_id=run_id, by=by)
    cold = File.objects.cold().filter(run=run)
    asked = _mark(cold, at=at)
    if not cold.exists():
        _refuse_all_purged(run)
    opened = cold.exists() and _open_recall(run, None, by=by, at=at)
    waiting = cold.aggregate(files=Count("pk"), size=Sum("size_bytes", default=0), since=Max("restore_requested_at"))
    return RecallRequested(run, waiting["files"], waiting["size"], waiting["since"], not asked and not opened)


@transaction.atomic
def request_file(file_id: int, *, by: Caller, at: datetime) -> File:
    """Have one file brought back; one that is at hand stays as it is.

    Raises FileMissing, FileNotStored, FilePurged, RunIsDeleted.
    """
    refuse_purged(find_file(file_id, by=by))
    file = refuse_purged(lock_file(file_id, by=by))
    if file.uploaded_at is None:
        raise FileNotStored(file)
    if file.storage_class == StorageClass.COLD:
        _mark(File.objects.cold().filter(pk=file.pk), at=at)
        _open_recall(file.run, file, by=by, at=at)
        file.refresh_from_db(fields=["restore_requested_at"])
    return file


def list_recalled(recall: Recall) -> FileQuerySet:
    """Which files this waits for."""
    waiting = File.objects.cold().filter(run=recall.run_id, restore_requested_at__isnull=False)
    return waiting.filter(pk=recall.file_id) if recall.file_id else waiting


def _mark(cold: FileQuerySet, *, at: datetime) -> int:
    return cold.filter(restore_requested_at__isnull=True).update(restore_requested_at=at)


def _open_recall(run: Run, file: File | None, *, by: Caller, at: datetime) -> bool:
    """False where the same caller waits for the same already. The run is locked."""
    who = {"requested_by": by.user, "requested_by_token": None if by.user else by.token}
    _, is_new = Recall.objects.get_or_create(run=run, file=file, ended_at=None, **who, defaults={"requested_at": at})
    if is_new:
        enqueue_on_commit(RECALLS.task)
    return is_new


def _refuse_all_purged(run: Run) -> None:
    """A run of which nothing is stored any more. Raises FilePurged."""
    active = run.files.filter(deleted_at__isnull=True)
    if not active.filter(uploaded_at__isnull=False, purged_at__isnull=True).exists():
        gone = active.filter(purged_at__isnull=False).order_by("pk").first()
        if gone is not None:
            refuse_purged(gone)
