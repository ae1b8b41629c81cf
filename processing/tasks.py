"""Reading files, and the sweep that finds those whose task was lost. The job's row is the truth; all may run twice."""

from celery import shared_task

from jobs.leases import has_abandoned_jobs
from jobs.quiet_scheduler import only_where
from jobs.sweeps import enqueue_abandoned_jobs
from processing.jobs import READINGS
from processing.reading_files import process_next
from processing.shares import leave_out_full_shares
from wire.clock import now


@shared_task(name="processing.process")
def process(*, file_id: int | None = None) -> None:
    """Read the file that has waited longest. `file_id` came with tasks of earlier versions."""
    process_next(clock=now)


@shared_task(name="processing.sweep")
@only_where(lambda at: has_abandoned_jobs(READINGS, at=at))
def sweep() -> None:
    at = now()
    enqueue_abandoned_jobs(leave_out_full_shares(at=at), at=at)
