"""The second factor of local accounts: an authenticator app, passkeys, recovery codes. allauth judges them.

What it keeps is sealed with a key that stands in no table. People of an identity provider have theirs there.
"""

import base64
import secrets
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from allauth.mfa.adapter import DefaultMFAAdapter
from django.conf import settings
from django.db import transaction

from accounts import rate_limits as rates
from accounts.callers import Caller
from accounts.models import SecondFactor, User
from accounts.sign_in.guessing import tell_of_codes
from wire.errors import Conflict, Forbidden, NotFound, RateLimited
from wire.secrets import decrypt_secret, encrypt_secret

SERVICE_NAME = "Instrument Data"
MAX_PASSKEYS = 10
RECOVERY_CODES, APP, PASSKEY = "recovery_codes", "totp", "webauthn"


class FactorOfProvider(Forbidden):
    def __init__(self) -> None:
        super().__init__("You sign in through the identity provider: a second factor is set up there.")


class TooManyPasskeys(Conflict):
    def __init__(self) -> None:
        super().__init__(
            f"An account has at most {MAX_PASSKEYS} passkeys. Remove one that you do not use.",
            max_passkeys=MAX_PASSKEYS,
        )


class TooManyCodes(RateLimited):
    def __init__(self, *, retry_after: int) -> None:
        super().__init__("Too many wrong codes. Wait a while, then try again.", retry_after=retry_after)


class SecondFactorAdapter(DefaultMFAAdapter):
    """Where allauth asks us (MFA_ADAPTER)."""

    error_messages = DefaultMFAAdapter.error_messages | {"incorrect_code": "That did not match. Try again."}

    def encrypt(self, text: str) -> str:
        return encrypt_secret(text)

    def decrypt(self, encrypted_text: str) -> str:
        """What was sealed with another SECRET_KEY becomes a secret that nobody has, so that no code fits it."""
        return decrypt_secret(encrypted_text) or base64.b32encode(secrets.token_bytes(20)).decode()

    def get_totp_issuer(self) -> str:
        return SERVICE_NAME

    def get_public_key_credential_rp_entity(self) -> dict[str, str]:
        """Passkeys belong to the host of PUBLIC_URL, whatever Host a request names."""
        return {"id": urlsplit(settings.PUBLIC_URL).hostname or "", "name": SERVICE_NAME}

    def generate_authenticator_name(self, user: Any, type: Any) -> str:  # noqa: A002  # allauth's word
        return f"Passkey {SecondFactor.objects.filter(user=user, type=PASSKEY).count() + 1}"


def list_second_factors(*, by: Caller) -> list[SecondFactor]:
    return list(SecondFactor.objects.filter(user=by.user).order_by("type", "created_at"))


def check_may_add(*, by: Caller, kind: str) -> None:
    """Raises FactorOfProvider, TooManyPasskeys."""
    if by.user is None or not by.user.has_usable_password():
        raise FactorOfProvider
    if kind == PASSKEY and SecondFactor.objects.filter(user=by.user, type=PASSKEY).count() >= MAX_PASSKEYS:
        raise TooManyPasskeys


@transaction.atomic
def remove_second_factor(factor_id: int, *, by: Caller) -> None:
    """Take away one's own app or passkey; with the last of them the recovery codes go too."""
    if by.user:
        User.objects.select_for_update().get(pk=by.user.pk)
    own = SecondFactor.objects.filter(user=by.user)
    if not own.filter(pk=factor_id).exclude(type=RECOVERY_CODES).delete()[0]:
        raise NotFound("There is no such second factor.")
    if not own.exclude(type=RECOVERY_CODES).exists():
        own.delete()


def reset_second_factors(*, user_id: UUID, by: Caller) -> User:
    """For somebody who lost theirs: an admin takes all away, which the trail keeps; the password is still needed."""
    person = User.objects.filter(pk=user_id).first()
    if person is None:
        raise NotFound("There is no such person.")
    SecondFactor.objects.filter(user=person).delete()
    return person


def count_code(person: User) -> None:
    """Count a try before it is judged. Raises TooManyCodes."""
    try:
        rates.count_hit(rates.SECOND_FACTORS, str(person.pk))
    except RateLimited as refusal:
        tell_of_codes(person)
        raise TooManyCodes(retry_after=refusal.retry_after) from None


def forgive_codes(person: User) -> None:
    rates.reset_count(rates.SECOND_FACTORS, str(person.pk))
