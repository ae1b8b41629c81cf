"""How often a caller may ask (contract section 1), counted in the shared cache; open while that is away."""

from dataclasses import dataclass
from datetime import datetime

from django.core.cache import cache

from wire.errors import RateLimited


@dataclass(frozen=True)
class Rate:
    """At most `most` in each window of `seconds`."""

    name: str
    most: int
    seconds: int


REQUESTS = Rate("requests", most=500, seconds=10)  # of a caller: 50 a second, in bursts of 500
BAD_CREDENTIALS = Rate("bad-credentials", most=20, seconds=60)  # of an address
REGISTRATIONS = Rate("registrations", most=60, seconds=3_600)  # of OAuth clients from an address


def count(rate: Rate, who: str, *, at: datetime) -> None:
    """Count one more. Raises RateLimited, which says how long to wait."""
    window, passed = divmod(int(at.timestamp()), rate.seconds)
    if _counted(f"rate:{rate.name}:{window}:{who}", timeout=2 * rate.seconds) > rate.most:
        raise RateLimited(retry_after=rate.seconds - passed)


def _counted(key: str, *, timeout: int) -> int:
    """In one round trip where the cache can do that; a cache in memory takes two steps."""
    count_at_once = getattr(cache, "count", None)
    if count_at_once is not None:
        return int(count_at_once(key, timeout=timeout))
    cache.add(key, 0, timeout=timeout)
    return cache.incr(key)
