"""Purging without being asked, behind everything else."""

import logging

from celery import shared_task
from kombu.exceptions import OperationalError

from files.removing.lock import RemovalOnHold
from files.storage.interface import StoreUnavailable
from jobs.task_queue import queue_length
from retention.cooling import cool_due
from retention.purging import purge_due, until
from wire.clock import now

log = logging.getLogger(__name__)
PURGE_SECONDS = 60.0


@shared_task(name="retention.purge")
def purge() -> None:
    """A minute of purging at most, and none while anything else waits in its queue; the next tick goes on."""
    in_time = until(seconds=PURGE_SECONDS)
    try:
        purge_due(clock=now, goes_on=lambda: in_time() and not is_anything_waiting())
    except RemovalOnHold as hold:
        log.info(hold.message)


@shared_task(name="retention.cool")
def cool() -> None:
    """The same with what becomes cold."""
    in_time = until(seconds=PURGE_SECONDS)
    try:
        cool_due(clock=now, goes_on=lambda: in_time() and not is_anything_waiting())
    except RemovalOnHold as hold:
        log.info(hold.message)
    except StoreUnavailable as problem:
        log.warning("nothing becomes cold meanwhile: %s", problem.message)


def is_anything_waiting() -> bool:
    try:
        return queue_length(purge.name) > 0
    except OperationalError:
        return False
