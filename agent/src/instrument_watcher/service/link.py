"""Whether the service can be reached. Whoever finds it away lets everybody wait, longer each time."""

import logging
import random
import threading
import time

from instrument_watcher.service.errors import ServiceAway, SlowDown, TokenRefused
from instrument_watcher.sizes import seconds_text
from instrument_watcher.uploading.pacing import backoff

log = logging.getLogger("instrument_watcher")
FIRST_WAIT = 1.0
LONGEST_WAIT = 60.0  # so that work goes on soon after the service is back
TOKEN_WAIT = 60.0
HELD_WAIT = 300.0
LOOK_AGAIN = 1.0  # another thread may find the service back


class Link:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._failures = 0
        self._retry_at = 0.0
        self.away_since: float | None = None
        self.why = ""
        self.held = threading.Event()  # the service knows another installation as this watcher: nothing is sent
        self.held_because = ""
        self._ask_again_at = 0.0

    def wait(self, stop: threading.Event) -> bool:
        """Wait until the service may be called; False when the agent stops."""
        while (left := self._retry_at - time.monotonic()) > 0:
            if stop.wait(min(left, LOOK_AGAIN)):
                return False
        return not stop.is_set()

    def wait_to_send(self, stop: threading.Event) -> bool:
        """Wait until files and events may be sent, too; False when the agent stops."""
        while self.wait(stop):
            if not self.held.is_set():
                return True
            if stop.wait(LOOK_AGAIN):
                return False
        return False

    def try_now(self) -> None:
        """Somebody asked: do not wait for the service any longer."""
        with self._lock:
            self._retry_at = 0.0

    def hold(self, why: str) -> bool:
        """Nothing is sent until `release`. Whether this is news."""
        is_news, self.held_because = self.held_because != why, why
        self._ask_again_at = time.monotonic() + HELD_WAIT
        self.held.set()
        return is_news

    def release(self) -> None:
        """A heartbeat was taken."""
        if self.held.is_set():
            self.held_because = ""
            self.held.clear()
            log.warning("The service takes this installation again; uploads go on.")

    def is_to_keep_still(self) -> bool:
        """While it is held, the service is asked now and then only."""
        return self.held.is_set() and time.monotonic() < self._ask_again_at

    def is_up(self) -> bool:
        return self.away_since is None

    def found_up(self) -> None:
        """A call was answered."""
        if self.away_since is None:
            return
        with self._lock:
            since, self.away_since = self.away_since, None
            self._failures, self._retry_at, self.why = 0, 0.0, ""
        if since is not None:
            log.info("The service answers again, after %s.", seconds_text(time.monotonic() - since))

    def found_away(self, error: ServiceAway | TokenRefused) -> None:
        """A call failed. Failures of several threads within one wait count once."""
        with self._lock:
            now = time.monotonic()
            if now < self._retry_at:
                return
            wait = backoff(self._failures, first=FIRST_WAIT, most=LONGEST_WAIT, random=random.random)
            wait = max(wait, TOKEN_WAIT) if isinstance(error, TokenRefused) else max(wait, error.retry_after)
            self._retry_at = now + wait
            if isinstance(error, SlowDown):
                return
            self._failures += 1
            is_news, self.why = self.why != error.message, error.message
            self.away_since = self.away_since or now
        if is_news:
            log.warning("%s %s", error.message, error.remedy if isinstance(error, TokenRefused) else "Trying again.")
