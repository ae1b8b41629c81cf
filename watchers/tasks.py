"""What recurs; see config/schedule.py. Every task may run twice."""

from celery import shared_task

from watchers import events, liveness, partitions
from wire.clock import now

LISTENING_SINCE = now()  # the worker starts with the service


@shared_task(name="watchers.sweep")
def sweep() -> None:
    """Tell of watchers that fell silent or came back."""
    liveness.sweep(at=now(), listening_since=LISTENING_SINCE)


@shared_task(name="watchers.ensure_days")
def ensure_days() -> None:
    partitions.ensure_days(at=now())


@shared_task(name="watchers.forget")
def forget() -> None:
    """Delete events and drop heartbeats that are past their time."""
    events.delete_old_events(at=now())
    partitions.drop_old_days(at=now())
