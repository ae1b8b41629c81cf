"""The days of the heartbeat table: made ahead, thinned to one heartbeat an hour when past, dropped when old.

There is no default partition, so a day that is missing would be a failed heartbeat. Days are ensured by `migrate`, at
every start, hourly, and by the heartbeat that meets the gap. The service does not own the table: four functions
(migrations 0005, 0012 and 0022) lend it the owner's right.
"""

from datetime import UTC, date, datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import connection

from watchers.choices import OFFLINE_AFTER

DAYS_AHEAD = 3
DAYS_THINNED_AT_ONCE = 3
LIST_FULL_DAYS_SQL = """
    SELECT day FROM (
        SELECT to_date(right(relname, 8), 'YYYYMMDD') AS day, child.oid AS partition
          FROM pg_inherits JOIN pg_class AS child ON child.oid = inhrelid
         WHERE inhparent = 'public.watchers_heartbeat'::regclass
    ) AS days
     WHERE day < %s AND NOT EXISTS (SELECT FROM pg_constraint
                                     WHERE conrelid = partition AND conname = 'heartbeat_day_is_thinned')
     ORDER BY day LIMIT %s
"""


def ensure_partitions(*, at: datetime) -> int:
    """Today's partition and those of the days to come; how many were missing."""
    return _fetch_value("SELECT public.add_heartbeat_days(%s, %s)", [utc_day_of(at), 1 + DAYS_AHEAD])


def restore_missing_partition(*, at: datetime) -> None:
    """After a row found no day: whether it was missing, or this connection did not see it (migration 0012)."""
    ensure_partitions(at=at)
    _fetch_value("SELECT public.reread_heartbeat_days()", [])


def drop_old_partitions(*, at: datetime) -> int:
    """Drop what is older than settings.HEARTBEAT_DAYS full days; how many partitions that were."""
    return _fetch_value(
        "SELECT public.drop_heartbeat_days(%s)", [utc_day_of(at) - timedelta(days=settings.HEARTBEAT_DAYS)]
    )


def thin_old_partitions(*, at: datetime, most: int = DAYS_THINNED_AT_ONCE) -> int:
    """Leave one heartbeat an hour of the days before settings.HEARTBEAT_FULL_DAYS; how many days that were.

    A silence longer than OFFLINE_AFTER is kept with its ends, so nothing is lost of when a watcher was heard.
    """
    before = utc_day_of(at) - timedelta(days=max(1, settings.HEARTBEAT_FULL_DAYS))
    with connection.cursor() as cursor:
        cursor.execute(LIST_FULL_DAYS_SQL, [before, most])
        days = [day for (day,) in cursor.fetchall()]
    for day in days:
        while not _fetch_value("SELECT public.thin_heartbeat_day(%s, %s)", [day, OFFLINE_AFTER]):
            pass
    return len(days)


def find_first_full_moment(*, at: datetime) -> datetime:
    """No heartbeat that came later was thinned."""
    return datetime.combine(utc_day_of(at), datetime.min.time(), UTC) - timedelta(days=1)


def has_partitions() -> bool:
    """Whether the table of migration 0005 is there."""
    return _fetch_value("SELECT to_regprocedure('public.add_heartbeat_days(date, integer)') IS NOT NULL", [])


def utc_day_of(at: datetime) -> date:
    return at.astimezone(UTC).date()


def _fetch_value(sql: str, parameters: list[Any]) -> Any:
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        return cursor.fetchone()[0]
