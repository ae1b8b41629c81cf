"""Everything worth telling is told once, here: to the log, to the counters and, as an event, to the service."""

import logging
from typing import Any

from instrument_watcher.activity import Activity
from instrument_watcher.journal.journal import Journal
from instrument_watcher.journal.rows import FileRow
from instrument_watcher.logs import DONE
from instrument_watcher.sizes import bytes_text
from instrument_watcher.watching.names import printable

log = logging.getLogger("instrument_watcher")


class Chronicle:
    def __init__(self, journal: Journal, activity: Activity) -> None:
        self._journal, self._activity = journal, activity

    def tell(self, event_type: str, message: str, *, level: int = logging.INFO, **details: Any) -> None:
        """An event for the service, and a line in the log."""
        log.log(level, message)
        self._journal.events.add(event_type, message, **details)

    def error(self, message: str, **details: Any) -> None:
        self._activity.count("errors")
        self.tell("error", message, level=logging.ERROR, **details)

    def run_reported(self, run_id: str, *, files: int) -> None:
        self._activity.count("runs")
        self.tell("run_reported", f"Run {run_id} reported", run_id=run_id, files=files)

    def uploaded(self, row: FileRow, *, sha256: str, seconds: float, sent: int) -> None:
        self._activity.count("files")
        self._activity.count("bytes", sent)
        size = bytes_text(row.sighting.size)
        took = f"{size} in {seconds:.1f} s" if sent else f"{size}, was there already"
        log.log(DONE, "Uploaded %s (%s)", row.path, took)
        self._journal.events.add(
            "file_uploaded", f"Uploaded {row.path}",
            run_id=row.run_id, relative_path=row.path, size_bytes=row.sighting.size, sha256=sha256, bytes_sent=sent,
            seconds=round(seconds, 3),
        )  # fmt: skip

    def upload_failed(self, row: FileRow, message: str, **details: Any) -> None:
        self._activity.count("errors")
        self.tell(
            "upload_failed", f"{printable(row.path)}: {message}", level=logging.WARNING,
            run_id=row.run_id, relative_path=printable(row.path), **details,
        )  # fmt: skip
