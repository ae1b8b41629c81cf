"""Asking somebody who is signed in for their password once more; wrong ones count as wrong sign-ins do."""

from accounts.callers import Caller
from accounts.models import User
from accounts.recent_sign_in import SignInTooOld
from accounts.sign_in_attempts import count_attempt, settle_attempt
from wire.errors import Forbidden, Unauthorized


class WrongPassword(Forbidden):
    def __init__(self) -> None:
        super().__init__("The password is wrong.")


def prove_again(by: Caller, *, password: str, address: str) -> User:
    """Who has a password gives it, however recent their sign-in; others need a recent one by their identity provider.

    Never inside a transaction: hashing takes its time. Raises Unauthorized, WrongPassword, SignInTooOld,
    TooManyAttempts.
    """
    if by.user is None or by.client is not None:
        raise Unauthorized("Only people in a session of their own may do this.")
    if not by.user.has_usable_password():
        if not by.is_recent:
            raise SignInTooOld
        return by.user
    if not is_right_password(by.user, password=password, address=address):
        raise WrongPassword
    return by.user


def is_right_password(person: User, *, password: str, address: str) -> bool:
    """Counted before it is judged. Raises TooManyAttempts."""
    attempt = count_attempt(address=address, account=person.email)
    succeeded = person.check_password(password)
    settle_attempt(attempt, succeeded=succeeded)
    return succeeded
