"""Leases: the right to do a job until somebody else may. The job's row is the truth of it.

Rows of any table can be leased that has the columns `attempts`, `lease_id` and `lease_until`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any, Generic, TypeVar
from uuid import UUID, uuid4

from django.db import transaction
from django.db.models import F, Model, Q, QuerySet

from jobs.task_queue import PUBLISH_SECONDS
from wire.queries.compiled import CompiledQuery
from wire.telemetry.metrics import count_job_attempt

Job = TypeVar("Job", bound=Model)
TASK_IS_LATE_AFTER = timedelta(seconds=PUBLISH_SECONDS)
MAX_RESTING = 10_000
RELEASED: Mapping[str, Any] = {"lease_id": None, "lease_until": None}


class LeaseLost(Exception):
    """Somebody else does the job now, or it was asked for anew; what this attempt made is dropped."""


@dataclass(frozen=True)
class JobQueue(Generic[Job]):
    """One kind of background work: which rows of which table are not done yet, and how often they are tried."""

    task: str  # the name of the Celery task that does one of them
    unfinished: QuerySet[Job] = field(repr=False)
    requested_at: str  # the column that says since when a job waits
    lease: timedelta  # a worker that is silent for so long is followed by another
    max_attempts: int
    pause: timedelta  # between two attempts
    reason: str = "error_message"  # the column that says why an attempt broke
    order: tuple[str, ...] = ()  # columns that decide what is next before `requested_at` does
    while_leased: Mapping[str, Any] = field(default_factory=dict)  # further columns, such as a state
    while_waiting: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def find_abandoned(self) -> CompiledQuery[Any]:
        return CompiledQuery(lambda at, late_since: _select_abandoned(self, at, late_since).values_list("pk")[:1])


@dataclass(frozen=True)
class Lease(Generic[Job]):
    """The right to do a job. `is_exhausted`: its attempts were used up before; there is only its end to be written."""

    queue: JobQueue[Job]
    job: Job
    id: UUID
    attempt: int
    is_exhausted: bool


def due_jobs(queue: JobQueue[Job], *, at: datetime) -> QuerySet[Job]:
    """What waits for a worker now: nobody has a lease, and no pause has still to end."""
    return queue.unfinished.filter(Q(lease_until__isnull=True) | Q(lease_until__lte=at))


def abandoned_jobs(queue: JobQueue[Job], *, at: datetime) -> QuerySet[Job]:
    """Due jobs whose task is late: a lease or a pause has ended, or the task that came with the request is not seen."""
    return _select_abandoned(queue, at, at - TASK_IS_LATE_AFTER)


def has_abandoned_jobs(queue: JobQueue[Any], *, at: datetime) -> bool:
    """Whether there is one. Asked all day long."""
    return bool(queue.find_abandoned(at, at - TASK_IS_LATE_AFTER))


def _select_abandoned(queue: JobQueue[Job], at: Any, late_since: Any) -> QuerySet[Job]:
    late = Q(lease_until__isnull=False) | Q(**{f"{queue.requested_at}__lte": late_since})
    return due_jobs(queue, at=at).filter(late)


def lease_job(
    queue: JobQueue[Job], job_id: object, *, at: datetime, lasts: timedelta | None = None
) -> Lease[Job] | None:
    """Take the right to do this job, or None: somebody has it, its time has not come, or there is nothing to do."""
    return _lease_first(queue, due_jobs(queue, at=at).filter(pk=job_id), until=at + (lasts or queue.lease))


def lease_next_job(queue: JobQueue[Job], *, at: datetime, lasts: timedelta | None = None) -> Lease[Job] | None:
    """Take the right to do the job that has waited longest, or None: none is due that nobody has."""
    waiting = due_jobs(queue, at=at).order_by(*queue.order, queue.requested_at, "pk")
    return _lease_first(queue, waiting, until=at + (lasts or queue.lease))


def leased_rows(lease: Lease[Job]) -> QuerySet[Job]:
    """The job's row, as long as the lease is held; else none."""
    return lease.queue.unfinished.filter(pk=lease.job.pk, lease_id=lease.id)


def renew_lease(lease: Lease[Job], *, at: datetime, lasts: timedelta | None = None) -> bool:
    """Progress keeps the lease. False: it was lost, so stop."""
    return bool(leased_rows(lease).update(lease_until=at + (lasts or lease.queue.lease)))


def hold_lease(lease: Lease[Job]) -> Job:
    """Within a transaction: the job as it is now, whose lease nobody takes before the end. Raises LeaseLost."""
    row = leased_rows(lease).select_for_update().first()
    if row is None:
        raise LeaseLost
    return row


def postpone_job(lease: Lease[Job], *, at: datetime, wait: timedelta) -> None:
    """What the job needs is away: give the attempt back and come again later."""
    count_job_attempt(lease.queue.task, result="postponed")
    _release(lease, until=at + wait, attempts=F("attempts") - 1)


def rest_queue(queue: JobQueue[Any], *, at: datetime, wait: timedelta) -> None:
    """What every job of a queue needs is away: none that is due is tried meanwhile, and no attempt is used."""
    with transaction.atomic():
        rows = due_jobs(queue, at=at).select_for_update(skip_locked=True, of=("self",)).order_by("pk")
        waiting = list(rows.values_list("pk", flat=True)[:MAX_RESTING])
        queue.unfinished.filter(pk__in=waiting).update(lease_id=None, lease_until=at + wait)


def end_attempt(lease: Lease[Job], *, reason: str, at: datetime, wait: timedelta | None = None) -> None:
    """An attempt broke: say why, and let another follow after a pause."""
    count_job_attempt(lease.queue.task, result="broken")
    _release(lease, until=at + (wait or lease.queue.pause), **{lease.queue.reason: reason})


def end_job(lease: Lease[Job], values: Mapping[str, Any]) -> bool:
    """Done, for one reason or another: `values` say which. False: the lease was lost meanwhile."""
    return bool(leased_rows(lease).update(**{**RELEASED, **values}))


@transaction.atomic
def _lease_first(queue: JobQueue[Job], rows: QuerySet[Job], *, until: datetime) -> Lease[Job] | None:
    row: Any = rows.select_for_update(skip_locked=True, of=("self",)).first()
    if row is None:
        return None
    is_exhausted = row.attempts >= queue.max_attempts
    row.attempts += not is_exhausted
    leased = {"lease_id": uuid4(), "lease_until": until, **queue.while_leased}
    for column, value in leased.items():
        setattr(row, column, value)
    row.save(update_fields=["attempts", *leased])
    count_job_attempt(queue.task, result="exhausted" if is_exhausted else "begun")
    return Lease(queue, row, row.lease_id, attempt=row.attempts, is_exhausted=is_exhausted)


def _release(lease: Lease[Job], *, until: datetime, **values: object) -> None:
    leased_rows(lease).update(**{"lease_id": None, "lease_until": until, **lease.queue.while_waiting, **values})
