"""A request to end, heard at any moment: also while one agent is followed by another, or none can begin yet."""

import threading
from collections.abc import Callable
from queue import SimpleQueue


class Ending:
    """Made once for a process. What is to be stopped changes while it runs."""

    def __init__(self) -> None:
        self._requests: SimpleQueue[None] = SimpleQueue()
        self._asked = threading.Event()
        self._lock = threading.Lock()
        self._stop: Callable[[], None] = lambda: None
        threading.Thread(target=self._listen, name="ending", daemon=True).start()

    def ask(self) -> None:
        """End. For signal handlers, too: they interrupt the main thread wherever it is, so no lock is waited for."""
        self._requests.put(None)

    def stops(self, stop: Callable[[], None]) -> None:
        """What is to be called now, at once where the end was asked for already; what was before is over."""
        with self._lock:
            self._stop = stop
        if self._asked.is_set():
            stop()

    def is_asked(self) -> bool:
        return self._asked.is_set()

    def wait(self, seconds: float) -> None:
        """Until the end is asked for, at most so long."""
        self._asked.wait(seconds)

    def _listen(self) -> None:
        while True:
            self._requests.get()
            self._asked.set()
            with self._lock:
                stop = self._stop
            stop()
