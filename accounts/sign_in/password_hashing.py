"""The one place where passwords are hashed: a lane of its own, so that guessing makes nobody else wait.

A hash takes a third of a second of a processor by design. One at a time is computed in a process; a few callers wait
for it, and who comes then is told to come back. What Django, allauth and the admin site hash goes through here, because
they all ask the hasher.
"""

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

from django.contrib.auth.hashers import PBKDF2PasswordHasher

from wire.errors import RateLimited

MAX_WAITING = 3
RETRY_AFTER_SECONDS = 5


class HashingBusy(RateLimited):
    def __init__(self) -> None:
        super().__init__("Many people are signing in. Try again in a few seconds.", retry_after=RETRY_AFTER_SECONDS)


class HashingLane:
    """Runs one computation at a time, with at most `max_waiting` callers behind it."""

    def __init__(self, *, max_waiting: int = MAX_WAITING) -> None:
        self._places = threading.BoundedSemaphore(1 + max_waiting)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="passwords")

    def run(self, compute: Callable[[], str]) -> str:
        """What `compute` answers. Raises HashingBusy at once where nobody may wait any more."""
        if not self._places.acquire(blocking=False):
            raise HashingBusy
        try:
            done: Future[str] = self._thread.submit(compute)
            return done.result()
        finally:
            self._places.release()


hashing_lane = HashingLane()


class PasswordHasher(PBKDF2PasswordHasher):
    """Django's own, in the lane. Its texts look the same, so passwords that were set before still count."""

    def encode(self, password: str, salt: str, iterations: int | None = None) -> str:
        encode = super().encode
        return hashing_lane.run(lambda: encode(password, salt, iterations))
