"""Ten wrong sign-ins a minute from one address to one account; then it waits. Others at that address do not notice.

Open when the cache is away: nobody is locked out because Redis is.
"""

import hashlib
from datetime import datetime

from django.core.cache import cache

from wire.errors import RateLimited

LIMIT = 10
WINDOW_SECONDS = 60


class TooManyAttempts(RateLimited):
    def __init__(self, *, retry_after: int) -> None:
        super().__init__("Too many wrong passwords. Wait a moment, then sign in again.", retry_after=retry_after)


def count_attempt(*, address: str, account: str, at: datetime) -> str:
    """Count a try before it is judged, so that parallel ones cannot slip by. Answers what `forget_attempt` takes."""
    second = int(at.timestamp())
    key = _key(address, account, second // WINDOW_SECONDS)
    cache.add(key, 0, timeout=2 * WINDOW_SECONDS)
    if cache.incr(key) > LIMIT:
        raise TooManyAttempts(retry_after=WINDOW_SECONDS - second % WINDOW_SECONDS)
    return key


def forget_attempt(key: str) -> None:
    """The try was a good one and does not count."""
    cache.decr(key)


def _key(address: str, account: str, minute: int) -> str:
    who = hashlib.sha256(f"{address} {account.strip().lower()}".encode()).hexdigest()
    return f"sign-in:{minute}:{who}"
