"""The scheduler as a thread of a worker, where one machine runs everything: a process of its own would mostly wait."""

import logging
import os
import signal
from collections.abc import Callable
from typing import Any

from celery import bootsteps
from celery.beat import EmbeddedService

log = logging.getLogger(__name__)


class SchedulerThread(bootsteps.StartStopStep):
    """Where a worker is given a file for its notes. Celery's own step (-B) forks a process."""

    conditional = True

    def __init__(self, parent: Any, schedule_in_thread: str | None = None, **options: Any) -> None:
        self.file = schedule_in_thread
        self.enabled = schedule_in_thread is not None
        super().__init__(parent, **options)

    def create(self, parent: Any) -> Any:
        chosen = parent.app.conf.beat_scheduler
        scheduler = EmbeddedService(parent.app, schedule_filename=self.file, scheduler_cls=chosen, thread=True)
        scheduler.run = run_or_end(scheduler.run)
        return scheduler


def run_or_end(run: Callable[[], None]) -> Callable[[], None]:
    """A scheduler that fails takes its worker along, which its supervisor starts again: a thread just ends."""

    def watched() -> None:
        try:
            run()
        except Exception:
            log.exception("The scheduler failed: its worker ends, to begin anew.")
            end_worker()

    return watched


def end_worker() -> None:
    os.kill(os.getpid(), signal.SIGTERM)
