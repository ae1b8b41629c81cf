"""Making objects sharable, where the settings ask for it (`DEDUPLICATE`): their bytes are read, for a SHA-256 that a
sender said proves nothing. A file whose bytes are in the store already then names the object that was there first.

Its own object stays until the sweep finds that nobody names it: whoever reads it meanwhile is not disturbed.
"""

import hashlib
import logging
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction

from accounts.callers import Caller
from accounts.scopes import Scope
from files.models import File, SharableObject
from files.shared.keys import is_shared_key
from files.shared.objects import SoughtBytes, find_in_store, lock_bytes, lock_sharable, name_shared_object
from files.storage import object_store
from files.storage.interface import MIB, ObjectMissing, StoreUnavailable
from jobs.lease_renewer import renewer_of
from jobs.leases import JobQueue, Lease, LeaseLost, end_attempt, end_job, lease_next_job, leased_rows, postpone_job
from jobs.task_queue import enqueue_on_commit

log = logging.getLogger(__name__)
AT_ONCE = timedelta(0)
SHARINGS = JobQueue(
    task="files.share_object",
    unfinished=SharableObject.objects.filter(verified_at__isnull=True),
    requested_at="requested_at",
    lease=timedelta(seconds=settings.JOB_LEASE_SECONDS),
    max_attempts=3,
    pause=timedelta(seconds=5),
)


def request_sharing(files: Sequence[File], *, by: Caller) -> None:
    """Within the transaction that believes uploads: have their bytes read. Shared is only what its sender may read."""
    if not settings.DEDUPLICATE:
        return
    readable = () if not by.holds(Scope.FILES_READ) else by.instrument_ids
    jobs = [
        SharableObject(
            file=file,
            storage_key=file.storage_key or "",
            sha256=file.sha256,
            size_bytes=file.size_bytes or 0,
            instrument_ids=None if readable is None else list(readable),
        )
        for file in files
        if file.sha256 is not None and is_shared_key(file.storage_key or "")
    ]
    if jobs:
        SharableObject.objects.bulk_create(jobs, ignore_conflicts=True)
        enqueue_on_commit(SHARINGS.task, times=len(jobs))


def share_next(*, clock: Callable[[], datetime]) -> bool:
    """Read the object that has waited longest; False where none waits. Safe to call twice."""
    lease = lease_next_job(SHARINGS, at=clock())
    if lease is None:
        return False
    if lease.is_exhausted:  # it stays an object of one file
        lease.job.delete()
        return False
    try:
        with renewer_of(lease, clock=clock) as renewer:
            found = compute_sha256(lease.job.storage_key, progress=renewer)
        if found != lease.job.sha256:  # reading or an archive fails the file and names both
            lease.job.delete()
        elif not _share_or_keep(lease, at=clock()):
            postpone_job(lease, at=clock(), wait=AT_ONCE)
            enqueue_on_commit(SHARINGS.task)
    except LeaseLost:
        log.warning("%s is read by somebody else now", lease.job.storage_key)
    except StoreUnavailable:
        postpone_job(lease, at=clock(), wait=SHARINGS.pause)
    except ObjectMissing:
        lease.job.delete()
    except Exception as error:
        log.exception("sharing %s broke", lease.job.storage_key)
        end_attempt(lease, reason=f"Sharing broke: {error}"[:500], at=clock())
    return True


def compute_sha256(key: str, *, progress: Callable[[], object]) -> str:
    """Of stored bytes, a mebibyte at a time. Raises ObjectMissing, StoreUnavailable."""
    digest = hashlib.sha256()
    with object_store().open_range(key) as source:
        while block := source.read(MIB):
            digest.update(block)
            progress()
    return digest.hexdigest()


def _share_or_keep(lease: Lease[SharableObject], *, at: datetime) -> bool:
    """Name the object that is there already, or become that object; False where twins changed it meanwhile."""
    job = lease.job
    within = None if job.instrument_ids is None else tuple(job.instrument_ids)
    sought = SoughtBytes(job.sha256, job.size_bytes, within)
    seen = sought.find()
    is_there = seen is not None and find_in_store(seen) is not None
    with transaction.atomic():
        file = _lock_file(job.file_id)
        lock_bytes(job.sha256)
        lock_sharable([job.storage_key] + ([seen.storage_key] if seen else []))
        if not leased_rows(lease).exists():
            raise LeaseLost
        if sought.find() != seen:
            return False
        if file.storage_key != job.storage_key:
            job.delete()
        elif seen is None or not is_there:
            end_job(lease, {"verified_at": at})
        else:
            name_shared_object(file, seen)
            file.save(update_fields=["storage_bucket", "storage_key", "key_nonce"])
            job.delete()
    return True


def _lock_file(file_id: int) -> File:
    """Its run first, as every writer does."""
    runs = File.objects.select_related("run").select_for_update(of=("run",), no_key=True)
    runs.get(pk=file_id)
    return File.objects.select_for_update(no_key=True).get(pk=file_id)
