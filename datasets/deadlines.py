"""Deadlines of work that is interrupted from outside: one thread watches all of them.

A thread for each step of each query would cost a short query more than its own plan.
"""

import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

AGAIN_SECONDS = 0.05


class Deadlines:
    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._watched: dict[object, tuple[float, Callable[[], None]]] = {}  # by mark: until when, and what ends it
        self._wakes_at = math.inf
        self._thread: threading.Thread | None = None

    @contextmanager
    def watch(self, seconds: float, interrupt: Callable[[], None]) -> Iterator[None]:
        """`interrupt` is called if the block is not left within so many seconds, again and again until it is left.

        One that comes before the work can be interrupted would else be lost. It must not wait for anything: it is
        called while others begin and end.
        """
        mark, due = object(), time.monotonic() + seconds
        with self._changed:
            self._watched[mark] = due, interrupt
            self._wake_before(due)
        try:
            yield
        finally:
            with self._changed:
                self._watched.pop(mark, None)

    def _wake_before(self, due: float) -> None:
        if self._thread is None or not self._thread.is_alive():  # a fork leaves it behind
            self._wakes_at = due
            self._thread = threading.Thread(target=self._run, name="deadlines", daemon=True)
            self._thread.start()
        elif due < self._wakes_at:
            self._changed.notify()

    def _run(self) -> None:
        with self._changed:
            while True:
                self._interrupt_late(time.monotonic())
                self._wakes_at = min((due for due, _ in self._watched.values()), default=math.inf)
                wait = None if self._wakes_at == math.inf else max(0.0, self._wakes_at - time.monotonic())
                self._changed.wait(wait)

    def _interrupt_late(self, at: float) -> None:
        for mark, (due, interrupt) in list(self._watched.items()):
            if due <= at:
                self._watched[mark] = at + AGAIN_SECONDS, interrupt
                interrupt()
