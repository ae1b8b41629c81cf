"""P14 and P15: what instruments write by the thousand, against the fastest that PostgreSQL offers."""

import json
import os
from collections.abc import Iterator
from datetime import UTC, datetime

from django.conf import settings

from config.bench.history import History
from config.bench.laboratory import Laboratory
from config.bench.measuring import Line, compared, medians, timed
from watchers.events import STORE
from wire.ids import new_id

EVENTS, BEATS = 500, 2_880_000  # of 2,000 watchers, each a minute
MOMENT = datetime(2001, 1, 1, tzinfo=UTC)
COPY = """
    COPY watchers_watcherevent (watcher_id, event_id, event_type, happened_at, message, details, received_at) FROM STDIN
"""
ADD_BEATS = """
    INSERT INTO watchers_heartbeat (received_at, watcher_id, status, queue_depth)
    SELECT day + (n - 1) * interval '0.03 seconds', gen_random_uuid(), 'watching', n %% 9
      FROM generate_series(1, %s) AS n, (VALUES (timestamptz '2001-01-01 00:00+00'),
                                                (timestamptz '2001-01-02 00:00+00')) AS days (day)
"""

FILES = """
    SELECT pg_relation_filepath(kind.oid) FROM pg_partition_tree('watchers_heartbeat') AS part, pg_class AS kind
     WHERE isleaf AND (kind.oid = relid OR kind.oid IN (SELECT indexrelid FROM pg_index WHERE indrelid = relid))
"""


def events(lab: Laboratory, history: History) -> Iterator[Line]:
    """One batch of 500 as the service stores it, and the same rows by COPY, which cannot skip duplicates."""
    stored, copied = medians(lambda: _store(lab), lambda: _copy(lab))
    lab.bare.execute("DELETE FROM watchers_watcherevent WHERE watcher_id = %s", [lab.watcher.pk])
    yield compared("P14", f"{EVENTS} events stored; COPY", stored, copied, at_most=1.5)


def old_heartbeats(lab: Laboratory, history: History) -> Iterator[Line]:
    """One day of heartbeats dropped as retention does it, and another deleted; neither was written just now."""
    lab.bare.execute("SELECT public.add_heartbeat_days('2001-01-01', 2)")
    for partition in ("20010101", "20010102"):  # else a vacuum of the new rows holds them when they are dropped
        lab.bare.execute(f"ALTER TABLE watchers_heartbeat_{partition} SET (autovacuum_enabled = off)")
    lab.bare.execute(ADD_BEATS, [BEATS])
    _leave_the_cache(lab)
    dropped = timed(lambda: lab.bare.execute("SELECT public.drop_heartbeat_days('2001-01-02')"))
    deleted = timed(lambda: lab.bare.execute("DELETE FROM watchers_heartbeat WHERE received_at < '2001-01-03'"))
    lab.bare.execute("SELECT public.drop_heartbeat_days('2001-01-03')")
    yield compared("P15", f"a day of {BEATS:,} heartbeats dropped; DELETE", dropped, deleted, at_most=0.1)


def _leave_the_cache(lab: Laboratory) -> None:
    """Two weeks later the file cache holds other things; of a database elsewhere we cannot say."""
    for (path,) in lab.bare.execute(FILES).fetchall():
        file = settings.IDS_DATA / "postgres" / str(path)
        if file.exists():
            with file.open("rb") as data:
                os.fsync(data.fileno())
                os.posix_fadvise(data.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def _rows() -> list[tuple[str, str]]:
    return [(str(new_id()), f"file {number} uploaded") for number in range(EVENTS)]


def _store(lab: Laboratory) -> None:
    about = {"event_type": "file_uploaded", "happened_at": MOMENT.isoformat(), "details": {"bytes": 12_345}}
    batch = [{"event_id": event, "message": message} | about for event, message in _rows()]
    lab.bare.execute(STORE, [lab.watcher.pk, MOMENT, json.dumps(batch)])


def _copy(lab: Laboratory) -> None:
    details = json.dumps({"bytes": 12_345})
    with lab.bare.cursor() as cursor, cursor.copy(COPY) as copy:
        for event, message in _rows():
            copy.write_row((lab.watcher.pk, event, "file_uploaded", MOMENT, message, details, MOMENT))
