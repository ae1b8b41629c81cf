"""Holding a lease while work goes on, and while it waits in one call that takes long."""

import logging
import threading
import time
from collections.abc import Callable
from datetime import datetime
from types import TracebackType
from typing import Any, Self

from django.db import DatabaseError, connection

from jobs.leases import Lease, LeaseLost, renew_lease

log = logging.getLogger(__name__)
RENEWALS_PER_LEASE = 6
SILENT_SECONDS = 150.0  # longer than any call of the object store may take, repeats included


class LeaseRenewer:
    """Call it at each sign of progress: now and then it renews the lease, and raises LeaseLost when that is gone.

    Within it as a context a thread renews too, until nothing was heard for SILENT_SECONDS: then the lease runs out.
    """

    def __init__(self, renew: Callable[[], bool], *, every: float) -> None:
        self.renew, self.every = renew, every
        self.heard_at = time.monotonic()
        self.due = self.heard_at + every
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self._hold, name="lease renewer", daemon=True)

    def __call__(self) -> None:
        self.heard_at = time.monotonic()
        if self.heard_at < self.due:
            return
        if not self.renew():
            raise LeaseLost
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


def renewer_of(lease: Lease[Any], *, clock: Callable[[], datetime]) -> LeaseRenewer:
    """Renews this lease several times before it could run out."""
    every = lease.queue.lease.total_seconds() / RENEWALS_PER_LEASE
    return LeaseRenewer(lambda: renew_lease(lease, at=clock()), every=every)
