"""The life of a processing job: asked for, and ended. Its leases are as in jobs/leases.py."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings

from files.models import File
from jobs.leases import JobQueue, Lease, end_job
from jobs.origins import current_origin
from jobs.task_queue import enqueue_on_commit
from processing.models import JobState, ProcessingJob
from processing.turns import assign_turns
from runs.models import Run
from wire.queries.prepared import prepared_cursor_to_write

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

JOBS_PER_STATEMENT = 1_000
# How many have a task already is counted as it was before: all of a statement sees what was there when it began.
ASK_SQL = """
    WITH with_task AS (
        SELECT 1 FROM processing_processingjob
         WHERE file_id = ANY (%(files)s::bigint[]) AND state = 'waiting' AND lease_until IS NULL
    ), asked AS (
        INSERT INTO processing_processingjob AS job (
            file_id, instrument_id, turn, state, attempts, requested_at, claimed_at, request_id, traceparent,
            processor, processor_version, run_facts, detail
        )
        SELECT file_id, instrument_id, turn, 'waiting', 0, %(at)s, %(claimed_at)s, %(request_id)s, %(traceparent)s,
               '', '', '{}', ''
          FROM unnest(%(files)s::bigint[], %(instruments)s::text[], %(turns)s::bigint[])
            AS given (file_id, instrument_id, turn)
        ON CONFLICT (file_id) DO UPDATE SET
            instrument_id = excluded.instrument_id, turn = excluded.turn, state = excluded.state, attempts = 0,
            requested_at = excluded.requested_at, claimed_at = COALESCE(excluded.claimed_at, job.claimed_at),
            request_id = excluded.request_id, traceparent = excluded.traceparent,
            lease_id = NULL, lease_until = NULL, ended_at = NULL, detail = ''
    )
    SELECT count(*) FROM with_task
"""


def enqueue_files(files: Iterable[File], *, claim: bool, at: datetime, behind_new: bool = False) -> int:
    """Have these files read, again if need be; who reads one of them now finds that nobody asks for that any more.

    `claim`: also where somebody else is said to process the file. `behind_new`: after all that arrives meanwhile.
    """
    chosen = sorted(files, key=lambda file: file.pk)
    turns = assign_turns(chosen, behind_new=behind_new)
    with_task = sum(
        _ask(turns[begin : begin + JOBS_PER_STATEMENT], claimed_at=at if claim else None, at=at)
        for begin in range(0, len(turns), JOBS_PER_STATEMENT)
    )
    enqueue_on_commit(READINGS.task, times=len(chosen) - with_task)
    return len(chosen)


def _ask(turns: Sequence[tuple[File, int]], *, claimed_at: datetime | None, at: datetime) -> int:
    """Those of these files that waited for a worker already."""
    given: dict[str, Any] = {
        "files": [file.pk for file, _ in turns],
        "instruments": [file.run.instrument_id for file, _ in turns],
        "turns": [turn for _, turn in turns],
    }
    with prepared_cursor_to_write(ProcessingJob) as cursor:
        cursor.execute(ASK_SQL, {**given, **current_origin(), "claimed_at": claimed_at, "at": at})
        (count,) = cursor.fetchone()
    return int(count)


def end_reading(lease: Lease[ProcessingJob], *, state: JobState, at: datetime, **values: object) -> bool:
    """Over, for one reason or another. False: the lease was lost meanwhile."""
    return end_job(lease, {"state": state, "ended_at": at, "claimed_at": None, "detail": "", **values})


def holds_waiting_files(run: Run) -> bool:
    """Whether one of its files is still to be read, or is being read."""
    return ProcessingJob.objects.unfinished().filter(file__run=run).exists()
