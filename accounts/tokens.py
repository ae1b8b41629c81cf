"""Personal access tokens: made, recognised, revoked."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db import connection
from django.db.models import Q

from accounts.callers import Caller
from accounts.models import Token, TokenQuerySet, User
from accounts.scopes import Scope
from accounts.token_texts import generate_token_text, is_well_formed, token_digest
from wire.errors import NotFound, ValidationError
from wire.queries.compiled import CompiledQuery

TOKEN_BY_DIGEST = CompiledQuery(lambda digest: Token.objects.filter(digest=digest).defer("digest"))
LAST_USE_RESOLUTION = timedelta(minutes=1)
ENDS_SOON_WITHIN = timedelta(days=14)  # what the list marks and the home page tells


@dataclass(frozen=True)
class NewToken:
    """A token and its text, which is never to be had again."""

    token: Token
    text: str


@dataclass(frozen=True)
class WantedToken:
    """A token to come; `instrument_ids` None is all."""

    name: str
    scopes: Iterable[str]
    expires_at: datetime | None = None
    instrument_ids: list[str] | None = None


def create_token(
    *,
    name: str,
    scopes: Iterable[str],
    by: User | None,
    expires_at: datetime | None = None,
    instrument_ids: list[str] | None = None,
    at: datetime,
) -> NewToken:
    """Make a token of known scopes, at least one and never `"*"`; an expiry lies ahead. Raises ValidationError."""
    text = generate_token_text()
    require_future(expires_at, at=at)
    token = Token.objects.create(
        digest=token_digest(text),
        prefix=text[:12],
        name=name,
        scopes=validate_scopes(scopes),
        created_by=by,
        created_at=at,
        expires_at=expires_at,
        instrument_ids=validate_instruments(instrument_ids),
    )
    return NewToken(token, text)


def require_future(expires_at: datetime | None, *, at: datetime) -> None:
    """Raises ValidationError."""
    if expires_at is not None and expires_at <= at:
        raise ValidationError(fields={"expires_at": ["The expiry must lie in the future."]})


def validate_scopes(scopes: Iterable[str]) -> list[str]:
    """The scopes in catalogue order, once each."""
    asked = list(scopes)
    unknown = sorted({scope for scope in asked if scope not in set(Scope)})
    if unknown:
        raise ValidationError(fields={"scopes": [f"Unknown scope: {scope}." for scope in unknown]})
    if not asked:
        raise ValidationError(fields={"scopes": ["At least one scope is needed."]})
    return [str(scope) for scope in Scope if scope in asked]


def validate_instruments(instrument_ids: list[str] | None) -> list[str] | None:
    """The instruments a token is bound to; None is all. Their table is named: instruments stand above accounts."""
    if instrument_ids is None:
        return None
    with connection.cursor() as cursor:
        cursor.execute("SELECT id FROM instruments_instrument WHERE id = ANY(%s) ORDER BY id", [instrument_ids])
        found = [row[0] for row in cursor.fetchall()]
    unknown = sorted(set(instrument_ids) - set(found))
    if unknown or not found:
        raise ValidationError(
            fields={
                "instrument_ids": [f"Unknown instrument: {name}." for name in unknown]
                or ["At least one instrument is needed."]
            }
        )
    return found


def find_token(text: str, *, at: datetime) -> Token | None:
    """The usable token of this text, or None: malformed, unknown, revoked and expired look alike."""
    if not is_well_formed(text):
        return None
    token = TOKEN_BY_DIGEST.first(token_digest(text))
    if token is None or token.revoked_at is not None or (token.expires_at is not None and token.expires_at <= at):
        return None
    return token


def record_token_use(token: Token, *, at: datetime) -> None:
    """Note the last use, at most once a minute and token, whatever the number of processes."""
    if token.last_used_at is not None and at - token.last_used_at < LAST_USE_RESOLUTION:
        return
    Token.objects.filter(pk=token.pk).exclude(last_used_at__gt=at - LAST_USE_RESOLUTION).update(last_used_at=at)


def list_tokens(*, by: Caller) -> TokenQuerySet:
    """Without those bound to an instrument that the caller does not see."""
    rows = Token.objects.active()
    if by.instrument_ids is not None:
        rows = rows.filter(Q(instrument_ids=None) | Q(instrument_ids__contained_by=list(by.instrument_ids)))
    return rows.select_related("created_by").order_by("-created_at", "-id")


def revoke_token(*, token_id: UUID, by: Caller, at: datetime) -> None:
    """End a token now. The row stays, because its name stays on what it did."""
    if not Token.objects.active().filter(pk=token_id).update(revoked_at=at):
        raise NotFound("There is no such active token.")
