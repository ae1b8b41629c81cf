"""Reading files, and the sweep that finds those whose bell was lost. The job's row is the truth; all may run twice."""

from celery import shared_task

from processing import jobs
from processing.reading_files import process_file
from wire.bell import bell
from wire.clock import now


@shared_task(name="processing.process")
def process(*, file_id: int) -> None:
    process_file(file_id, clock=now)


@shared_task(name="processing.sweep")
def sweep() -> None:
    """Ring for files that nobody reads."""
    for file_id in jobs.silent_jobs(at=now()):
        bell.ring(jobs.TASK, {"file_id": file_id})
