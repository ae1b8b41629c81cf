"""Asking somebody who is signed in to prove once more who they are; wrong proofs count as wrong sign-ins do."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from accounts.callers import Caller
from accounts.models import User
from accounts.sign_in.attempts import count_attempt, settle_attempt
from accounts.sign_in.passkey_proofs import Act, judge_passkey
from accounts.sign_in.proofs import ProvenBy
from accounts.sign_in.recent_sign_in import SignInTooOld
from wire.errors import Forbidden, Unauthorized, ValidationError


class ProofMissing(ValidationError):
    def __init__(self) -> None:
        super().__init__(fields={"password": ["Your password is needed, or a passkey."]})


class WrongPassword(Forbidden):
    def __init__(self) -> None:
        super().__init__("The password is wrong.")


@dataclass(frozen=True)
class Password:
    """Empty of people without one. `address` is the browser's."""

    text: str
    address: str


@dataclass(frozen=True)
class PasskeyAnswer:
    """What a browser's `PublicKeyCredential.toJSON()` gives of a question of `accounts.sign_in.passkey_proofs`."""

    credential: Mapping[str, Any]


Proof = Password | PasskeyAnswer


@dataclass(frozen=True)
class Proven:
    """Who it is, and what proved it."""

    person: User
    by: ProvenBy


def require_own_session(by: Caller) -> User:
    """Raises Unauthorized."""
    if by.user is None or by.client is not None:
        raise Unauthorized("Only people in a session of their own may do this.")
    return by.user


def prove_again(by: Caller, proof: Proof, *, act: Act, at: datetime) -> Proven:
    """However recent the sign-in: a passkey that was asked for this act, or the password.

    People without a password need a recent sign-in by their identity provider instead. Never inside a transaction:
    hashing takes its time. Raises Unauthorized, ProofMissing, WrongPassword, SignInTooOld, TooManyAttempts, and what
    `judge_passkey` does.
    """
    person = require_own_session(by)
    if isinstance(proof, PasskeyAnswer):
        judge_passkey(person, proof.credential, act=act, at=at)
        return Proven(person, ProvenBy.PASSKEY)
    if not person.has_usable_password():
        if not by.is_recent:
            raise SignInTooOld
        return Proven(person, ProvenBy.SIGN_IN)
    if not proof.text:
        raise ProofMissing
    if not is_right_password(person, password=proof.text, address=proof.address):
        raise WrongPassword
    return Proven(person, ProvenBy.PASSWORD)


def is_right_password(person: User, *, password: str, address: str) -> bool:
    """Counted before it is judged. Raises TooManyAttempts."""
    attempt = count_attempt(address=address, account=person.email)
    succeeded = person.check_password(password)
    settle_attempt(attempt, succeeded=succeeded)
    return succeeded
