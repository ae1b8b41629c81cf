"""Events of watchers: stored in batches that are safe to repeat."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connection
from django.db.models import Count, QuerySet

from accounts import rate_limits as rates
from accounts.callers import Caller
from watchers.choices import ERROR_EVENT_TYPES, EventType
from watchers.fleet import find_watcher
from watchers.models import WatcherEvent
from watchers.ownership import find_own_watcher
from watchers.wanted_config_outcomes import note_refused
from wire.clock import format_timestamp
from wire.errors import ValidationError
from wire.ids import new_id

# In the order of their ids, so that two batches with the same events cannot deadlock on the unique index.
INSERT_EVENTS_SQL = """
INSERT INTO watchers_watcherevent (watcher_id, event_id, event_type, happened_at, message, details, received_at)
SELECT %s, event_id, event_type, happened_at, message, details, %s
  FROM jsonb_to_recordset(%s)
    AS event(event_id uuid, event_type text, happened_at timestamptz, message text, details jsonb)
 ORDER BY event_id
    ON CONFLICT (watcher_id, event_id) DO NOTHING
"""
# An array, so that the choice is made once: a plan may ask `IN (SELECT ... LIMIT)` again for every row, and the limit
# is none then.
DELETE_EVENTS_SQL = """
DELETE FROM watchers_watcherevent WHERE id = ANY (ARRAY(
    SELECT id FROM watchers_watcherevent WHERE received_at < %s ORDER BY received_at LIMIT %s FOR UPDATE SKIP LOCKED
))
"""
EVENTS_PER_DELETE = 5_000
EARLIEST_EVENT = datetime(2000, 1, 1, tzinfo=UTC)
MAX_CLOCK_LEAD = timedelta(days=1)  # of an agent's clock before the server's


@dataclass(frozen=True)
class NewEvent:
    """One item of a batch; `timestamp` is the agent's, `id` its own or None."""

    event_type: EventType
    timestamp: datetime
    message: str
    details: dict[str, Any] | None = None
    id: UUID | None = None


@dataclass(frozen=True)
class StoredBatch:
    """The size of the batch, and how many of it were known."""

    received: int
    duplicates: int


def store_events(watcher_id: UUID, *, events: Sequence[NewEvent], by: Caller, at: datetime) -> StoredBatch:
    """Store a batch; an event whose id this watcher used before is a duplicate.

    Raises ValidationError, RateLimited, and as find_own_watcher does; then nothing is stored.
    """
    refuse_impossible_times(events, at=at)
    watcher = find_own_watcher(watcher_id, by=by)
    rates.count_hit(rates.EVENTS, f"token:{watcher.token_id}", times=len(events))
    ids = _new_sorted_ids(len(events))
    rows = json.dumps([_event_row(event, own_id) for event, own_id in zip(events, ids, strict=True)])
    for event in events:
        if event.event_type == EventType.CONFIG_REFUSED:
            note_refused(watcher.id, details=event.details, message=event.message, at=at)
    with connection.cursor() as cursor:
        cursor.execute(INSERT_EVENTS_SQL, [watcher.id, at, rows])
        return StoredBatch(received=len(events), duplicates=len(events) - cursor.rowcount)


def refuse_impossible_times(events: Sequence[NewEvent], *, at: datetime) -> None:
    """A clock that was never set, or set wrongly, would put events where nobody finds them. Raises ValidationError."""
    latest = at + MAX_CLOCK_LEAD
    text = f"A time from {format_timestamp(EARLIEST_EVENT)} to {format_timestamp(latest)} is needed."
    wrong = [index for index, event in enumerate(events) if not EARLIEST_EVENT <= event.timestamp <= latest]
    if wrong:
        raise ValidationError(fields={f"events.{index}.timestamp": [text] for index in wrong})


def list_events(
    watcher_id: UUID, *, event_type: EventType | None = None, since: datetime | None = None, by: Caller
) -> QuerySet[WatcherEvent]:
    """Newest first, by the events' own clock. Raises WatcherMissing."""
    events = WatcherEvent.objects.filter(watcher=find_watcher(watcher_id, by=by))
    if event_type is not None:
        events = events.filter(event_type=event_type)
    if since is not None:
        events = events.filter(happened_at__gte=since)
    return events.order_by("-happened_at", "-event_id")


def count_errors(watcher_ids: Sequence[UUID], *, since: datetime) -> dict[UUID, int]:
    """How many errors each of these reported; those without any are left out."""
    told = WatcherEvent.objects.filter(
        watcher__in=watcher_ids, event_type__in=ERROR_EVENT_TYPES, happened_at__gte=since
    )
    return dict(told.order_by().values_list("watcher_id").annotate(Count("id")))


def delete_old_events(*, at: datetime, most: int = 500_000) -> int:
    """Delete what was received over settings.EVENT_DAYS ago, in small transactions; at most about `most` at a time."""
    deleted = 0
    while deleted < most:
        batch = _delete_batch(before=at - timedelta(days=settings.EVENT_DAYS))
        deleted += batch
        if batch < EVENTS_PER_DELETE:
            break
    return deleted


def _event_row(event: NewEvent, own_id: UUID) -> dict[str, Any]:
    return {
        "event_id": str(event.id or own_id),
        "event_type": event.event_type,
        "happened_at": event.timestamp.isoformat(),
        "message": event.message,
        "details": event.details,
    }


def _new_sorted_ids(count: int) -> list[UUID]:
    """Ids in rising order, so that events of one moment keep the order of their batch."""
    return sorted(new_id() for _ in range(count))


def _delete_batch(*, before: datetime) -> int:
    with connection.cursor() as cursor:
        cursor.execute(DELETE_EVENTS_SQL, [before, EVENTS_PER_DELETE])
        return cursor.rowcount
