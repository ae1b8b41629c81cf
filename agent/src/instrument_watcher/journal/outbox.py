"""Events that wait for the service. Bounded: the oldest are dropped, and the drop itself is reported."""

import json
import uuid
from dataclasses import dataclass
from typing import Any

from instrument_watcher.clock import stamp, utc_now
from instrument_watcher.journal.database import Database
from instrument_watcher.journal.facts import Facts

BATCH_EVENTS = 500
BATCH_BYTES = 1_000_000  # the service takes 2 MiB
MESSAGE_LENGTH = 2_000
DROPPED = "dropped_events"


@dataclass(frozen=True)
class Event:
    seq: int
    id: str
    event_type: str
    timestamp: str
    message: str
    details: dict[str, Any]

    def wire(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "event_type": self.event_type,
            "timestamp": self.timestamp,
            "message": self.message,
            "details": self.details,
        }


class Outbox:
    def __init__(self, database: Database, facts: Facts) -> None:
        self._db, self._facts = database, facts
        self.kept = 10_000

    def add(self, event_type: str, message: str, **details: Any) -> None:
        with self._db.transaction():
            self._make_room()
            self._insert(event_type, message, details)

    def batch(self) -> list[Event]:
        """The oldest events that fit one request; before them, once, how many had to be dropped."""
        self._report_drop()
        events: list[Event] = []
        size = 0
        for row in self._db.rows("SELECT * FROM events ORDER BY seq LIMIT ?", BATCH_EVENTS):
            size += len(row["message"]) * 4 + len(row["details"]) + 300
            if events and size > BATCH_BYTES:
                break
            details = json.loads(row["details"])
            events.append(Event(row["seq"], row["id"], row["event_type"], row["timestamp"], row["message"], details))
        return events

    def remove(self, events: list[Event]) -> None:
        self._db.write_many("DELETE FROM events WHERE seq = ?", [(event.seq,) for event in events])

    def __len__(self) -> int:
        row = self._db.row("SELECT count(*) FROM events")
        return 0 if row is None else int(row[0])

    def _insert(self, event_type: str, message: str, details: dict[str, Any]) -> None:
        self._db.write(
            "INSERT INTO events (id, event_type, timestamp, message, details) VALUES (?, ?, ?, ?, ?)",
            str(uuid.uuid4()), event_type, stamp(utc_now()), message[:MESSAGE_LENGTH], json.dumps(details),
        )  # fmt: skip

    def _make_room(self) -> None:
        """At the bound a tenth goes at once, so that dropping is rare."""
        if len(self) < self.kept:
            return
        oldest = self._db.rows("SELECT seq, timestamp FROM events ORDER BY seq LIMIT ?", max(1, self.kept // 10))
        before = self._facts.get(DROPPED) or {"count": 0, "first": oldest[0]["timestamp"]}
        dropped = before | {"count": before["count"] + len(oldest), "last": oldest[-1]["timestamp"]}
        self._db.write("DELETE FROM events WHERE seq <= ?", oldest[-1]["seq"])
        self._facts.set(DROPPED, dropped)

    def _report_drop(self) -> None:
        with self._db.transaction():
            dropped = self._facts.get(DROPPED)
            if dropped:
                self._facts.forget(DROPPED)
                self._insert("error", f"{dropped['count']} events were dropped while the service was away.", dropped)
