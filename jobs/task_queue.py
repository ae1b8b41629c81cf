"""Waking workers by queued tasks. A task carries nothing: it has a worker do the job that has waited longest.

A stalled broker blocks a publish for seconds, so requests hand their tasks to a thread of their process and never wait.
What that thread cannot publish in time is dropped, and the sweep makes up for it (jobs/sweeps.py).
"""

import logging
import queue
import threading
import time
from contextvars import Context, copy_context

from celery import current_app
from django.db import transaction
from kombu.exceptions import ChannelError

log = logging.getLogger(__name__)
MAX_UNPUBLISHED = 1_000
PUBLISH_SECONDS = 10.0  # what is not published by then is left to the sweep, which queues it from then on


class TaskPublisher:
    """Publishes from one thread of the process, begun with the first task."""

    def __init__(self) -> None:
        self.unpublished: queue.Queue[tuple[str, int, float, Context]] = queue.Queue(MAX_UNPUBLISHED)
        self.thread: threading.Thread | None = None
        self.lock = threading.Lock()

    def add(self, task: str, *, times: int) -> None:
        self._start()
        try:
            self.unpublished.put_nowait((task, times, time.monotonic() + PUBLISH_SECONDS, copy_context()))
        except queue.Full:
            log.warning("%s was not queued, too many tasks wait; the sweep will make up for it", task)

    def _start(self) -> None:
        """A fork leaves the thread behind, so it is looked for with every task."""
        with self.lock:
            if self.thread is None or not self.thread.is_alive():
                self.thread = threading.Thread(target=self._publish_all, name="task publisher", daemon=True)
                self.thread.start()

    def _publish_all(self) -> None:
        while True:
            task, times, deadline, context = self.unpublished.get()
            try:
                context.run(publish, task, times=times, deadline=deadline)  # within the trace of who asked
            finally:
                self.unpublished.task_done()


publisher = TaskPublisher()


def enqueue(task: str, *, times: int = 1) -> None:
    """Have workers run the task of this name so many times; returns at once."""
    if times:
        publisher.add(task, times=times)


def enqueue_on_commit(task: str, *, times: int = 1) -> None:
    """The same, once the transaction at hand is committed."""
    transaction.on_commit(lambda: enqueue(task, times=times), robust=True)


def publish(task: str, *, times: int, deadline: float) -> int:
    """Hand tasks to the broker until the deadline, by the monotonic clock, or its first failure. How many it took."""
    for published in range(times):
        if time.monotonic() > deadline:
            log.warning("%s was not queued in time; the sweep will make up for it", task)
            return published
        try:
            current_app.send_task(task)
        except Exception:
            log.warning("%s was not queued, the broker is away; the sweep will make up for it", task)
            return published
    return times


def queue_length(task: str) -> int:
    """How many tasks wait in the queue of this one. Raises kombu's OperationalError when the broker is away."""
    name = current_app.amqp.router.route({}, task)["queue"].name
    with current_app.connection_for_read() as connection:
        try:
            return int(connection.default_channel.queue_declare(name, passive=True).message_count)
        except ChannelError:  # nothing was ever queued
            return 0
