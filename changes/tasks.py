"""Sending events out, and keeping the log short."""

from celery import shared_task

from changes import log
from changes.webhooks.deliveries import forget_deliveries
from changes.webhooks.fan_out import fan_out_changes, has_unsent_changes
from changes.webhooks.lane_threads import lane_threads
from changes.webhooks.lanes import count_due_lanes, has_due_lanes
from jobs.quiet_scheduler import only_where
from wire.clock import now


@shared_task(name="changes.send")
@only_where(lambda at: has_unsent_changes() or has_due_lanes(at=at))
def send_changes() -> None:
    """Every second. The receivers are called by threads of this process, and the task does not wait for them."""
    at = now()
    fan_out_changes(at=at)
    lane_threads.wake(count_due_lanes(at=at))


@shared_task(name="changes.forget")
def forget_old_changes() -> None:
    at = now()
    log.forget_changes(at=at)
    forget_deliveries(at=at)
