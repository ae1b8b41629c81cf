"""A pause of the uploads, which somebody at the instrument's computer asked for.

It always ends by itself, so that nobody's data is forgotten, and it is kept in the journal, so that a computer that
starts again does not disturb a measurement. Watching, reporting and heartbeats go on.
"""

import threading
import time
from collections.abc import Callable

from instrument_watcher.chronicle import Chronicle
from instrument_watcher.journal.journal import Journal
from instrument_watcher.sizes import seconds_text

PAUSE = "pause"
LONGEST = 86_400.0
LOOK_AGAIN = 1.0


class Pause:
    """Times are of the monotonic clock; only over a restart the clock on the wall counts, and a correction of it can
    make a pause shorter, but never longer than it was asked for."""

    def __init__(self, journal: Journal, chronicle: Chronicle, *, now: Callable[[], float] = time.monotonic) -> None:
        self._journal, self._chronicle, self._now = journal, chronicle, now
        self._lock = threading.Lock()
        self._ends_at = self._kept()

    def begin(self, seconds: float) -> None:
        """From now on; a pause that is on already ends then and not before. Raises ValueError, JournalUnavailable."""
        if not 0 < seconds <= LONGEST:
            raise ValueError(f"A pause is of 1 to {LONGEST:.0f} seconds.")
        with self._lock:
            self._journal.facts.set(PAUSE, {"until": time.time() + seconds, "seconds": seconds})
            self._ends_at = self._now() + seconds
        self._chronicle.tell("uploads_paused", f"Uploads are paused for {seconds_text(seconds)}", seconds=seconds)

    def end(self) -> None:
        """Raises JournalUnavailable."""
        with self._lock:
            if self._ends_at is None:
                return
            self._journal.facts.forget(PAUSE)
            self._ends_at = None
        self._chronicle.tell("uploads_resumed", "Uploads go on after a pause")

    def is_on(self) -> bool:
        return self.seconds_left() > 0

    def seconds_left(self) -> float:
        ends_at = self._ends_at
        return 0.0 if ends_at is None else max(0.0, ends_at - self._now())

    def until(self) -> float | None:
        """When it ends, in seconds since 1970; None where there is none."""
        left = self.seconds_left()
        return time.time() + left if left else None

    def note_end(self) -> None:
        """Tell, once, that its time is over."""
        if self._ends_at is not None and not self.is_on():
            self.end()

    def wait_over(self, stop: threading.Event) -> bool:
        """Wait until nothing is paused; False when the agent stops."""
        while left := self.seconds_left():
            if stop.wait(min(left, LOOK_AGAIN)):
                return False
        return not stop.is_set()

    def _kept(self) -> float | None:
        """When the pause that an earlier process began is over."""
        kept = self._journal.facts.get(PAUSE)
        if kept is None:
            return None
        return self._now() + min(kept["until"] - time.time(), kept["seconds"])
