"""What the demonstration's watchers told: heartbeats over two weeks, events, a configuration; and releases."""

import hashlib
import json
import random
from datetime import datetime, timedelta
from typing import Any

from django.db import connection

from instruments.models import Instrument
from watchers.choices import EventType
from watchers.models import Watcher, WatcherEvent, WatcherRelease
from watchers.partitions import utc_day_of
from wire.ids import new_id

HISTORY_DAYS = 13
# Every four minutes back from the last, which is as good as every minute to whoever looks for silences of five.
ADD_HEARTBEATS = """
INSERT INTO watchers_heartbeat (received_at, watcher_id, status, upload_mode, agent_version, queue_depth)
SELECT heard, id, 'watching', upload_mode, agent_version, 0
  FROM watchers_watcher, generate_series(last_heartbeat_at, %(since)s::timestamptz, '-4 minutes') AS heard
 WHERE id = %(watcher)s AND NOT heard <@ ANY(%(silences)s::tstzrange[])
"""
CONFIG_TEMPLATE = """\
# The watcher of one instrument. After a change: instrument-watcher config validate

server: "https://lab-data.example"
instrument_id: "{instrument}"
watcher_id: "{watcher}"

# Where the instrument writes, and which of its files are data.
watch_directory: {folder}
file_patterns: {patterns}

# Which files make up a run.
run_grouping:
  by: top_folder

# auto: upload everything; manual: report it, and upload what people ask for.
upload_mode: {mode}

# A file is complete when its size and time did not change for so long.
stability_seconds: 30
"""
DEMO_EVENTS = (
    (3, EventType.RUN_REPORTED, "Run reported with 7 files", {"files": 7}),
    (9, EventType.FILE_UPLOADED, "lyso_t030_rep2.jdx, 214 KB in 0.4 s", None),
    (12, EventType.FILE_UPLOADED, "lyso_t030_rep1.jdx, 214 KB in 0.3 s", None),
    (
        14,
        EventType.UPLOAD_FAILED,
        "lyso_t015_rep1.jdx: the connection was reset, trying again in 30 s",
        {"attempt": 1, "path": r"Kinetics and scans, bench 3\lyso_t015_rep1.jdx"},
    ),
    (16, EventType.FILE_UPLOADED, "lyso_t000_rep1.jdx, 214 KB in 0.3 s", None),
    (65, EventType.RUN_REPORTED, "Run reported with 9 files", {"files": 9}),
    (66, EventType.CONFIG_SYNCED, "Configuration sent to the service", None),
    (190, EventType.UPDATE_SUCCEEDED, "Updated from 0.0.9 to 0.1.0", {"from": "0.0.9", "to": "0.1.0"}),
    (191, EventType.UPDATE_STARTED, "Update to 0.1.0 begins, nothing is measuring", None),
    (1_500, EventType.WATCHER_STARTED, "Started with the computer", {"uptime_seconds": 4}),
    (1_520, EventType.ERROR, "The folder could not be read for 12 minutes: the network drive was away", None),
)


def make_watcher_history(instruments: dict[str, Instrument], *, at: datetime) -> None:
    """Of every watcher that is there."""
    _ensure_days(at=at)
    chance = random.Random(11)
    for watcher in Watcher.objects.active().order_by("instrument_id"):
        _add_heartbeats(watcher, chance=chance, at=at)
        _add_config(watcher, at=at)
        _add_events(watcher, few=watcher.instrument_id != "cary-60-uvvis-bench-3", at=at)
    Watcher.objects.filter(instrument=instruments["quantstudio-7-a"]).update(agent_version="0.0.9")
    for version, days in (("0.0.9", 120), ("0.1.0", 20)):
        WatcherRelease.objects.create(
            version=version, notes="Uploads go on where they stopped.", published_at=at - timedelta(days=days)
        )
    WatcherRelease.objects.create(version="0.2.0b1", channel="beta", notes="Watches network drives without polling.")


def _ensure_days(*, at: datetime) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT public.add_heartbeat_days(%s, %s)",
            [utc_day_of(at) - timedelta(days=HISTORY_DAYS), HISTORY_DAYS + 2],
        )


def _add_heartbeats(watcher: Watcher, *, chance: random.Random, at: datetime) -> None:
    silences = []
    for _ in range(chance.choice([0, 1, 1, 2])):
        begins = at - timedelta(hours=chance.uniform(20, 24 * HISTORY_DAYS))
        silences.append(f"[{begins.isoformat()},{(begins + timedelta(hours=chance.uniform(0.3, 9))).isoformat()}]")
    values: dict[str, Any] = {"watcher": watcher.pk, "since": at - timedelta(days=HISTORY_DAYS), "silences": silences}
    with connection.cursor() as cursor:
        cursor.execute(ADD_HEARTBEATS, values)


def _add_config(watcher: Watcher, *, at: datetime) -> None:
    text = CONFIG_TEMPLATE.format(
        instrument=watcher.instrument_id,
        watcher=watcher.pk,
        folder=json.dumps(watcher.watch_directory),
        patterns=json.dumps(watcher.file_patterns or ["*"]),
        mode=watcher.upload_mode,
    )
    watcher.config_yaml = text
    watcher.config_checksum = hashlib.sha256(text.encode()).hexdigest()
    watcher.config_updated_at = at - timedelta(minutes=66)
    watcher.save(update_fields=["config_yaml", "config_checksum", "config_updated_at"])


def _add_events(watcher: Watcher, *, few: bool, at: datetime) -> None:
    told = DEMO_EVENTS[-2:] if few else DEMO_EVENTS
    WatcherEvent.objects.bulk_create(
        WatcherEvent(
            watcher=watcher,
            event_id=new_id(),
            event_type=kind,
            happened_at=at - timedelta(minutes=minutes),
            message=message,
            details=details,
            received_at=at - timedelta(minutes=minutes),
        )
        for minutes, kind, message, details in told
    )
