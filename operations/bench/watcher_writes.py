"""P14 and P15: what instruments write by the thousand, against the fastest that PostgreSQL offers."""

import json
import os
from collections.abc import Iterator
from datetime import UTC, datetime

from django.conf import settings

from operations.bench.history import History
from operations.bench.laboratory import Laboratory
from operations.bench.measuring import ResultLine, build_ratio_line, measure_medians, measure_once
from watchers.events import INSERT_EVENTS_SQL
from wire.ids import new_id

EVENT_COUNT, HEARTBEAT_COUNT = 500, 2_880_000  # of 2,000 watchers, each a minute
EVENT_TIME = datetime(2001, 1, 1, tzinfo=UTC)
COPY_EVENTS = """
    COPY watchers_watcherevent (watcher_id, event_id, event_type, happened_at, message, details, received_at) FROM STDIN
"""
ADD_HEARTBEATS = """
    INSERT INTO watchers_heartbeat (received_at, watcher_id, status, queue_depth)
    SELECT day + (n - 1) * interval '0.03 seconds', gen_random_uuid(), 'watching', n %% 9
      FROM generate_series(1, %s) AS n, (VALUES (timestamptz '2001-01-01 00:00+00'),
                                                (timestamptz '2001-01-02 00:00+00')) AS days (day)
"""

PARTITION_FILES = """
    SELECT pg_relation_filepath(kind.oid) FROM pg_partition_tree('watchers_heartbeat') AS part, pg_class AS kind
     WHERE isleaf AND (kind.oid = relid OR kind.oid IN (SELECT indexrelid FROM pg_index WHERE indrelid = relid))
"""


def measure_events(lab: Laboratory, history: History) -> Iterator[ResultLine]:
    """One batch of 500 as the service stores it, and the same rows by COPY, which cannot skip duplicates."""
    stored, copied = measure_medians(lambda: _store_events(lab), lambda: _copy_events(lab))
    lab.raw_connection.execute("DELETE FROM watchers_watcherevent WHERE watcher_id = %s", [lab.watcher.pk])
    yield build_ratio_line("P14", f"{EVENT_COUNT} events stored; COPY", stored, copied, at_most=1.5)


def measure_heartbeat_removal(lab: Laboratory, history: History) -> Iterator[ResultLine]:
    """One day of heartbeats dropped as retention does it, and another deleted; neither was written just now."""
    lab.raw_connection.execute("SELECT public.add_heartbeat_days('2001-01-01', 2)")
    for partition in ("20010101", "20010102"):  # else a vacuum of the new rows holds them when they are dropped
        lab.raw_connection.execute(f"ALTER TABLE watchers_heartbeat_{partition} SET (autovacuum_enabled = off)")
    lab.raw_connection.execute(ADD_HEARTBEATS, [HEARTBEAT_COUNT])
    _evict_from_page_cache(lab)
    dropped = measure_once(lambda: lab.raw_connection.execute("SELECT public.drop_heartbeat_days('2001-01-02')"))
    deleted = measure_once(
        lambda: lab.raw_connection.execute("DELETE FROM watchers_heartbeat WHERE received_at < '2001-01-03'")
    )
    lab.raw_connection.execute("SELECT public.drop_heartbeat_days('2001-01-03')")
    yield build_ratio_line(
        "P15", f"a day of {HEARTBEAT_COUNT:,} heartbeats dropped; DELETE", dropped, deleted, at_most=0.1
    )


def _evict_from_page_cache(lab: Laboratory) -> None:
    """Two weeks later the file cache holds other things; of a database elsewhere we cannot say."""
    for (path,) in lab.raw_connection.execute(PARTITION_FILES).fetchall():
        file = settings.IDS_DATA / "postgres" / str(path)
        if file.exists():
            with file.open("rb") as data:
                os.fsync(data.fileno())
                os.posix_fadvise(data.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def _build_events() -> list[tuple[str, str]]:
    return [(str(new_id()), f"file {number} uploaded") for number in range(EVENT_COUNT)]


def _store_events(lab: Laboratory) -> None:
    about = {"event_type": "file_uploaded", "happened_at": EVENT_TIME.isoformat(), "details": {"bytes": 12_345}}
    batch = [{"event_id": event, "message": message} | about for event, message in _build_events()]
    lab.raw_connection.execute(INSERT_EVENTS_SQL, [lab.watcher.pk, EVENT_TIME, json.dumps(batch)])


def _copy_events(lab: Laboratory) -> None:
    details = json.dumps({"bytes": 12_345})
    with lab.raw_connection.cursor() as cursor, cursor.copy(COPY_EVENTS) as copy:
        for event, message in _build_events():
            copy.write_row((lab.watcher.pk, event, "file_uploaded", EVENT_TIME, message, details, EVENT_TIME))
