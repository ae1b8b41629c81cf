"""What `./ids manage doctor` looks at: whether this installation is as safe as it can be, and what to do where not.

What it asks of the machine and of upkeep is in `upkeep`.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence

from django.conf import settings
from django.db import DatabaseError, connection
from redis import Redis
from redis.exceptions import RedisError, ResponseError

from files.storage import object_store
from files.storage.interface import StoreUnavailable
from files.storage.semantics import StoreUnsuitable
from operations.cold_storage import check_cold_store
from operations.findings import Finding, first_line
from operations.pooling import Pooling, find_pooling
from operations.proxy_reading import check_proxy_reading
from operations.upkeep import (
    check_backup,
    check_clock,
    check_disk,
    check_memory,
    check_migrations,
    check_sweep,
    check_versions,
)
from processing.confined.reader_walls import find_missing_walls
from processing.confined.walls.raising import WALLS
from wire.settings.database import TRANSACTION

CACHE_TIMEOUT_SECONDS = 5.0
SUPERUSER_SQL = "SELECT current_user, rolsuper FROM pg_roles WHERE rolname = current_user"


Check = Callable[[], Iterable[Finding]]


def check_reader_walls() -> Iterator[Finding]:
    """A wall around the processes that read files keeps hostile ones from what is named."""
    missing = find_missing_walls()
    for wall in WALLS:
        subject = f"reader wall: {wall.name}"
        if wall.name not in missing:
            yield Finding(subject, "stands")
        else:
            yield Finding(subject, f"missing ({missing[wall.name]})", f"{wall.remedy} [keeps from {wall.keeps_from}]")


def check_database_role() -> Iterator[Finding]:
    """Whoever takes the service over has no more of PostgreSQL than the service."""
    try:
        with connection.cursor() as cursor:
            cursor.execute(SUPERUSER_SQL)
            role, is_superuser = cursor.fetchone()
    except DatabaseError as error:
        yield Finding("database role", f"unknown ({first_line(error)})", "let the service reach its database")
        return
    if is_superuser:
        yield Finding("database role", f"{role} is a superuser", f"ALTER ROLE {role} NOSUPERUSER, or deploy/roles.sql")
    else:
        yield Finding("database role", f"{role}, no superuser")


def check_pooler() -> Iterator[Finding]:
    """Behind a pooler that shares connections by transaction, the service must know; it cannot keep anything there."""
    subject, declared = "database pooler", settings.DATABASE_POOLING == TRANSACTION
    try:
        seen = find_pooling()
    except DatabaseError as error:
        yield Finding(subject, f"unknown ({first_line(error)})", "let the service reach its database")
        return
    if seen is Pooling.BY_TRANSACTION and not declared:
        yield Finding(subject, "shares connections by transaction", "set DATABASE_POOLING=transaction for the service")
    elif seen is None:
        yield Finding(subject, "none" + ", though DATABASE_POOLING says so" * declared)
    else:
        yield Finding(subject, f"{seen}, DATABASE_POOLING={settings.DATABASE_POOLING}")


def check_queue_commands() -> Iterator[Finding]:
    """Whoever takes the service over cannot have Redis or Valkey write files or load modules."""
    if not settings.REDIS_URL:
        yield Finding("queue commands", "no queue is used")
        return
    try:
        with Redis.from_url(settings.REDIS_URL, socket_timeout=CACHE_TIMEOUT_SECONDS) as queue:
            queue.config_get("dir")
    except ResponseError:
        yield Finding("queue commands", "limited")
    except RedisError as error:
        yield Finding("queue commands", f"unknown ({first_line(error)})", "let the service reach its queue")
    else:
        remedy = (
            "give the service an account of its own without the commands of @admin and @dangerous (docs/security.md)"
        )
        yield Finding("queue commands", "CONFIG is allowed", remedy)


def check_object_store() -> Iterator[Finding]:
    """What the store does not check, the service does in its place, or refuses the store."""
    subject = "object store"
    try:
        semantics = object_store().probe()
    except StoreUnsuitable as fault:
        yield Finding(subject, "unsuitable", fault.message)
        return
    except StoreUnavailable as problem:
        yield Finding(subject, f"unknown ({problem.message})", "let the service reach its store")
        return
    if semantics.verifies_checksums:
        yield Finding(subject, "compares checksums")
    else:
        remedy = "each upload is read back once: a store that compares x-amz-checksum-crc32 saves that"
        yield Finding(subject, "compares no checksums", remedy)
    if not semantics.lists_in_order:
        yield Finding(f"{subject}: listing", "in no order", "reconcile cannot compare it: use another store")


def check_provider_groups() -> Iterator[Finding]:
    """Groups that no claim is read for make nobody an admin, without a word at any sign-in."""
    subject = "identity provider: groups"
    if settings.OIDC_ADMIN_GROUPS and not settings.OIDC_GROUPS_CLAIM:
        remedy = "name the claim that holds the groups: OIDC_GROUPS_CLAIM=groups"
        yield Finding(subject, "OIDC_ADMIN_GROUPS without OIDC_GROUPS_CLAIM makes nobody an admin", remedy)
    elif settings.OIDC_ADMIN_GROUPS:
        yield Finding(subject, f"admins are those of {', '.join(settings.OIDC_ADMIN_GROUPS)}")


CHECKS: Sequence[Check] = (
    *(check_object_store, check_database_role, check_migrations, check_pooler, check_queue_commands),
    check_provider_groups,
    check_proxy_reading,
    check_cold_store,
    *(check_clock, check_reader_walls, check_sweep, check_backup, check_disk, check_memory, check_versions),
)


def examine(checks: Iterable[Check] = CHECKS) -> list[Finding]:
    return [finding for check in checks for finding in check()]
