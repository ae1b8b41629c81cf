"""The threads that upload: each takes the file that waits longest, one after the other."""

import threading
import time

from instrument_watcher.journal.journal import Journal
from instrument_watcher.journal.rows import FileRow

LONGEST_NAP = 60.0


class UploadBoard:
    """Hands every waiting file to one thread at a time."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._changed = threading.Condition()
        self._under_way: set[int] = set()
        self._stopped = False

    def ring(self) -> None:
        """There may be something new to upload."""
        with self._changed:
            self._changed.notify_all()

    def stop(self) -> None:
        with self._changed:
            self._stopped = True
            self._changed.notify_all()

    def take(self) -> FileRow | None:
        """The next file; waits for one. None when the agent stops."""
        with self._changed:
            while not self._stopped:
                row = self._journal.queue.next_upload(now=time.monotonic(), besides=tuple(self._under_way))
                if row is not None:
                    self._under_way.add(row.id)
                    return row
                self._changed.wait(self._nap())
        return None

    def give_back(self, row: FileRow) -> None:
        with self._changed:
            self._under_way.discard(row.id)
            self._changed.notify_all()

    def is_idle(self) -> bool:
        """Nothing is under way, and nothing waits that could be."""
        with self._changed:
            return not self._under_way and self._journal.queue.next_upload(now=time.monotonic(), besides=()) is None

    def _nap(self) -> float:
        due = self._journal.queue.next_attempt_at(besides=tuple(self._under_way))
        return LONGEST_NAP if due is None else min(LONGEST_NAP, max(0.05, due - time.monotonic()))
