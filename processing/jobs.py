"""The life of a processing job: asked for, leased, postponed, ended. Attempts and leases as for archives."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID, uuid4

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q

from files.models import File
from processing.models import UNFINISHED, JobState, ProcessingJob, ProcessingJobQuerySet
from wire.bell import ring_on_commit

LEASE = timedelta(seconds=settings.JOB_LEASE_SECONDS)  # a reading that is silent for so long is taken over
MAX_ATTEMPTS = 3
PAUSE = timedelta(seconds=5)  # between two attempts
TASK = "processing.process"


@dataclass(frozen=True)
class Lease:
    """The right to read a file until somebody else may."""

    job: ProcessingJob
    id: UUID


def want(files: Iterable[File], *, claim: bool, at: datetime) -> int:
    """Have these files read, again if need be; who reads one of them now finds that nobody asks for that any more.

    `claim`: also where somebody else is said to process the file.
    """
    ids = [file.pk for file in files]
    asked = {"state": JobState.WAITING, "requested_at": at, "attempts": 0, "ended_at": None, "detail": ""}
    free = {"lease_id": None, "lease_until": None}
    claimed = {"claimed_at": at} if claim else {}
    jobs = [ProcessingJob(file_id=file_id, **asked, **free, **claimed) for file_id in sorted(ids)]
    ProcessingJob.objects.bulk_create(
        jobs,
        update_conflicts=True,
        unique_fields=["file"],
        update_fields=[*asked, *free, *claimed],
        batch_size=1000,
    )
    for file_id in ids:
        ring_on_commit(TASK, file_id=file_id)
    return len(ids)


@transaction.atomic
def lease_job(file_id: int, *, at: datetime, lasts: timedelta = LEASE) -> Lease | None:
    """Take the right to read, or None: somebody has it, or there is nothing to do."""
    free = Q(lease_until__isnull=True) | Q(lease_until__lte=at)
    job = ProcessingJob.objects.unfinished().select_for_update(skip_locked=True).filter(free, pk=file_id).first()
    if job is None:
        return None
    job.state, job.attempts = JobState.RUNNING, job.attempts + 1
    job.lease_id, job.lease_until = uuid4(), at + lasts
    job.save(update_fields=["state", "attempts", "lease_id", "lease_until"])
    return Lease(job, job.lease_id)


def renew_lease(lease: Lease, *, at: datetime, lasts: timedelta = LEASE) -> bool:
    """A sign of life keeps the lease. False: it was lost, so stop."""
    return bool(leased(lease).update(lease_until=at + lasts))


def hold_lease(lease: Lease) -> bool:
    """Within a transaction: whether the lease is ours, and keep it so to the end."""
    return leased(lease).select_for_update().exists()


def postpone_job(lease: Lease, *, at: datetime, wait: timedelta) -> None:
    """The store is away: give the attempt back and come again later."""
    again = {"state": JobState.WAITING, "lease_id": None, "lease_until": at + wait}
    leased(lease).update(attempts=F("attempts") - 1, **again)


def end_attempt(lease: Lease, *, at: datetime, detail: str) -> None:
    """An attempt broke: the sweep tries again, as long as there are attempts."""
    again = {"state": JobState.WAITING, "lease_id": None, "lease_until": at + PAUSE}
    leased(lease).update(detail=detail, **again)


def end_job(lease: Lease, *, state: JobState, at: datetime, **values: object) -> bool:
    """Over, for one reason or another. False: the lease was lost meanwhile."""
    ended = {"state": state, "ended_at": at, "lease_id": None, "lease_until": None, "claimed_at": None, "detail": ""}
    return bool(leased(lease).update(**(ended | values)))


def silent_jobs(*, at: datetime, most: int = 500) -> list[int]:
    """Files that nobody reads: their bell was lost or their reader died."""
    free = Q(lease_until__isnull=True) | Q(lease_until__lte=at)
    waiting = ProcessingJob.objects.unfinished().filter(free).order_by("requested_at")
    return list(waiting.values_list("pk", flat=True)[:most])


def leased(lease: Lease) -> ProcessingJobQuerySet:
    return ProcessingJob.objects.filter(pk=lease.job.pk, lease_id=lease.id, state__in=UNFINISHED)
