"""What was touched after its upload: its bytes tell whether somebody wrote to it, or set its mode, names or times."""

import logging
import time
from pathlib import Path

from instrument_watcher.activity import Activity
from instrument_watcher.journal.journal import Journal
from instrument_watcher.journal.rows import FileRow
from instrument_watcher.uploading.hashing import hash_source
from instrument_watcher.uploading.pacing import Pace
from instrument_watcher.uploading.source import Changed, Vanished, open_source
from instrument_watcher.watching.judging import turn_of_version
from instrument_watcher.watching.scanning import LeadsOut

log = logging.getLogger("instrument_watcher")
BLOCKED_SECONDS = 600.0  # until what cannot be read is tried again


def compare_touched(row: FileRow, *, root: Path, journal: Journal, activity: Activity, pace: Pace) -> None:
    """The service hears of it only where the bytes are others. Raises Stopping."""
    try:
        with open_source(root, row.path, pace=pace) as source:
            source.refuse_changed(row.sighting)
            with activity.transfer(row.id, row.path, row.sighting.size) as transfer:
                digest = hash_source(source, transfer)
            source.refuse_changed(row.sighting)
    except (Vanished, Changed, LeadsOut):
        journal.files.compare_when_seen(row)  # the folder watch says what became of it
        return
    except OSError as error:
        log.info("%s cannot be compared with what was sent: %s", row.path, error.strerror)
        journal.queue.defer(row.id, until=time.monotonic() + BLOCKED_SECONDS)
        return
    if digest.sha256 == row.sha256:
        journal.files.leave_touched(row)
    else:
        log.info("%s was written to after its upload.", row.path)
        journal.files.send_again(row, row.sighting, after=turn_of_version(journal, row.path))
