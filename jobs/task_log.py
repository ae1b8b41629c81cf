"""Each task of a worker: one count, and one line in the log; of what the scheduler has run, only where it failed.

Celery's own lines, three for each task, are left out (web/telemetry/logs.py).
"""

import logging
import time
from collections.abc import Collection
from typing import Any

from celery.signals import task_postrun, task_prerun

from wire.telemetry.metrics import count_task
from wire.telemetry.process_metrics import ProcessSampler

log = logging.getLogger("ids.tasks")
STARTED = "ids_started"


class TaskLog:
    """Listens to the tasks of this process."""

    def __init__(self, sampler: ProcessSampler, *, quiet: Collection[str]) -> None:
        """`quiet`: tasks that are told at the level DEBUG when they succeed."""
        self.sampler, self.quiet = sampler, quiet

    def listen(self) -> None:
        task_prerun.connect(self._begin, weak=False)
        task_postrun.connect(self._end, weak=False)

    def _begin(self, task: Any, **_: Any) -> None:
        setattr(task.request, STARTED, time.perf_counter())
        self.sampler.note_task(1)

    def _end(self, task: Any, state: str | None = None, **_: Any) -> None:
        seconds = time.perf_counter() - getattr(task.request, STARTED, time.perf_counter())
        result = "done" if state == "SUCCESS" else "failed"
        self.sampler.note_task(-1)
        count_task(task.name, result=result, seconds=seconds)
        level = logging.DEBUG if result == "done" and task.name in self.quiet else logging.INFO
        log.log(level, "task", extra={"task": task.name, "result": result, "ms": round(seconds * 1000, 1)})
