"""A watcher answers to its own token. When that token is revoked, the next token to call takes the watcher over."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import transaction

from accounts.callers import Caller
from accounts.scopes import Scope
from watchers.fleet import WatcherMissing
from watchers.models import TakeOver, Watcher
from wire.audit_context import audit_context
from wire.clock import format_timestamp
from wire.errors import Conflict, Forbidden, ValidationError
from wire.queries.prepared import prepared_cursor


def due_release_sql(watcher: str) -> str:
    """The release that watchers/update_checks calls due, with its wave_place (a test compares the two)."""
    return f"""SELECT version, min_supported_version FROM watchers_watcherrelease
       WHERE channel = {watcher}.channel AND published_at IS NOT NULL AND withdrawn_at IS NULL
         AND wave_percent > mod(('x' || right({watcher}.id::text, 8))::bit(32)::bigint, 100)
       ORDER BY published_at DESC, id DESC LIMIT 1"""  # noqa: S608  (the alias of a table in our own statements)


# One plain statement, because it runs with every report of an agent: built by the ORM it takes several times as long.
# The bound is that of Watcher.objects.visible_to.
FIND_WATCHER_SQL = f"""
SELECT watcher.id, watcher.instrument_id, watcher.token_id, token.revoked_at, watcher.deleted_at,
       watcher.agent_version, watcher.hostname, watcher.instance_id, release.version, release.min_supported_version
  FROM watchers_watcher AS watcher
  JOIN accounts_token AS token ON token.id = watcher.token_id
  LEFT JOIN LATERAL ({due_release_sql("watcher")}) AS release ON true
 WHERE watcher.id = %(watcher)s
   AND (%(bound)s::text[] IS NULL OR watcher.instrument_id = ANY(%(bound)s))
"""  # noqa: S608  (built of constants)


class NotTheOwningToken(Forbidden):
    def __init__(self) -> None:
        super().__init__("The watcher answers to the token that registered it, until that token is revoked.")


class WatcherDeregistered(Conflict):
    def __init__(self, deleted_at: datetime) -> None:
        super().__init__("The watcher is deregistered; it may register anew.", deleted_at=format_timestamp(deleted_at))


class WatcherNotOfInstrument(ValidationError):
    def __init__(self) -> None:
        super().__init__(fields={"watcher_id": ["This is no active watcher of the instrument."]})


@dataclass(frozen=True)
class OwnWatcher:
    """What the routes that a watcher calls itself need to know of it. It answers to `token_id`, the caller's."""

    id: UUID
    instrument_id: str
    token_id: UUID
    agent_version: str | None
    hostname: str | None
    instance_id: UUID | None
    latest_version: str | None
    min_supported_version: str | None


def find_own_watcher(watcher_id: UUID, *, by: Caller) -> OwnWatcher:
    """The caller's own active watcher. Raises WatcherMissing, NotTheOwningToken, WatcherDeregistered."""
    with prepared_cursor() as cursor:
        cursor.execute(FIND_WATCHER_SQL, {"watcher": watcher_id, "bound": list_bound(by)})
        row = cursor.fetchone()
    if row is None:
        raise WatcherMissing
    found_id, instrument_id, owner_id, owner_revoked_at, deleted_at, *known = row
    heir_id = resolve_owning_token(owner_id, owner_revoked_at, by=by)
    if deleted_at is not None:
        raise WatcherDeregistered(deleted_at)
    if heir_id != owner_id:
        transfer_ownership(found_id, former_id=owner_id, new_owner_id=heir_id)
    return OwnWatcher(found_id, instrument_id, heir_id, *known)


def list_bound(by: Caller) -> list[str] | None:
    """The ids of the instruments that the caller is bound to, as an array of the database; None for all."""
    return None if by.instrument_ids is None else list(by.instrument_ids)


def find_reporting_watcher(watcher_id: UUID | None, *, instrument_id: str, by: Caller) -> Watcher | None:
    """The active watcher in whose name a run is reported, owned by the caller; None where none is named."""
    if watcher_id is None:
        return None
    rows = Watcher.objects.visible_to(by).active().filter(id=watcher_id, instrument_id=instrument_id)
    watcher = rows.select_related("token").first()
    if watcher is None:
        raise WatcherNotOfInstrument
    heir_id = resolve_owning_token(watcher.token_id, watcher.token.revoked_at, by=by)
    if heir_id != watcher.token_id:
        transfer_ownership(watcher.pk, former_id=watcher.token_id, new_owner_id=heir_id)
    return watcher


def resolve_owning_token(owner_id: UUID, owner_revoked_at: datetime | None, *, by: Caller) -> UUID:
    """The caller's token, when the watcher is its own or was that of a revoked one. Raises NotTheOwningToken."""
    if by.token is None:
        raise NotTheOwningToken
    if owner_id != by.token.pk and (owner_revoked_at is None or not by.holds(Scope.WATCHERS_REPORT)):
        raise NotTheOwningToken
    return by.token.pk


@transaction.atomic
def transfer_ownership(watcher_id: UUID, *, former_id: UUID, new_owner_id: UUID) -> None:
    """Let the watcher answer to another token from now on, and record it. Of two heirs at once the first one wins."""
    with audit_context(reason="its former token was revoked"):
        if not Watcher.objects.filter(pk=watcher_id, token_id=former_id).update(token_id=new_owner_id):
            raise NotTheOwningToken
    TakeOver.objects.create(watcher_id=watcher_id, former_token_id=former_id, token_id=new_owner_id)
