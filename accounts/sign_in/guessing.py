"""Who guesses passwords or codes is told of, once an hour, so that somebody can do something about it.

Whether an account is there makes no difference to what is written, so that nobody learns it by the time it takes.
"""

from contextlib import suppress

from accounts import rate_limits as rates
from accounts.models import User
from accounts.signals import guessing_noticed
from wire.clock import now
from wire.errors import RateLimited


def tell_of_passwords(*, account: str, address: str) -> None:
    """Too many wrong ones within a minute for one account."""
    known = User.objects.filter(email=account.strip().lower()).first()
    whom = f"for {_name(known)}" if known else "for an account that is not there"
    tried = f"{rates.SIGN_INS.max_hits} wrong passwords within a minute were tried {whom}"
    _tell(f"account {account.strip().lower()}", f"{tried}, from {_place(address)}")


def tell_of_address(address: str) -> None:
    """Too many wrong ones from it, to whichever accounts."""
    _tell(f"address {address}", f"Wrong passwords for several accounts come from {_place(address)}")


def tell_of_codes(person: User) -> None:
    """Too many wrong ones by somebody who has the password: the person is to know it, too."""
    tried = f"tried {rates.SECOND_FACTORS.max_hits} wrong codes for a second factor"
    _tell(f"codes {person.pk}", f"Somebody who has the password of {_name(person)} {tried}", person=person)


def _name(person: User) -> str:
    return f"{person.display_name} ({person.email})"


def _place(address: str) -> str:
    return address or "an unknown address"


def _tell(of: str, message: str, *, person: User | None = None) -> None:
    at = now()
    with suppress(RateLimited):
        rates.count_hit(rates.TOLD_OF_GUESSING, of)
        rates.count_hit(rates.TOLD_OF_ANY_GUESSING, "all")
        told = f"{message}, on {at:%Y-%m-%d}: further tries have to wait."
        guessing_noticed.send(User, message=told, person=person, at=at)
