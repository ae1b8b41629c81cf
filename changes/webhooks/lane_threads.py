"""The threads that serve lanes, in each worker process, beside those of its tasks: a call of ten seconds holds up none.

The lease of a lane is in the database, so any number of processes may do this at once.
"""

import logging
import threading
from concurrent.futures import ThreadPoolExecutor

from django.db import DatabaseError, connections

from changes.webhooks.lanes import serve_lane
from wire.clock import now

log = logging.getLogger(__name__)
MAX_THREADS = 8  # twice as many as slow lanes


class LaneThreads:
    """As many threads as lanes are due, up to a number; each ends when none is left."""

    def __init__(self, count: int = MAX_THREADS) -> None:
        self._pool = ThreadPoolExecutor(count, thread_name_prefix="lane")
        self._count, self._busy, self._lock = count, 0, threading.Lock()

    def wake(self, lanes: int) -> None:
        """Returns at once."""
        for _ in range(lanes):
            with self._lock:
                if self._busy >= self._count:
                    return
                self._busy += 1
            self._pool.submit(self._serve)

    def _serve(self) -> None:
        try:
            while serve_lane(at=now()):
                pass
        except DatabaseError:
            log.exception("lanes of webhooks are not served for a moment")
        except Exception:
            log.exception("a lane of webhooks broke")  # else nobody would hear of it: the pool keeps it to itself
        finally:
            connections.close_all()
            with self._lock:
                self._busy -= 1


lane_threads = LaneThreads()
