"""What a running agent leaves in its journal for `status`, which is another process."""

import os
import time
from contextlib import suppress
from typing import Any

from instrument_watcher.assembly import Parts
from instrument_watcher.journal.database import JournalUnavailable, JournalUnreadable

SNAPSHOT = "snapshot"


def snapshot(parts: Parts) -> dict[str, Any]:
    activity, link = parts.activity, parts.link
    return {
        "pid": os.getpid(),
        "started_at": time.time() - activity.uptime,
        "away_because": None if link.is_up() else link.why,
        "settling": activity.settling,
        "scanned_at": activity.scanned_at,
        "is_folder_away": activity.is_folder_away,
        "folder": activity.folder.value,
        "held_because": link.held_because,
        "paused_until": None if (until := parts.pause.until()) is None else round(until),
        "transfers": [
            {"path": transfer.path, "size": transfer.size, "phase": transfer.phase.value, "done": transfer.done}
            for transfer in activity.transfers()
        ],
        "session": {name: activity.counted(name) for name in ("files", "bytes", "runs", "errors")},
    }


class Publisher:
    """Writes the snapshot when it differs from the last one, so that an idle agent leaves the disk alone."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._last: dict[str, Any] = {}

    def publish(self) -> None:
        current = snapshot(self._parts) | {"started_at": None}
        if current == self._last:
            return
        with suppress(JournalUnavailable, JournalUnreadable):  # the threads that need it say so
            self._parts.journal.facts.set(SNAPSHOT, snapshot(self._parts))
            self._last = current
