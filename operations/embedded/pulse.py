"""Whether a program that runs still works: its loop beats on a descriptor that it inherits (web/server/handed.py)."""

import os

LONGEST_LOOK_SECONDS = 3.0


class Pulse:
    """An eventfd of Linux: to beat is never in anybody's way, and costs nothing while nobody looks."""

    def __init__(self) -> None:
        self.descriptor = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._silent_seconds = self._looked_at = 0.0

    def begin(self, at: float) -> None:
        """The program is started; until it beats for the first time it has as long as between two beats."""
        self._silent_seconds, self._looked_at = 0.0, at

    def feel(self, at: float) -> float:
        """For how many seconds there was no beat, `at` in those of `time.monotonic`.

        Of a time in which nobody looked, as the whole service was stopped, three seconds count.
        """
        passed, self._looked_at = min(at - self._looked_at, LONGEST_LOOK_SECONDS), at
        try:
            os.eventfd_read(self.descriptor)
        except BlockingIOError:
            self._silent_seconds += passed
        else:
            self._silent_seconds = 0.0
        return self._silent_seconds
