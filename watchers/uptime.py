"""Uptime of watchers: their heartbeats by hour, as the strips of the dashboard show them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import groupby
from typing import Any
from uuid import UUID

from django.db import connection
from django.utils.timezone import localtime

from watchers.choices import OFFLINE_AFTER
from watchers.models import Watcher
from watchers.partitions import find_first_full_moment

HOUR = timedelta(hours=1)
# In each hour the stretches as long as a silence must be; a heartbeat a minute fills all twelve, and so does one of a
# thinned day that stands for them.
COUNT_HEARD_STRETCHES_SQL = """
SELECT watcher_id, hour, count(*) FROM (
    SELECT watcher_id, date_bin('1 hour', moment, %(since)s) AS hour,
           date_bin(%(stretch)s, moment, %(since)s) AS stretch
      FROM (
        SELECT watcher_id, received_at AS moment
          FROM watchers_heartbeat WHERE watcher_id = ANY(%(watchers)s) AND received_at >= %(since)s
        UNION ALL
        SELECT watcher_id, generate_series(heard_since, received_at, %(stretch)s)
          FROM watchers_heartbeat WHERE watcher_id = ANY(%(watchers)s) AND received_at >= %(since)s
           AND received_at < %(full_from)s AND heard_since IS NOT NULL
      ) AS signs
     GROUP BY 1, 2, 3
) AS heard GROUP BY 1, 2
"""
FIND_LONGEST_GAP_SQL = """
SELECT ends - gap, ends, gap FROM (
    SELECT COALESCE(heard_since, received_at) AS ends,
           COALESCE(heard_since, received_at) - lag(received_at) OVER (ORDER BY received_at) AS gap
      FROM watchers_heartbeat WHERE watcher_id = %s AND received_at >= %s
) AS gaps WHERE gap IS NOT NULL ORDER BY gap DESC LIMIT 1
"""


@dataclass(frozen=True)
class UptimeStrip:
    """Hour by hour: "" heard throughout, "part", "off" silent, "none" not there or yet to come."""

    begins: datetime
    states: Sequence[str]

    @property
    def hours_heard(self) -> int:
        return sum(state in ("", "part") for state in self.states)

    @property
    def hours_expected(self) -> int:
        """Hours in which it should have been heard."""
        return sum(state != "none" for state in self.states)

    @property
    def summary(self) -> str:
        return f"heard in {self.hours_heard} of {self.hours_expected} hours"

    def days(self) -> Iterator[tuple[date, "UptimeStrip"]]:
        """One strip a day of the current time zone."""
        hours = ((self.begins + HOUR * number, state) for number, state in enumerate(self.states))
        for day, group in groupby(hours, key=lambda hour: localtime(hour[0]).date()):
            found = list(group)
            yield day, UptimeStrip(found[0][0], [state for _, state in found])


@dataclass(frozen=True)
class HeartbeatGap:
    begins: datetime
    ends: datetime

    @property
    def hours(self) -> float:
        return (self.ends - self.begins) / HOUR

    @property
    def minutes(self) -> float:
        return self.hours * 60


def read_uptime(watchers: Sequence[Watcher], *, since: datetime, hours: int, at: datetime) -> dict[UUID, UptimeStrip]:
    """A strip of so many hours for each, in one query."""
    values: dict[str, Any] = {
        "watchers": [watcher.pk for watcher in watchers],
        "since": since,
        "stretch": OFFLINE_AFTER,
        "full_from": find_first_full_moment(at=at),
    }
    with connection.cursor() as cursor:
        cursor.execute(COUNT_HEARD_STRETCHES_SQL, values)
        heard = {(watcher_id, hour): count for watcher_id, hour, count in cursor.fetchall()}
    begins = [since + HOUR * number for number in range(hours)]
    return {
        watcher.pk: UptimeStrip(
            since, [_hour_state(watcher, hour, heard.get((watcher.pk, hour), 0), at=at) for hour in begins]
        )
        for watcher in watchers
    }


def find_longest_gap(watcher_id: UUID, *, since: datetime) -> HeartbeatGap | None:
    """The longest time between two heartbeats; None where none counts as a silence."""
    with connection.cursor() as cursor:
        cursor.execute(FIND_LONGEST_GAP_SQL, [watcher_id, since])
        row = cursor.fetchone()
    return HeartbeatGap(row[0], row[1]) if row and row[2] > OFFLINE_AFTER else None


def _hour_state(watcher: Watcher, hour: datetime, stretches: int, *, at: datetime) -> str:
    begins = max(hour, watcher.created_at)
    ends = min(hour + HOUR, at, watcher.deleted_at or at)
    if not stretches:
        return "off" if ends - begins >= OFFLINE_AFTER else "none"
    return "part" if (stretches + 1) * OFFLINE_AFTER <= ends - begins else ""
