"""Builds and their sweep. The job's row is the truth; every task may run twice."""

from celery import shared_task

from archives import external_worker as external
from archives import jobs
from archives.building import build_next, build_next_crate
from jobs.leases import has_abandoned_jobs
from jobs.quiet_scheduler import only_where
from jobs.sweeps import enqueue_abandoned_jobs
from wire.clock import now


@shared_task(name="archives.build")
def build(*, job_id: str | None = None) -> None:
    """Build what has waited longest, here or by the external worker. `job_id` came with tasks of earlier versions."""
    if external.is_configured():
        if not external.hand_over_next(at=now()):
            build_next_crate(clock=now)
    else:
        build_next(clock=now)


@shared_task(name="archives.sweep")
@only_where(lambda at: has_abandoned_jobs(jobs.BUILDS, at=at))
def sweep() -> None:
    enqueue_abandoned_jobs(jobs.BUILDS, at=now())


@shared_task(name="archives.forget")
def forget() -> None:
    jobs.forget_expired(at=now())
