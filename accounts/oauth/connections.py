"""AI clients that act for people: what their tokens allow, who connected which, how that ends.

Rules: docs/interface.md, AI clients.
"""

import hashlib
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.db import connection, transaction
from oauth2_provider.models import (
    clear_expired,
    get_access_token_model,
    get_application_model,
    get_grant_model,
    get_refresh_token_model,
)

from accounts.callers import Caller, OAuthClient, caller_for_user
from accounts.models import SpentCode
from accounts.scopes import READING, Scope
from wire.telemetry.security_events import SecurityEvent, record_security_event

MCP_PATHS = ("/mcp/v1", "/mcp")
IDLE_CLIENT_RETENTION_DAYS = 30
LOCK_CONNECTION_SQL = "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))"
WRITE_SCOPES = frozenset(Scope) - READING
SCOPES_BY_GRANT = {Scope.READ: READING, Scope.WRITE: WRITE_SCOPES}


def list_resource_urls() -> frozenset[str]:
    """What a token may be issued for: this server's MCP endpoint, under either of its names."""
    return frozenset(settings.PUBLIC_URL + path for path in MCP_PATHS)


def find_oauth_caller(text: str, *, at: datetime) -> Caller | None:
    """The person for whom this access token was issued, and the client that holds it.

    None for what is unknown, expired, of another audience or of none, and when the person may not sign in any more.
    """
    checksum = _digest(text)
    token = (
        get_access_token_model().objects.select_related("user", "application").filter(token_checksum=checksum).first()
    )
    if token is None or token.expires <= at or not token.user or not token.user.is_active or not token.application:
        return None
    if not token.resource or not list_resource_urls().issuperset(token.resource):
        return None
    client = OAuthClient(id=token.application.client_id, name=token.application.name or token.application.client_id)
    return replace(caller_for_user(token.user), scopes=expand_scopes(token.scope.split()), client=client)


def expand_scopes(scopes: list[str]) -> frozenset[Scope]:
    """What a client may do: `read` opens every reading scope, `write` every other one that its person may use."""
    return frozenset().union(
        *(SCOPES_BY_GRANT.get(Scope(scope), frozenset()) for scope in scopes if scope in set(Scope))
    )


@dataclass(frozen=True)
class ClientConnection:
    """A client that acts for somebody."""

    client_id: str
    name: str
    scopes: list[str]
    since: datetime
    last_used_at: datetime


def list_connections(*, by: Caller) -> list[ClientConnection]:
    """The clients that hold a living token of this person, by name."""
    tokens = get_refresh_token_model().objects.filter(user=by.user, revoked__isnull=True, access_token__isnull=False)
    living = tokens.select_related("application", "access_token").order_by("application__name", "created")
    found: dict[str, ClientConnection] = {}
    for token in living:
        client = token.application
        known = found.get(client.client_id)
        scopes = sorted({*token.access_token.scope.split(), *(known.scopes if known else [])})
        since = known.since if known else client.created
        found[client.client_id] = ClientConnection(
            client.client_id, client.name or client.client_id, scopes, since, token.created
        )
    return list(found.values())


@transaction.atomic
def disconnect_client(client_id: str, *, by: Caller) -> None:
    """End everything that a client holds of this person. It has to ask again. Repeating it is safe."""
    for client in get_application_model().objects.filter(client_id=client_id):
        lock_connection(user_id=by.user.pk if by.user else None, application_id=client.pk)
    for model in (get_grant_model(), get_access_token_model(), get_refresh_token_model()):
        model.objects.filter(user=by.user, application__client_id=client_id).delete()


def disconnect_all(user_id: UUID) -> None:
    """End everything that clients hold of a person, within a transaction: each has to ask again."""
    models = (get_grant_model(), get_access_token_model(), get_refresh_token_model())
    held = set().union(*(model.objects.filter(user=user_id).values_list("application", flat=True) for model in models))
    for application in sorted(one for one in held if one is not None):
        lock_connection(user_id=user_id, application_id=application)
    for model in models:
        model.objects.filter(user=user_id).delete()


def lock_connection(*, user_id: UUID | None, application_id: int | None) -> None:
    """What a client holds of a person changes one step after the other, until the transaction ends."""
    with connection.cursor() as cursor:
        cursor.execute(LOCK_CONNECTION_SQL, [f"oauth {application_id} {user_id}"])


def record_spent_code(code: str, *, token_family: UUID, at: datetime) -> None:
    """Remember what a code gave, in the transaction that gives it."""
    SpentCode.objects.create(digest=_digest(code), token_family=token_family, spent_at=at)


@transaction.atomic
def end_replayed_code(code: str) -> bool:
    """A code that is brought again was stolen: what it gave ends (RFC 6749, 4.1.2). Whether there was any."""
    spent = SpentCode.objects.filter(digest=_digest(code)).first()
    token = spent and get_refresh_token_model().objects.filter(token_family=spent.token_family).first()
    if not token:
        return False
    lock_connection(user_id=token.user_id, application_id=token.application_id)
    get_refresh_token_model().revoke_family(token.token_family)
    record_security_event(SecurityEvent.REPLAYED_CODE, user=token.user_id, client=token.application_id)
    return True


def delete_idle_clients(*, at: datetime) -> int:
    """Drop what has run out, then clients that registered themselves and hold nothing any more."""
    clear_expired()
    living = get_refresh_token_model().objects.filter(revoked__isnull=True).values("token_family")
    SpentCode.objects.filter(spent_at__lt=at - timedelta(days=1)).exclude(token_family__in=living).delete()
    idle = get_application_model().objects.exclude(registration_source="manual")
    idle = idle.filter(accesstoken__isnull=True, refreshtoken__isnull=True, grant__isnull=True)
    return idle.filter(created__lt=at - timedelta(days=IDLE_CLIENT_RETENTION_DAYS)).delete()[0]


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
