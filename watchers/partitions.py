"""The days of the heartbeat table: made ahead, dropped when old.

There is no default partition, so a day that is missing would be a failed heartbeat. Days are ensured by `migrate`, at
every start, hourly, and by the heartbeat that meets the gap. The service does not own the table: three functions
(migrations 0005 and 0012) lend it the owner's right.
"""

from datetime import UTC, date, datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import connection

DAYS_AHEAD = 3


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


def has_partitions() -> bool:
    """Whether the table of migration 0005 is there."""
    return _fetch_value("SELECT to_regprocedure('public.add_heartbeat_days(date, integer)') IS NOT NULL", [])


def utc_day_of(at: datetime) -> date:
    return at.astimezone(UTC).date()


def _fetch_value(sql: str, parameters: list[Any]) -> Any:
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        return cursor.fetchone()[0]
