"""Reading stored bytes back, where the store itself does not compare an upload with its checksum (docs/operations.md).

What a request can read, it reads; larger objects are a job of the builders, and whoever asks meanwhile is told to ask
again. Who asks also wakes a builder where the task of the job was lost.
"""

import logging
from collections.abc import Callable
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction

from files.models import File, ReadBack
from files.storage import object_store
from files.storage.checksums import Crc32
from files.storage.interface import MIB, ObjectMissing, StoredObject, StoreUnavailable
from jobs.lease_renewer import renewer_of
from jobs.leases import JobQueue, LeaseLost, abandoned_jobs, end_attempt, end_job, lease_next_job, postpone_job
from jobs.task_queue import enqueue, enqueue_on_commit
from wire.clock import now
from wire.errors import ServiceUnavailable

log = logging.getLogger(__name__)
MAX_BYTES_IN_REQUEST = 100 * MIB
RETENTION = timedelta(days=7)
READ_BACKS = JobQueue(
    task="files.read_back",
    unfinished=ReadBack.objects.filter(crc32__isnull=True),
    requested_at="requested_at",
    lease=timedelta(seconds=settings.JOB_LEASE_SECONDS),
    max_attempts=3,
    pause=timedelta(seconds=5),
)


class StillReadBack(ServiceUnavailable):
    """The bytes are there and are being compared with their checksum; asking again is right, sending again is not."""

    def __init__(self) -> None:
        super().__init__("The stored bytes are being read back, because the object store compares no checksums.")


def read_stored_crc32(file: File, stored: StoredObject) -> str:
    """The CRC32 of the bytes that the store really has. Raises StillReadBack, StoreUnavailable."""
    if stored.size_bytes <= MAX_BYTES_IN_REQUEST:
        return compute_crc32_of_range(stored.key)
    known = ReadBack.objects.filter(storage_key=stored.key).first()
    if known is None:
        _request_read_back(file, stored.key)
    elif known.crc32 is not None:
        return known.crc32
    elif abandoned_jobs(READ_BACKS, at=now()).filter(pk=known.pk).exists():
        enqueue(READ_BACKS.task)
    raise StillReadBack


def read_back_next(*, clock: Callable[[], datetime]) -> bool:
    """Read the object that has waited longest; False where none waits. Safe to call twice."""
    lease = lease_next_job(READ_BACKS, at=clock())
    if lease is None:
        return False
    if lease.is_exhausted:  # whoever asks again begins anew
        lease.job.delete()
        return False
    try:
        with renewer_of(lease, clock=clock) as renewer:
            crc32 = compute_crc32_of_range(lease.job.storage_key, progress=renewer)
        end_job(lease, {"crc32": crc32})
    except LeaseLost:
        log.warning("%s is read back by somebody else now", lease.job.storage_key)
    except StoreUnavailable:
        postpone_job(lease, at=clock(), wait=READ_BACKS.pause)
    except ObjectMissing:
        lease.job.delete()
    except Exception as error:
        log.exception("reading %s back broke", lease.job.storage_key)
        end_attempt(lease, reason=f"Reading back broke: {error}"[:500], at=clock())
    return True


def compute_crc32_of_range(
    key: str, *, start: int = 0, end: int | None = None, progress: Callable[[], object] | None = None
) -> str:
    """Of stored bytes, a mebibyte at a time. Raises ObjectMissing, StoreUnavailable."""
    crc32 = Crc32()
    with object_store().open_range(key, start=start, end=end) as source:
        while block := source.read(MIB):
            crc32.update(block)
            if progress is not None:
                progress()
    return crc32.hex


def delete_old_read_backs(*, at: datetime) -> None:
    ReadBack.objects.filter(requested_at__lt=at - RETENTION).delete()


@transaction.atomic
def _request_read_back(file: File, key: str) -> None:
    ReadBack.objects.bulk_create([ReadBack(storage_key=key, file=file)], ignore_conflicts=True)
    enqueue_on_commit(READ_BACKS.task)
