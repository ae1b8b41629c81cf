"""Signing in a command: its person allows it in the browser, and it trades a one-time code for a token.

PKCE as in RFC 7636, S256 alone: the code passes through the browser, what it is good with never does. It is good for a
minute; whoever brings it a second time stole it, or was stolen from, and the token that it gave ends.
"""

import base64
import hashlib
import hmac
import logging
import secrets
from datetime import datetime, timedelta

from django.db import IntegrityError, transaction

from accounts.access import TOKENS_CREATE
from accounts.callers import Caller, caller_for_user
from accounts.models import LoginCode, Token
from accounts.sign_in.reauthentication import require_own_session
from accounts.tokens import NewToken, WantedToken, create_token, require_future, validate_instruments, validate_scopes
from wire.audit_context import audit_context
from wire.errors import Conflict, NotFound
from wire.telemetry.security_events import SecurityEvent, record_security_event

log = logging.getLogger(__name__)
CODE_LIFETIME = timedelta(minutes=1)
REMEMBERED_FOR = timedelta(days=1)  # in which a code that is brought again ends its token
REASON = "ids-data login"


class LoginCodeNotGood(NotFound):
    def __init__(self) -> None:
        super().__init__("This sign-in was used before, has ended, or was another program's.")


class LoginAlreadyAllowed(Conflict):
    def __init__(self, challenge: str) -> None:
        super().__init__("This was answered before. Run the command again.", code_challenge=challenge)


def allow_login(challenge: str, *, wanted: WantedToken, by: Caller, at: datetime) -> str:
    """The code, told to the command alone. Raises ValidationError, LoginAlreadyAllowed, Forbidden, SignInTooOld."""
    TOKENS_CREATE.check(by)
    TOKENS_CREATE.check_recent(by)
    person = require_own_session(by)
    require_future(wanted.expires_at, at=at)
    code = secrets.token_urlsafe(32)
    try:
        with transaction.atomic():
            LoginCode.objects.create(
                digest=_digest(code),
                challenge=challenge,
                name=wanted.name,
                scopes=validate_scopes(wanted.scopes),
                instrument_ids=validate_instruments(wanted.instrument_ids),
                token_expires_at=wanted.expires_at,
                person=person,
                expires_at=at + CODE_LIFETIME,
            )
    except IntegrityError:
        raise LoginAlreadyAllowed(challenge) from None
    return code


def exchange_code(code: str, *, verifier: str, at: datetime) -> NewToken:
    """The token for which the code stands. Its person must still be one who makes tokens.

    Raises LoginCodeNotGood, alike for whatever is wrong with a code; what a wrong try ends stays ended.
    """
    with transaction.atomic():
        made = _spend(code, verifier=verifier, at=at)
    if made is None:
        raise LoginCodeNotGood
    return made


def challenge_of(verifier: str) -> str:
    """RFC 7636, S256."""
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()


def pairing_code(challenge: str) -> str:
    """What the command and the page both show, so that people see that one asks for the other: `ABCD-EFGH`."""
    letters = base64.b32encode(hashlib.sha256(challenge.encode()).digest()).decode()
    return f"{letters[:4]}-{letters[4:8]}"


def forget_codes(*, at: datetime) -> None:
    """Delete what ended a day ago."""
    LoginCode.objects.filter(expires_at__lt=at - REMEMBERED_FOR).delete()


def _spend(code: str, *, verifier: str, at: datetime) -> NewToken | None:
    """One try a code, whatever comes of it."""
    row = (
        LoginCode.objects.select_for_update(of=("self",)).select_related("person").filter(digest=_digest(code)).first()
    )
    if row is None:
        return None
    if row.used_at is not None:
        _end_token_of(row, at=at)
        return None
    row.used_at = at
    is_good = row.expires_at > at and hmac.compare_digest(challenge_of(verifier), row.challenge)
    if is_good and row.person.is_active and row.person.is_admin:
        made = _create_token(row, at=at)
        row.token = made.token
    else:
        made = None
    row.save(update_fields=["used_at", "token"])
    return made


def _create_token(row: LoginCode, *, at: datetime) -> NewToken:
    with audit_context(caller_for_user(row.person).principal, reason=REASON):
        made = create_token(
            name=row.name,
            scopes=row.scopes,
            by=row.person,
            expires_at=row.token_expires_at,
            instrument_ids=row.instrument_ids,
            at=at,
        )
    log.info("a command was signed in", extra={"token": str(made.token.pk), "by": str(row.person_id)})
    return made


def _end_token_of(row: LoginCode, *, at: datetime) -> None:
    record_security_event(SecurityEvent.REPLAYED_CODE, user=row.person_id, client=REASON)
    if row.token_id is None:
        return
    with audit_context(caller_for_user(row.person).principal, reason=f"the code of {REASON} was used twice"):
        Token.objects.active().filter(pk=row.token_id).update(revoked_at=at)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
