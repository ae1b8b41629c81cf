"""The agent in a hurry: as operators run it, but for waits that would only make the tests long."""

import os
import signal
import threading
import time
from pathlib import Path

from instrument_watcher import duties
from instrument_watcher.cli import upload
from instrument_watcher.cli.main import main
from instrument_watcher.journal import database
from instrument_watcher.service import link
from instrument_watcher.uploading import uploader
from instrument_watcher.watching import folder

database.BUSY_SECONDS, database.RETRY_SECONDS = 1.0, 0.5
duties.REPORT_EVERY = duties.CONFIG_EVERY = 0.5
duties.FIRST_UPDATE_WITHIN = 2.0
folder.AWAY_SECONDS = 1
link.LONGEST_WAIT = 2.0
link.HELD_WAIT = 2.0
uploader.FIRST_WAIT = 0.5
uploader.DEFER_SECONDS = 1.0
upload.WAIT_SECONDS = 0.2

END_FILE = "IDS_TESTS_END_FILE"  # where there is no console, nobody can send a Ctrl-Break: this file stands for it


def break_at(place: Path) -> None:
    while not place.exists():
        time.sleep(0.1)
    signal.raise_signal(getattr(signal, "SIGBREAK", signal.SIGTERM))


if __name__ == "__main__":
    if END_FILE in os.environ:
        threading.Thread(target=break_at, args=(Path(os.environ[END_FILE]),), daemon=True).start()
    main()
