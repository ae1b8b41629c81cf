"""A scheduler that rings for a sweep only where something waits for it.

Asking the database costs a tenth of a task that finds nothing, and an idle service sweeps twice a second.
"""

import logging
from collections.abc import Callable
from datetime import datetime
from typing import Any, TypeVar

from celery.beat import PersistentScheduler
from django.db import close_old_connections

from wire.clock import now

log = logging.getLogger(__name__)
Sweep = TypeVar("Sweep", bound=Callable[[], None])
QUESTION = "has_work"


def only_where(has_work: Callable[[datetime], bool]) -> Callable[[Sweep], Sweep]:
    """Below `shared_task`. `has_work` is true wherever the sweep would do anything; it changes nothing."""

    def note(sweep: Sweep) -> Sweep:
        setattr(sweep, QUESTION, has_work)
        return sweep

    return note


class QuietScheduler(PersistentScheduler):
    """Celery's, with its notes in a file."""

    def schedules_equal(self, *_: Any) -> bool:
        """Nothing changes ours while it runs; Celery compares all entries several times a second."""
        return True

    def adjust(self, n: float | None, drift: float = 0.0) -> float | None:
        """Celery wakes 10 ms before an entry is due, and asks until it is."""
        return n + drift if n else n

    def apply_entry(self, entry: Any, producer: Any = None) -> None:
        if self.has_work(entry.task):
            super().apply_entry(entry, producer=producer)

    def has_work(self, name: str) -> bool:
        """Where nobody can tell, there may be: the task finds out."""
        task = self.app.tasks.get(name)
        ask = getattr(task and task.run, QUESTION, None)
        if ask is None:
            return True
        close_old_connections()
        try:
            return bool(ask(now()))
        except Exception as error:
            log.warning("whether %s has work is not known, it is rung for: %s", name, error)
            return True
        finally:
            close_old_connections()
