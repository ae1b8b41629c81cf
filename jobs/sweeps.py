"""Finding jobs that wait without a task to wake a worker: it was lost, its worker died, or a pause has ended."""

import logging
import time
from datetime import datetime
from typing import Any

from kombu.exceptions import OperationalError

from jobs.leases import JobQueue, abandoned_jobs, due_jobs
from jobs.task_queue import PUBLISH_SECONDS, publish, queue_length

log = logging.getLogger(__name__)
MAX_AT_ONCE = 1_000


def enqueue_abandoned_jobs(queue: JobQueue[Any], *, at: datetime) -> int:
    """Queue what is missing for as many tasks as jobs; how many that are.

    Which job a task was queued for is of no matter, so jobs and tasks are counted, and the queue never grows beyond
    what waits. Tasks of other names in the same queue count too: then a loss is made up for once they are done.
    """
    try:
        queued = queue_length(queue.task)
    except OperationalError as error:
        log.warning("the broker is away, nothing is queued: %s", error)
        return 0
    abandoned, due = abandoned_jobs(queue, at=at).count(), due_jobs(queue, at=at).count()
    missing = max(0, min(abandoned, due - queued, MAX_AT_ONCE))
    return publish(queue.task, times=missing, deadline=time.monotonic() + PUBLISH_SECONDS)
