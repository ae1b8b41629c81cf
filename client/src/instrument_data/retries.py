"""When to ask again, and after how long. Repeating is safe: every POST carries an Idempotency-Key."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime

AGAIN = frozenset({429, 502, 503, 504})
FIRST_SECONDS, LONGEST_SECONDS = 0.5, 30.0


def seconds_asked_for(retry_after: str | None, *, at: datetime | None = None) -> float | None:
    """What a Retry-After header asks for: seconds, or a date of HTTP; None where it says nothing readable."""
    if not retry_after:
        return None
    if retry_after.isascii() and retry_after.strip().isdigit():
        return float(retry_after)
    try:
        until = parsedate_to_datetime(retry_after)
    except ValueError:
        return None
    if until.tzinfo is None:  # "-0000": a moment of UTC, by a clock that says nothing of its place
        until = until.replace(tzinfo=timezone.utc)
    return max(0.0, (until - (at or datetime.now(timezone.utc))).total_seconds())


class Patience:
    """How long one call may wait in all. Each question is asked again until that is used up."""

    def __init__(self, seconds: float, *, chance: Callable[[], float] = random.random) -> None:
        self._seconds, self._chance = seconds, chance
        self.renew()

    def renew(self) -> None:
        """Something came meanwhile: what is slow or breaks often is not what does not answer."""
        self.left, self._attempt = self._seconds, 0

    def next_wait(self, retry_after: str | None = None) -> float | None:
        """Seconds to wait before the next attempt; None when patience ends first."""
        asked = seconds_asked_for(retry_after)
        step = min(LONGEST_SECONDS, FIRST_SECONDS * 2**self._attempt)
        wait = step * (0.5 + self._chance() / 2) if asked is None else asked + self._chance() / 4
        if wait > self.left:
            return None
        self._attempt += 1
        self.left -= wait
        return wait
