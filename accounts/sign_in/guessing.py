"""Who guesses passwords or codes is told of, once an hour, so that somebody can do something about it.

Whether an account is there makes no difference to what is written, so that nobody learns it by the time it takes.
"""

import hashlib
from collections.abc import Callable

from accounts import rate_limits as rates
from accounts.models import User
from accounts.signals import guessing_noticed
from wire.clock import now
from wire.errors import RateLimited


def tell_of_passwords(*, account: str, address: str) -> None:
    """Too many wrong ones within a minute for one account."""
    email = account.strip().lower()

    def describe() -> str:
        known = User.objects.filter(email=email).first()
        whom = f"for {_name(known)}" if known else "for an account that is not there"
        tried = f"{rates.SIGN_INS.max_hits} wrong passwords within a minute were tried {whom}"
        return f"{tried}, from {_place(address)}"

    _tell(f"account {email}", describe)


def tell_of_address(address: str) -> None:
    """Too many wrong ones from it, to whichever accounts."""
    _tell(f"address {address}", lambda: f"Wrong passwords for several accounts come from {_place(address)}")


def tell_of_codes(person: User) -> None:
    """Too many wrong ones by somebody who has the password: the person is to know it, too."""
    tried = f"tried {rates.SECOND_FACTORS.max_hits} wrong codes for a second factor"
    _tell(f"codes {person.pk}", lambda: f"Somebody who has the password of {_name(person)} {tried}", person=person)


def _name(person: User) -> str:
    return f"{person.display_name} ({person.email})"


def _place(address: str) -> str:
    return address or "an unknown address"


def _tell(of: str, describe: Callable[[], str], *, person: User | None = None) -> None:
    """A flood costs the database nothing: what was told of is known before anything is looked up."""
    at = now()
    try:
        rates.count_hit(rates.TOLD_OF_GUESSING, hashlib.sha256(of.encode("utf-8", "replace")).hexdigest())
        rates.count_hit(rates.TOLD_OF_ANY_GUESSING, "all")
    except RateLimited:
        return
    message = f"{describe()}, on {at:%Y-%m-%d}: further tries have to wait."
    guessing_noticed.send(User, message=message, person=person, at=at)
