"""The life of an archive job: asked for, finished, failed, forgotten. Its leases are as in jobs/leases.py."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.db import IntegrityError, transaction

from accounts.callers import Caller
from accounts.foreign_rows import note_foreign_row
from archives.crates import derive_crate_key
from archives.members import Selection, refuse_cold_members, select_members
from archives.models import ArchiveJob, ArchiveKind, ArchiveStatus
from archives.signals import archive_ready
from files.removing.lock import RemovalOnHold, refuse_during_copy
from files.removing.removals import decide_removals, remove_decided
from files.storage import object_store
from jobs.leases import RELEASED, JobQueue, Lease
from jobs.task_queue import enqueue_on_commit
from runs.lifecycle import describe_run, find_run
from runs.models import Run
from wire.clock import format_timestamp
from wire.errors import Conflict, NotFound

BUILDS = JobQueue(
    task="archives.build",
    unfinished=ArchiveJob.objects.building(),
    requested_at="created_at",
    lease=timedelta(seconds=settings.JOB_LEASE_SECONDS),
    max_attempts=3,
    pause=timedelta(seconds=5),
)
# An external worker packs files; what an RO-Crate says of them is told by the service.
EXTERNAL_BUILDS = replace(BUILDS, unfinished=BUILDS.unfinished.filter(kind=ArchiveKind.FILES))
CRATE_BUILDS = replace(BUILDS, unfinished=BUILDS.unfinished.filter(kind=ArchiveKind.CRATE))
FAILURE_STANDS = timedelta(minutes=10)
KEPT = timedelta(days=7)
REMOVAL_SECONDS = 60.0


class ArchiveMissing(NotFound):
    def __init__(self) -> None:
        super().__init__("There is no such archive job.")


class ArchiveFailed(Conflict):
    """The build of these files failed; it is not tried again for ten minutes."""

    def __init__(self, job: ArchiveJob) -> None:
        assert job.completed_at is not None
        super().__init__(
            f"The archive could not be built: {job.error_message}",
            job_id=str(job.pk),
            status=job.status,
            error_message=job.error_message,
            retry_at=format_timestamp(job.completed_at + FAILURE_STANDS),
        )


class ArchiveEndedOtherwise(Conflict):
    def __init__(self, job: ArchiveJob) -> None:
        super().__init__(f"The archive job is {job.status} already.", status=job.status)


class ArchiveNotStored(Conflict):
    def __init__(self, job: ArchiveJob, *, found: int | None) -> None:
        text = "The archive is not in the store." if found is None else "The stored archive has another size."
        super().__init__(text, status=job.status, size_bytes=found)


def request_archive(
    *, instrument: str, run_id: str, file_ids: Sequence[int] | None, by: Caller, at: datetime
) -> ArchiveJob:
    """The job of these files: ready, being built, or begun now.

    Raises RunMissing, NoStoredFiles, ArchiveFailed, FilesAreCold.
    """
    run = find_run(instrument=instrument, run_id=run_id, by=by)
    return _begin(run, ArchiveKind.FILES, select_members(run, file_ids=file_ids), at=at)


def request_crate(
    *, instrument: str, run_id: str, file_ids: Sequence[int] | None, by: Caller, at: datetime
) -> ArchiveJob:
    """The same as an RO-Crate, which is packed anew once the run is described otherwise."""
    run = describe_run(instrument=instrument, run_id=run_id, by=by)
    chosen = select_members(run, file_ids=file_ids)
    return _begin(run, ArchiveKind.CRATE, replace(chosen, cache_key=derive_crate_key(chosen.cache_key, run)), at=at)


def _begin(run: Run, kind: ArchiveKind, chosen: Selection, *, at: datetime) -> ArchiveJob:
    known = find_by_key(chosen.cache_key, at=at)
    if known is not None:
        return known
    refuse_cold_members(chosen.file_ids)
    try:
        with transaction.atomic():
            job = ArchiveJob.objects.create(
                run=run, kind=kind, cache_key=chosen.cache_key, file_ids=chosen.file_ids, created_at=at
            )
            enqueue_on_commit(BUILDS.task)
    except IntegrityError:
        winner = find_by_key(chosen.cache_key, at=at)
        if winner is None:
            raise
        return winner
    return job


def find_by_key(cache_key: str, *, at: datetime) -> ArchiveJob | None:
    """The newest job of this key that still means something. Raises ArchiveFailed while a failure stands."""
    job = ArchiveJob.objects.filter(cache_key=cache_key).order_by("-created_at").first()
    if job is None or job.status != ArchiveStatus.FAILED:
        return job
    if job.completed_at and job.completed_at > at - FAILURE_STANDS:
        raise ArchiveFailed(job)
    return None


def find_job(job_id: UUID, *, by: Caller) -> ArchiveJob:
    job = ArchiveJob.objects.visible_to(by).select_related("run").filter(pk=job_id).first()
    if job is None:
        note_foreign_row(ArchiveJob.objects.filter(pk=job_id), by=by)
        raise ArchiveMissing
    return job


def fail_exhausted(lease: Lease[ArchiveJob], *, at: datetime) -> bool:
    """The silence of the last attempt fails the job, with its last words. False: there is an attempt left."""
    if lease.is_exhausted:
        fail_job(lease.job.pk, reason=_last_words(lease.job), at=at)
    return lease.is_exhausted


@transaction.atomic
def finish_job(job_id: UUID, *, size_bytes: int, at: datetime) -> bool:
    is_ready = _end(job_id, status=ArchiveStatus.READY, at=at, size_bytes=size_bytes)
    if is_ready:
        job = ArchiveJob.objects.select_related("run__instrument").get(pk=job_id)
        archive_ready.send(sender=ArchiveJob, job=job, at=at)
    return is_ready


def fail_job(job_id: UUID, *, reason: str, at: datetime) -> bool:
    return _end(job_id, status=ArchiveStatus.FAILED, at=at, error_message=reason[:500])


def retry_job(job_id: UUID, *, at: datetime) -> bool:
    """Build a failed archive again; False where it has not failed, or a younger job builds the same."""
    fresh = {"attempts": 0, "error_message": None, "completed_at": None, **RELEASED}
    try:
        with transaction.atomic():
            failed = ArchiveJob.objects.filter(pk=job_id, status=ArchiveStatus.FAILED)
            if not failed.update(status=ArchiveStatus.BUILDING, created_at=at, **fresh):
                return False
            enqueue_on_commit(BUILDS.task)
    except IntegrityError:
        return False
    return True


def report_build(
    job_id: UUID, *, status: ArchiveStatus, size_bytes: int | None, error_message: str | None, by: Caller, at: datetime
) -> ArchiveJob:
    """What an external worker says of its build. `ready` is believed only when the store has the object."""
    job = find_job(job_id, by=by)
    if job.status == ArchiveStatus.BUILDING and status == ArchiveStatus.READY:
        finish_job(job.pk, size_bytes=_stored_size(job, told=size_bytes), at=at)
    elif job.status == ArchiveStatus.BUILDING:
        fail_job(job.pk, reason=error_message or "The worker gave no reason.", at=at)
    job = find_job(job_id, by=by)
    if job.status != status:
        raise ArchiveEndedOtherwise(job)
    return job


def forget_expired(*, at: datetime, most: int = 100) -> int:
    """Archives end after seven days, failures with them: the row first, so that nobody is sent to a missing object.

    What a kill leaves to be removed stands in `files.ObjectRemoval`: the sweep of orphans looks at keys of files alone.
    Where the instrument says for how long archives are kept, `retention` asks that instead.
    """
    old = ArchiveJob.objects.exclude(status=ArchiveStatus.BUILDING).filter(completed_at__lt=at - KEPT)
    old = old.exclude(status=ArchiveStatus.READY, run__instrument__expire_archives_after_days__isnull=False)
    try:
        with transaction.atomic():
            refuse_during_copy()
            jobs = list(old.order_by("completed_at")[:most])
            ArchiveJob.objects.filter(pk__in=[job.pk for job in jobs]).delete()
            decide_removals({job.storage_key: job.size_bytes or 0 for job in jobs})
    except RemovalOnHold:
        return 0
    remove_decided(seconds=REMOVAL_SECONDS)
    return len(jobs)


def _stored_size(job: ArchiveJob, *, told: int | None) -> int:
    store = object_store()
    stored = store.head(job.storage_key)
    if stored is None and job.external_upload_id:
        parts = store.list_parts(job.storage_key, upload_id=job.external_upload_id)
        stored = store.complete_multipart(job.storage_key, upload_id=job.external_upload_id, parts=parts)
    if stored is None or (told is not None and stored.size_bytes != told):
        raise ArchiveNotStored(job, found=stored.size_bytes if stored else None)
    return stored.size_bytes


def _end(job_id: UUID, *, status: ArchiveStatus, at: datetime, **values: object) -> bool:
    ended = {"error_message": None, "completed_at": at, **RELEASED, **values}
    return bool(ArchiveJob.objects.building().filter(pk=job_id).update(status=status, **ended))


def _last_words(job: ArchiveJob) -> str:
    return job.error_message or f"Building stopped without a word, {job.attempts} times."
