"""How fast the agent may read and send. One pace is shared by all uploads."""

import threading
import time
from collections.abc import Callable

from instrument_watcher.platforms.disk_load import DiskLoad

BURST_SECONDS = 0.5
LOOK_AGAIN = 1.0  # a piece may take minutes on a slow link, and whoever pauses means now
LISTEN_EVERY = 10.0
LISTEN_FOR = 0.5


class Stopping(Exception):
    """The agent is asked to stop; what is under way goes on at the next start."""


class Pace:
    """Makes readers and senders wait. Every wait ends with Stopping when the agent stops, or nothing may be sent."""

    def __init__(
        self,
        stop: threading.Event,
        *,
        is_halted: Callable[[], bool] = lambda: False,
        bytes_per_second: Callable[[], float | None] = lambda: None,
        disk: DiskLoad | None = None,
    ) -> None:
        self._stop, self._is_halted = stop, is_halted
        self._rate, self._disk = bytes_per_second, disk
        self._lock = threading.Lock()
        self._free_at = 0.0  # when what was sent so far is paid off
        self._listen_at = 0.0

    def before_reading(self) -> None:
        """Called before each piece of a file is read. Raises Stopping."""
        self._refuse_halted()
        if self._disk is not None:
            self._wait_for_quiet_disk(self._disk)

    def before_sending(self, size: int) -> None:
        """Called before each piece goes out. Raises Stopping."""
        self._refuse_halted()
        rate = self._rate()
        if rate is None:
            return
        due = time.monotonic() + self._debt(size, rate)
        while (left := due - time.monotonic()) > 0:
            self.sleep(min(left, LOOK_AGAIN))
            self._refuse_halted()

    def sleep(self, seconds: float) -> None:
        """Raises Stopping."""
        if self._stop.wait(max(0.0, seconds)):
            raise Stopping

    def _refuse_halted(self) -> None:
        if self._stop.is_set() or self._is_halted():
            raise Stopping

    def _debt(self, size: int, rate: float) -> float:
        """Seconds to wait so that all uploads together keep the rate; a short burst is free."""
        with self._lock:
            now = time.monotonic()
            self._free_at = max(self._free_at, now - BURST_SECONDS) + size / rate
            return self._free_at - now

    def _wait_for_quiet_disk(self, disk: DiskLoad) -> None:
        """Every ten seconds all uploads fall silent, so that what is heard is the instrument's own work."""
        with self._lock:
            while time.monotonic() >= self._listen_at:
                if not disk.is_busy(during=lambda: self.sleep(LISTEN_FOR)):
                    self._listen_at = time.monotonic() + LISTEN_EVERY


def backoff(attempt: int, *, first: float, most: float, random: Callable[[], float]) -> float:
    """Seconds before the next attempt: doubling, with half of it left to chance, so that many agents do not meet."""
    span = min(most, first * 2.0 ** min(attempt, 30))
    return span * (0.5 + 0.5 * random())
