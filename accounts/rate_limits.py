"""How often a caller may ask (docs/interface.md, Limits), counted in the shared cache; open while that is away.

Windows slide, so that nobody gets twice the number around the turn of a minute.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache as once
from typing import Any

from django.conf import settings
from django.core.cache import cache
from limits import RateLimitItemPerSecond
from limits.storage import MemoryStorage
from limits.strategies import SlidingWindowCounterRateLimiter

from wire.errors import RateLimited
from wire.telemetry.security_events import SecurityEvent, record_security_event


@dataclass(frozen=True)
class RateLimit:
    """At most `max_hits` in any `seconds`; 0 is no limit."""

    name: str
    max_hits: int
    seconds: int

    @property
    def item(self) -> RateLimitItemPerSecond:
        return RateLimitItemPerSecond(self.max_hits, self.seconds)


@dataclass(frozen=True)
class RoomLeft:
    """How many more are admitted of a limit now, and in how many seconds all of them are again."""

    rate: RateLimit
    hits: int
    seconds: int


REQUESTS = RateLimit(  # of a token: so many a second for long, in bursts of up to `max_hits`
    "requests",
    max_hits=settings.REQUEST_BURST if settings.REQUESTS_PER_SECOND else 0,
    seconds=max(1, settings.REQUEST_BURST // (settings.REQUESTS_PER_SECOND or 1)),
)
EVENTS = RateLimit(  # of watchers, by token; likewise
    "events",
    max_hits=settings.EVENT_BURST if settings.EVENTS_PER_SECOND else 0,
    seconds=max(1, settings.EVENT_BURST // (settings.EVENTS_PER_SECOND or 1)),
)
BAD_CREDENTIALS = RateLimit(
    "bad-credentials", max_hits=settings.BAD_CREDENTIALS_PER_MINUTE, seconds=60
)  # of an address
SIGN_INS = RateLimit(
    "sign-ins", max_hits=settings.SIGN_INS_PER_MINUTE, seconds=60
)  # of an address and account, wrong ones
SIGN_INS_OF_ADDRESS = RateLimit(
    "sign-ins-of-address", max_hits=settings.SIGN_INS_PER_ADDRESS, seconds=60
)  # wrong ones, to whichever accounts
SECOND_FACTORS = RateLimit("second-factors", max_hits=10, seconds=900)  # of a person, wrong ones
TOLD_OF_GUESSING = RateLimit("told-of-guessing", max_hits=1, seconds=3_600)  # of an account or an address
TOLD_OF_ANY_GUESSING = RateLimit("told-of-any-guessing", max_hits=20, seconds=3_600)  # nobody fills inboxes by it
REGISTRATIONS = RateLimit("registrations", max_hits=60, seconds=3_600)  # of OAuth clients from an address


def count_hit(rate: RateLimit, who: str, *, times: int = 1) -> None:
    """Count so many more, all or none. Raises RateLimited, which says how long to wait."""
    if rate.max_hits and (wait := _with_storage(lambda storage: _hit_limiter(storage, rate, who, times), 0)):
        if rate in (BAD_CREDENTIALS, SIGN_INS):
            record_security_event(SecurityEvent.CREDENTIALS_GUESSED, limit=rate.name)
        raise RateLimited(retry_after=wait)


def require_room(rate: RateLimit, who: str) -> None:
    """Raises RateLimited where one more would be refused; it counts nothing."""
    if rate.max_hits and (wait := _with_storage(lambda storage: _test_limiter(storage, rate, who), 0)):
        raise RateLimited(retry_after=wait)


def read_room(rate: RateLimit, who: str) -> RoomLeft | None:
    """None where there is no limit, or nobody who counts."""
    return _with_storage(lambda storage: _read_room(storage, rate, who), None) if rate.max_hits else None


def reset_count(rate: RateLimit, who: str) -> None:
    """Begin at nought again."""
    _with_storage(lambda storage: SlidingWindowCounterRateLimiter(storage).clear(rate.item, rate.name, who), None)


def _hit_limiter(storage: Any, rate: RateLimit, who: str, times: int) -> int:
    """The seconds to wait before the next try, 0 where this one is admitted."""
    limiter = SlidingWindowCounterRateLimiter(storage)
    if limiter.hit(rate.item, rate.name, who, cost=times):
        return 0
    return _seconds_until_free(limiter, rate, who)


def _test_limiter(storage: Any, rate: RateLimit, who: str) -> int:
    limiter = SlidingWindowCounterRateLimiter(storage)
    return 0 if limiter.test(rate.item, rate.name, who) else _seconds_until_free(limiter, rate, who)


def _read_room(storage: Any, rate: RateLimit, who: str) -> RoomLeft:
    stats = SlidingWindowCounterRateLimiter(storage).get_window_stats(rate.item, rate.name, who)
    seconds = min(rate.seconds, max(0, math.ceil(stats.reset_time - time.time())))
    return RoomLeft(rate, max(0, stats.remaining), seconds)


def _seconds_until_free(limiter: SlidingWindowCounterRateLimiter, rate: RateLimit, who: str) -> int:
    free_at = limiter.get_window_stats(rate.item, rate.name, who).reset_time
    return min(rate.seconds, max(1, math.ceil(free_at - time.time())))


def _with_storage(ask: Callable[[Any], Any], fallback: Any) -> Any:
    shared: Callable[[Callable[[Any], Any], Any], Any] | None = getattr(cache, "with_limit_storage", None)
    return ask(_memory_storage()) if shared is None else shared(ask, fallback)


@once
def _memory_storage() -> MemoryStorage:
    """Where there is no Redis: one process counts for itself."""
    return MemoryStorage()
