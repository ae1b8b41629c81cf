"""Gathering what waits for a digest: once a day for each person, at seven in the morning where they are."""

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any

from django.db import connection
from django.db.models import QuerySet

from jobs.task_queue import enqueue_on_commit
from notifications.models import EmailDelivery
from wire.time_zones import find_time_zone

HOUR = time(7)
TASK = "notifications.deliver_digest"

# A digest for each person of whom something waits since before the hour, and that in it. Of two sweeps at once, and
# on the same day again, the constraint lets one have it: what came too late for it goes with the next.
GATHER_SQL = """
    WITH zone AS (
    SELECT * FROM unnest(%(zones)s::text[], %(days)s::date[], %(hours)s::timestamptz[]) AS zone (name, day, hour)
    ), waiting AS MATERIALIZED (
    SELECT mail.id, told.recipient_id, zone.day
    FROM notifications_emaildelivery mail
    JOIN notifications_notification told ON told.id = mail.notification_id
    JOIN accounts_user person ON person.id = told.recipient_id
    JOIN zone ON zone.name = person.time_zone AND told.created_at < zone.hour
    WHERE mail.is_daily AND mail.digest_id IS NULL AND mail.sent_at IS NULL AND mail.refused_at IS NULL
    ), made AS (
    INSERT INTO notifications_digest (user_id, day, created_at, attempts, error_message)
    SELECT DISTINCT recipient_id, day, %(at)s::timestamptz, 0, '' FROM waiting ORDER BY recipient_id
    ON CONFLICT DO NOTHING
    RETURNING id, user_id
    ), gathered AS (
    UPDATE notifications_emaildelivery mail SET digest_id = made.id
    FROM waiting JOIN made ON made.user_id = waiting.recipient_id
    WHERE mail.id = waiting.id
    )
    SELECT count(*) FROM made
"""


@dataclass(frozen=True)
class DigestDay:
    """The last day of a zone on which the hour has come, and when it came."""

    day: date
    hour: datetime


def gather_digests(*, at: datetime) -> int:
    """Make the digests that are due and have them sent; how many they are."""
    zones = list_zones_with_waiting()
    days = [find_digest_day(zone, at=at) for zone in zones]
    values: dict[str, Any] = {
        "zones": zones,
        "days": [one.day for one in days],
        "hours": [one.hour for one in days],
        "at": at,
    }
    with connection.cursor() as cursor:
        cursor.execute(GATHER_SQL, values)
        (count,) = cursor.fetchone()
    enqueue_on_commit(TASK, times=count)
    return int(count)


def has_waiting_digests() -> bool:
    """Whether anything waits for a digest, due or not."""
    return select_waiting().exists()


def list_zones_with_waiting() -> list[str]:
    """As people chose them; empty is the service's own."""
    return list(select_waiting().values_list("notification__recipient__time_zone", flat=True).order_by().distinct())


def select_waiting() -> QuerySet[EmailDelivery]:
    return EmailDelivery.objects.filter(
        is_daily=True, digest__isnull=True, sent_at__isnull=True, refused_at__isnull=True
    )


def find_digest_day(zone: str, *, at: datetime) -> DigestDay:
    local = at.astimezone(find_time_zone(zone))
    day = (local.replace(tzinfo=None) - timedelta(hours=HOUR.hour)).date()
    return DigestDay(day, datetime.combine(day, HOUR, tzinfo=local.tzinfo))
