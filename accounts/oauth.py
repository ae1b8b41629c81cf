"""AI clients that act for people: what their tokens allow, who connected which, how that ends (contract section 4)."""

import hashlib
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from oauth2_provider.models import (
    clear_expired,
    get_access_token_model,
    get_application_model,
    get_grant_model,
    get_refresh_token_model,
)

from accounts.callers import Caller, Client
from accounts.scopes import Scope

MCP_PATHS = ("/mcp/v1", "/mcp")
IDLE_DAYS = 30
READING = frozenset(scope for scope in Scope if scope.endswith(":read")) | {Scope.READ}
CHANGING = frozenset(Scope) - READING
GRANTS = {Scope.READ: READING, Scope.WRITE: CHANGING}


def resources() -> frozenset[str]:
    """What a token may be issued for: this server's MCP endpoint, under either of its names."""
    return frozenset(settings.PUBLIC_URL + path for path in MCP_PATHS)


def find_oauth_caller(text: str, *, at: datetime) -> Caller | None:
    """The person for whom this access token was issued, and the client that holds it.

    None for what is unknown, expired, of another audience or of none, and when the person may not sign in any more.
    """
    checksum = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
    token = (
        get_access_token_model().objects.select_related("user", "application").filter(token_checksum=checksum).first()
    )
    if token is None or token.expires <= at or not token.user or not token.user.is_active or not token.application:
        return None
    if not token.resource or not resources().issuperset(token.resource):
        return None
    client = Client(id=token.application.client_id, name=token.application.name or token.application.client_id)
    return Caller(user=token.user, scopes=granted(token.scope.split()), client=client)


def granted(scopes: list[str]) -> frozenset[Scope]:
    """What a client may do: `read` opens every reading scope, `write` every other one that its person may use."""
    return frozenset().union(*(GRANTS.get(Scope(scope), frozenset()) for scope in scopes if scope in set(Scope)))


@dataclass(frozen=True)
class Connection:
    """A client that acts for somebody."""

    client_id: str
    name: str
    scopes: list[str]
    since: datetime
    last_used_at: datetime


def list_connections(*, by: Caller) -> list[Connection]:
    """The clients that hold a living token of this person, by name."""
    tokens = get_refresh_token_model().objects.filter(user=by.user, revoked__isnull=True, access_token__isnull=False)
    living = tokens.select_related("application", "access_token").order_by("application__name", "created")
    found: dict[str, Connection] = {}
    for token in living:
        client = token.application
        known = found.get(client.client_id)
        scopes = sorted({*token.access_token.scope.split(), *(known.scopes if known else [])})
        since = known.since if known else client.created
        found[client.client_id] = Connection(
            client.client_id, client.name or client.client_id, scopes, since, token.created
        )
    return list(found.values())


@transaction.atomic
def disconnect_client(client_id: str, *, by: Caller) -> None:
    """End everything that a client holds of this person. It has to ask again. Repeating it is safe."""
    for model in (get_grant_model(), get_access_token_model(), get_refresh_token_model()):
        model.objects.filter(user=by.user, application__client_id=client_id).delete()


def forget_idle_clients(*, at: datetime) -> int:
    """Drop what has run out, then clients that registered themselves and hold nothing any more."""
    clear_expired()
    idle = get_application_model().objects.exclude(registration_source="manual")
    idle = idle.filter(accesstoken__isnull=True, refreshtoken__isnull=True, grant__isnull=True)
    return idle.filter(created__lt=at - timedelta(days=IDLE_DAYS)).delete()[0]
