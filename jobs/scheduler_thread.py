"""The scheduler as a thread of a worker, where one machine runs everything: a process of its own would mostly wait."""

from typing import Any

from celery import bootsteps
from celery.beat import EmbeddedService
from click import Option

SCHEDULE_OPTION = Option(["--schedule-in-thread"], metavar="FILE", help="Schedule as well; FILE keeps the notes.")


class SchedulerThread(bootsteps.StartStopStep):
    """Celery's own step (-B) forks a process."""

    conditional = True

    def __init__(self, parent: Any, schedule_in_thread: str | None = None, **options: Any) -> None:
        self.file = schedule_in_thread
        self.enabled = schedule_in_thread is not None
        super().__init__(parent, **options)

    def create(self, parent: Any) -> Any:
        return EmbeddedService(parent.app, schedule_filename=self.file, thread=True)
