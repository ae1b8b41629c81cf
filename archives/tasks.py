"""Builds and their sweep. The job's row is the truth; every task may run twice."""

from uuid import UUID

from celery import shared_task

from archives import external, jobs
from archives.building import build_job
from wire.bell import bell
from wire.clock import now


@shared_task(name="archives.build")
def build(*, job_id: str) -> None:
    """Build here, or hand the job to the external worker when there is one."""
    if external.is_configured():
        external.hand_over(UUID(job_id), at=now())
    else:
        build_job(UUID(job_id), clock=now)


@shared_task(name="archives.sweep")
def sweep() -> None:
    """Ring for jobs that nobody builds."""
    for job_id in jobs.silent_jobs(at=now()):
        bell.ring("archives.build", {"job_id": str(job_id)})


@shared_task(name="archives.forget")
def forget() -> None:
    jobs.forget_expired(at=now())
