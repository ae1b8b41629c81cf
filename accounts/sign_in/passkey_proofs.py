"""A passkey that proves its holder for one act.

The challenge that it signs is made of what the act is. It is good once, for its person alone, and not for long; the
passkey has to check who holds it.
"""

import hashlib
import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from django.conf import settings
from django.core.cache import cache
from fido2.server import Fido2Server
from fido2.utils import websafe_encode
from fido2.webauthn import AuthenticationResponse, PublicKeyCredentialRpEntity, UserVerificationRequirement

from accounts.models import SecondFactor, User
from accounts.sign_in.second_factors import PASSKEY, SecondFactorAdapter, count_code, forgive_codes
from wire.errors import Conflict, Forbidden

LIFETIME = timedelta(minutes=3)
NONCE_BYTES = 32
READ = ("id", "rawId", "type", "response")  # of what browsers send; the rest nobody reads
MADE_UP = (ValueError, TypeError, LookupError, AttributeError, InvalidSignature, UnsupportedAlgorithm)
Act = Mapping[str, str]


class NoPasskey(Conflict):
    def __init__(self) -> None:
        super().__init__("You have no passkey here. Add one under Settings, Security.", passkeys=0)


class PasskeyRefused(Forbidden):
    def __init__(self) -> None:
        super().__init__("The passkey did not match. Try again.")


class QuestionEnded(Forbidden):
    def __init__(self) -> None:
        super().__init__("The passkey was asked too long ago, or its answer was used already. Try again.")


class AnotherAct(Forbidden):
    def __init__(self) -> None:
        super().__init__(
            "The passkey was asked for something else, or what you saw has changed since. Look at it again."
        )


class HolderUnchecked(Forbidden):
    def __init__(self) -> None:
        super().__init__(
            "The passkey did not check who holds it, by a PIN, a finger or a face, which is needed here. Set that up in"
            " it, or use another way."
        )


@dataclass(frozen=True)
class PasskeyQuestion:
    """`public_key`: what `PublicKeyCredential.parseRequestOptionsFromJSON` takes."""

    public_key: dict[str, Any]
    expires_at: datetime


def ask_passkey(person: User, *, act: Act, at: datetime) -> PasskeyQuestion:
    """Raises NoPasskey."""
    known = [data for _, data in _list_passkeys(person)]
    if not known:
        raise NoPasskey
    challenge = hashlib.sha256(secrets.token_bytes(NONCE_BYTES) + _digest(person, act).encode()).digest()
    options, _ = _server().authenticate_begin(
        known, user_verification=UserVerificationRequirement.REQUIRED, challenge=challenge
    )
    expires_at = at + LIFETIME
    cache.set(_key(challenge), [_digest(person, act), expires_at.timestamp()], timeout=LIFETIME.total_seconds())
    return PasskeyQuestion(dict(options)["publicKey"], expires_at)


def judge_passkey(person: User, credential: Mapping[str, Any], *, act: Act, at: datetime) -> None:
    """Counted before it is judged; the question is spent whatever comes of it.

    Raises PasskeyRefused, QuestionEnded, AnotherAct, HolderUnchecked, TooManyCodes.
    """
    count_code(person)
    try:
        answer = AuthenticationResponse.from_dict({name: credential[name] for name in READ})
        challenge = answer.response.client_data.challenge
    except MADE_UP:
        raise PasskeyRefused from None
    _spend(challenge, digest=_digest(person, act), at=at)
    factor = _match(person, answer, challenge)
    if not answer.response.authenticator_data.is_user_verified():
        raise HolderUnchecked
    forgive_codes(person)
    factor.record_usage()


def has_passkey(person: User) -> bool:
    return settings.HAS_PASSKEYS and SecondFactor.objects.filter(user=person, type=PASSKEY).exists()


def _spend(challenge: bytes, *, digest: str, at: datetime) -> None:
    """Of two that bring one answer at once, one deletes the question."""
    asked = cache.get(_key(challenge))
    if asked is None or not cache.delete(_key(challenge)) or at.timestamp() >= asked[1]:
        raise QuestionEnded
    if not secrets.compare_digest(asked[0], digest):
        raise AnotherAct


def _match(person: User, answer: AuthenticationResponse, challenge: bytes) -> SecondFactor:
    known = _list_passkeys(person)
    state = {"challenge": websafe_encode(challenge), "user_verification": None}
    try:
        matched = _server().authenticate_complete(state, [data for _, data in known], answer)
    except MADE_UP:
        raise PasskeyRefused from None
    return next(factor for factor, data in known if data.credential_id == matched.credential_id)


def _list_passkeys(person: User) -> list[tuple[SecondFactor, Any]]:
    if not settings.HAS_PASSKEYS:
        return []
    factors = SecondFactor.objects.filter(user=person, type=PASSKEY).order_by("pk")
    return [(factor, factor.wrap().authenticator_data.credential_data) for factor in factors]


def _server() -> Fido2Server:
    """Of the pages of PUBLIC_URL alone."""
    entity = SecondFactorAdapter().get_public_key_credential_rp_entity()
    at_home = _origin(settings.PUBLIC_URL)
    return Fido2Server(PublicKeyCredentialRpEntity(**entity), verify_origin=lambda origin: _origin(origin) == at_home)


def _origin(url: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port or {"https": 443, "http": 80}.get(parts.scheme)


def _digest(person: User, act: Act) -> str:
    return hashlib.sha256(json.dumps([str(person.pk), dict(act)], sort_keys=True).encode()).hexdigest()


def _key(challenge: bytes) -> str:
    return f"passkey-question:{hashlib.sha256(challenge).hexdigest()}"
