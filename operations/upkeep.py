"""What `./ids manage doctor` asks of the machine, the clocks, and what should have been done lately."""

import platform
import shutil
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.db import DatabaseError, connection
from redis import Redis
from redis.exceptions import RedisError

from files.models import SweepPosition
from operations.embedded.memory import NEEDED_MIB, is_small, read_memory_mib
from operations.findings import Finding, build_unknown
from overview.backups import find_last_backup, is_overdue
from wire.clock import now
from wire.migrations import list_pending_migrations

MAX_CLOCK_SKEW_SECONDS = 2.0
SWEEP_LATE_AFTER = timedelta(hours=13)  # it begins every six
MIN_FREE_SHARE = 0.1
OLDEST_POSTGRES, OLDEST_REDIS = 15, 6
QUEUE_TIMEOUT_SECONDS = 5.0


def check_migrations() -> Iterator[Finding]:
    try:
        pending = list_pending_migrations()
    except DatabaseError as error:
        yield build_unknown("migrations", error)
        return
    if pending:
        yield Finding("migrations", f"{len(pending)} missing, first {pending[0]}", "./ids manage prepare, as the owner")
    else:
        yield Finding("migrations", "all applied")


def check_clock() -> Iterator[Finding]:
    """Heartbeats, leases and links are judged by the clock of whichever machine looks.

    Half of what the answer took may lie on one side of it: only what is beyond that is the clocks'.
    """
    try:
        with connection.cursor() as cursor:
            before = now()
            cursor.execute("SELECT clock_timestamp()")
            theirs: datetime = cursor.fetchone()[0]
        half = (now() - before) / 2
        skew = (theirs - (before + half)).total_seconds()
        apart = max(0.0, abs(skew) - half.total_seconds())
    except DatabaseError as error:
        yield build_unknown("clock", error)
        return
    state = f"{apart:.1f} s {'behind' if skew > 0 else 'ahead of'} the database's"
    yield Finding("clock", state, "let NTP set both clocks" if apart > MAX_CLOCK_SKEW_SECONDS else "")


def check_sweep() -> Iterator[Finding]:
    """A scheduler and a worker that are at work leave this trace at least."""
    try:
        swept = SweepPosition.objects.first()
    except DatabaseError as error:
        yield build_unknown("sweep of the store", error)
        return
    if swept is None:
        yield Finding("sweep of the store", "never yet: it begins six hours after the scheduler")
    else:
        late = now() - swept.looked_at > SWEEP_LATE_AFTER
        remedy = "look whether scheduler and worker run, and into the worker's log" if late else ""
        yield Finding("sweep of the store", f"{format_age(now() - swept.looked_at)} ago", remedy)


def check_backup() -> Iterator[Finding]:
    try:
        last = find_last_backup()
    except DatabaseError as error:
        yield build_unknown("backup", error)
        return
    remedy = "./ids manage backup DIR, every night (docs/backup.md)" if is_overdue(last, at=now()) else ""
    if last is None:
        yield Finding("backup", "never made", remedy)
    else:
        state = f"{last.name}, {format_age(now() - last.made_at)} ago"
        yield Finding("backup", state + ", of the database alone" * (not last.has_objects), remedy)


def check_disk() -> Iterator[Finding]:
    """Writes end where the room does. Places that lie on one disk are one line."""
    places = {place.stat().st_dev: place for place in (Path(settings.METRICS_DIR), settings.IDS_DATA) if place.exists()}
    for place in places.values():
        room = shutil.disk_usage(place)
        remedy = "make room: below 5 % free writes are refused" if room.free / room.total < MIN_FREE_SHARE else ""
        yield Finding(f"disk of {place}", f"{room.free / room.total:.0%} free ({room.free / 2**30:.1f} GiB)", remedy)


def check_memory() -> Iterator[Finding]:
    found = read_memory_mib()
    state = f"{found:,} MiB" + ", small mode" * is_small()
    remedy = "give it 1 GB at least: below, processes are killed" if found < NEEDED_MIB else ""
    yield Finding("memory", state, remedy)


def check_versions() -> Iterator[Finding]:
    yield Finding("version: service", f"{settings.VERSION}, Python {platform.python_version()}")
    try:
        connection.ensure_connection()
        found = connection.pg_version // 10_000  # type: ignore[attr-defined]  # PostgreSQL's alone
    except DatabaseError as error:
        yield build_unknown("version: database", error)
    else:
        remedy = f"PostgreSQL {OLDEST_POSTGRES} or newer is needed" if found < OLDEST_POSTGRES else ""
        yield Finding("version: database", f"PostgreSQL {found}", remedy)
    yield from _check_queue_version()


def _check_queue_version() -> Iterator[Finding]:
    if not settings.REDIS_URL:
        return
    try:
        with Redis.from_url(settings.REDIS_URL, socket_timeout=QUEUE_TIMEOUT_SECONDS) as queue:
            told = queue.info("server")
    except RedisError as error:
        yield build_unknown("version: queue", error, part="queue")
        return
    name, version = ("Valkey", told["valkey_version"]) if "valkey_version" in told else ("Redis", told["redis_version"])
    remedy = f"Redis {OLDEST_REDIS} or newer is needed" if int(str(version).split(".")[0]) < OLDEST_REDIS else ""
    yield Finding("version: queue", f"{name} {version}", remedy)


def format_age(age: timedelta) -> str:
    hours = age / timedelta(hours=1)
    return f"{hours / 24:.0f} days" if hours >= 48 else f"{hours:.0f} hours" if hours >= 2 else f"{hours * 60:.0f} min"
