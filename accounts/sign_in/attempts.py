"""Ten wrong sign-ins a minute from one address to one account; then it waits. Others at that address do not notice,
until there were sixty wrong ones from it, to whichever accounts.

Open when the cache is away: nobody is locked out because Redis is.
"""

import hashlib
from contextlib import suppress
from dataclasses import dataclass

from accounts import rate_limits as rates
from accounts.sign_in.guessing import tell_of_address, tell_of_passwords
from wire.errors import RateLimited


class TooManyAttempts(RateLimited):
    def __init__(self, *, retry_after: int) -> None:
        super().__init__("Too many wrong passwords. Wait a moment, then sign in again.", retry_after=retry_after)


@dataclass(frozen=True)
class Attempt:
    """One try to prove who one is, not judged yet."""

    who: str
    address: str


def count_attempt(*, address: str, account: str) -> Attempt:
    """Count a try before it is judged, so that parallel ones cannot slip by. Raises TooManyAttempts."""
    who = hashlib.sha256(f"{address} {account.strip().lower()}".encode("utf-8", "replace")).hexdigest()
    try:
        rates.require_room(rates.SIGN_INS_OF_ADDRESS, address)
    except RateLimited as refusal:
        tell_of_address(address)
        raise TooManyAttempts(retry_after=refusal.retry_after) from None
    try:
        rates.count_hit(rates.SIGN_INS, who)
    except RateLimited as refusal:
        tell_of_passwords(account=account, address=address)
        raise TooManyAttempts(retry_after=refusal.retry_after) from None
    return Attempt(who, address)


def settle_attempt(attempt: Attempt, *, succeeded: bool) -> None:
    """Who succeeds is forgiven what was tried before; who fails has used some of what their address may."""
    if succeeded:
        rates.reset_count(rates.SIGN_INS, attempt.who)
        return
    with suppress(RateLimited):  # the next one is refused
        rates.count_hit(rates.SIGN_INS_OF_ADDRESS, attempt.address)
