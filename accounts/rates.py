"""How often a caller may ask (contract section 1), counted in the shared cache; open while that is away.

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


@dataclass(frozen=True)
class Rate:
    """At most `most` in any `seconds`; 0 is no limit."""

    name: str
    most: int
    seconds: int

    @property
    def item(self) -> RateLimitItemPerSecond:
        return RateLimitItemPerSecond(self.most, self.seconds)


REQUESTS = Rate(  # of a token: so many a second for long, in bursts of up to `most`
    "requests",
    most=settings.REQUEST_BURST if settings.REQUESTS_PER_SECOND else 0,
    seconds=max(1, settings.REQUEST_BURST // (settings.REQUESTS_PER_SECOND or 1)),
)
BAD_CREDENTIALS = Rate("bad-credentials", most=settings.BAD_CREDENTIALS_PER_MINUTE, seconds=60)  # of an address
SIGN_INS = Rate("sign-ins", most=settings.SIGN_INS_PER_MINUTE, seconds=60)  # of an address and account, wrong ones
REGISTRATIONS = Rate("registrations", most=60, seconds=3_600)  # of OAuth clients from an address


def count(rate: Rate, who: str) -> None:
    """Count one more. Raises RateLimited, which says how long to wait."""
    if rate.most and (wait := _with_storage(lambda storage: _hit(storage, rate, who), 0)):
        raise RateLimited(retry_after=wait)


def forget(rate: Rate, who: str) -> None:
    """Begin at nought again."""
    _with_storage(lambda storage: SlidingWindowCounterRateLimiter(storage).clear(rate.item, rate.name, who), None)


def _hit(storage: Any, rate: Rate, who: str) -> int:
    """The seconds to wait before the next try, 0 where this one is admitted."""
    limiter = SlidingWindowCounterRateLimiter(storage)
    if limiter.hit(rate.item, rate.name, who):
        return 0
    free_at = limiter.get_window_stats(rate.item, rate.name, who).reset_time
    return min(rate.seconds, max(1, math.ceil(free_at - time.time())))


def _with_storage(ask: Callable[[Any], Any], fallback: Any) -> Any:
    shared: Callable[[Callable[[Any], Any], Any], Any] | None = getattr(cache, "limited", None)
    return ask(_in_memory()) if shared is None else shared(ask, fallback)


@once
def _in_memory() -> MemoryStorage:
    """Where there is no Redis: one process counts for itself."""
    return MemoryStorage()
