"""Ten wrong sign-ins a minute from one address to one account; then it waits. Others at that address do not notice.

Open when the cache is away: nobody is locked out because Redis is.
"""

import hashlib

from accounts import rates
from wire.errors import RateLimited


class TooManyAttempts(RateLimited):
    def __init__(self, *, retry_after: int) -> None:
        super().__init__("Too many wrong passwords. Wait a moment, then sign in again.", retry_after=retry_after)


def count_attempt(*, address: str, account: str) -> str:
    """Count a try before it is judged, so that parallel ones cannot slip by. Answers what `forget_attempts` takes."""
    who = hashlib.sha256(f"{address} {account.strip().lower()}".encode()).hexdigest()
    try:
        rates.count(rates.SIGN_INS, who)
    except RateLimited as refusal:
        raise TooManyAttempts(retry_after=refusal.retry_after) from None
    return who


def forget_attempts(who: str) -> None:
    """The password was right: what was tried before does not count."""
    rates.forget(rates.SIGN_INS, who)
