"""The life of a processing job: asked for, and ended. Its leases are as in jobs/leases.py."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.conf import settings
from django.db import connection

from files.models import File
from jobs.leases import RELEASED, JobQueue, Lease, end_job
from jobs.origins import current_origin
from jobs.task_queue import enqueue_on_commit
from processing.models import JobState, ProcessingJob
from processing.turns import assign_turns

READINGS = JobQueue(
    task="processing.process",
    unfinished=ProcessingJob.objects.unfinished(),
    requested_at="requested_at",
    order=("turn",),
    lease=timedelta(seconds=settings.JOB_LEASE_SECONDS),
    max_attempts=3,
    pause=timedelta(seconds=5),
    reason="detail",
    while_leased={"state": JobState.RUNNING},
    while_waiting={"state": JobState.WAITING},
)

COUNT_WITH_TASK_SQL = """
    SELECT count(*) FROM processing_processingjob
     WHERE file_id = ANY (%s::bigint[]) AND state = %s AND lease_until IS NULL
"""


def enqueue_files(files: Iterable[File], *, claim: bool, at: datetime, behind_new: bool = False) -> int:
    """Have these files read, again if need be; who reads one of them now finds that nobody asks for that any more.

    `claim`: also where somebody else is said to process the file. `behind_new`: after all that arrives meanwhile.
    """
    chosen = sorted(files, key=lambda file: file.pk)
    with_task = _count_with_task([file.pk for file in chosen])
    asked = {"state": JobState.WAITING, "requested_at": at, "attempts": 0, "ended_at": None, "detail": "", **RELEASED}
    asked |= current_origin() | ({"claimed_at": at} if claim else {})
    ProcessingJob.objects.bulk_create(
        [
            ProcessingJob(file=file, instrument_id=file.run.instrument_id, turn=turn, **asked)
            for file, turn in assign_turns(chosen, behind_new=behind_new)
        ],
        update_conflicts=True,
        unique_fields=["file"],
        update_fields=["instrument", "turn", *asked],
        batch_size=1000,
    )
    enqueue_on_commit(READINGS.task, times=len(chosen) - with_task)
    return len(chosen)


def _count_with_task(file_ids: list[int]) -> int:
    """Those of these files that wait for a worker already."""
    with connection.cursor() as cursor:
        cursor.execute(COUNT_WITH_TASK_SQL, [file_ids, JobState.WAITING])
        (count,) = cursor.fetchone()
    return int(count)


def end_reading(lease: Lease[ProcessingJob], *, state: JobState, at: datetime, **values: object) -> bool:
    """Over, for one reason or another. False: the lease was lost meanwhile."""
    return end_job(lease, {"state": state, "ended_at": at, "claimed_at": None, "detail": "", **values})
