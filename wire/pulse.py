"""Holding a lease while work goes on, and while it waits in one call that takes long."""

import logging
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Self

from django.db import DatabaseError, connection

log = logging.getLogger(__name__)
SILENT_SECONDS = 150.0  # longer than any call of the object store may take, repeats included


class Pulse:
    """Call it at each sign of progress: now and then it renews the lease, and raises `lost` when that is gone.

    Within it as a context a thread renews too, until nothing was heard for SILENT_SECONDS: then the lease runs out.
    """

    def __init__(self, renew: Callable[[], bool], *, every: float, lost: type[Exception]) -> None:
        self.renew, self.every, self.lost = renew, every, lost
        self.heard_at = time.monotonic()
        self.due = self.heard_at + every
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self._hold, name="pulse", daemon=True)

    def __call__(self) -> None:
        self.heard_at = time.monotonic()
        if self.heard_at < self.due:
            return
        if not self.renew():
            raise self.lost
        self.due = self.heard_at + self.every

    def __enter__(self) -> Self:
        self.thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.ended.set()
        self.thread.join()

    def _hold(self) -> None:
        """Only while the work itself is silent for longer than it should be."""
        while not self.ended.wait(self.every):
            silent = time.monotonic() - self.heard_at
            if silent > SILENT_SECONDS:
                return
            if silent > self.every:
                self._renew_quietly()

    def _renew_quietly(self) -> None:
        try:
            self.renew()
        except DatabaseError as error:
            log.warning("a lease was not renewed: %s", error)
        finally:
            connection.close()
