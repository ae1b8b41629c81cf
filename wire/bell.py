"""Waking a worker. The truth of a job is its row; the bell only saves the wait for the next sweep.

A stalled broker blocks a publish for seconds, so requests hand the bell to a thread of their process and never wait;
when the thread is too far behind, bells are dropped and the sweep finds the rows.
"""

import logging
import queue
import threading
from typing import Any

from celery import current_app
from django.db import transaction

log = logging.getLogger(__name__)
MOST_WAITING = 1_000


class Bell:
    """Publishes from one thread of the process, begun at the first ring."""

    def __init__(self) -> None:
        self.waiting: queue.Queue[tuple[str, dict[str, Any]]] = queue.Queue(MOST_WAITING)
        self.thread: threading.Thread | None = None
        self.lock = threading.Lock()

    def ring(self, task: str, arguments: dict[str, Any]) -> None:
        self._start()
        try:
            self.waiting.put_nowait((task, arguments))
        except queue.Full:
            log.warning("the bell of %s was dropped; the sweep will find the row", task)

    def _start(self) -> None:
        """A fork leaves the thread behind, so it is looked for at every ring."""
        with self.lock:
            if self.thread is None or not self.thread.is_alive():
                self.thread = threading.Thread(target=self._publish_all, name="bell", daemon=True)
                self.thread.start()

    def _publish_all(self) -> None:
        while True:
            task, arguments = self.waiting.get()
            try:
                current_app.send_task(task, kwargs=arguments)
            except Exception:
                log.warning("the bell of %s was lost; the sweep will find the row", task)
            finally:
                self.waiting.task_done()


bell = Bell()


def ring_on_commit(task: str, **arguments: Any) -> None:
    """Wake a worker for the task of this name once the transaction at hand is committed. Arguments are ids."""
    transaction.on_commit(lambda: bell.ring(task, arguments), robust=True)
