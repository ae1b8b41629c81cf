"""The agent in a hurry: as operators run it, but for waits that would only make the tests long."""

import os
import signal
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from instrument_watcher import agent, duties
from instrument_watcher.cli import upload
from instrument_watcher.cli.main import main
from instrument_watcher.ending import Ending
from instrument_watcher.journal import database
from instrument_watcher.service import link
from instrument_watcher.uploading import uploader
from instrument_watcher.watching import folder

agent.GOODBYE_SECONDS = 20.0  # a computer that stands still for five seconds says goodbye all the same
database.BUSY_SECONDS, database.RETRY_SECONDS = 1.0, 0.5
duties.REPORT_EVERY = duties.CONFIG_EVERY = 0.5
duties.FIRST_UPDATE_WITHIN = 2.0
folder.AWAY_SECONDS = 1
link.LONGEST_WAIT = 2.0
link.HELD_WAIT = 2.0
uploader.FIRST_WAIT = 0.5
uploader.DEFER_SECONDS = 1.0
upload.WAIT_SECONDS = 0.2

HEARD = Path(os.environ["INSTRUMENT_WATCHER_HOME"]) / "tests-end-heard"
END_FILE = "IDS_TESTS_END_FILE"  # where there is no console, nobody can send a Ctrl-Break: this file stands for it


def break_at(place: Path) -> None:
    while not place.exists():
        time.sleep(0.1)
    signal.raise_signal(getattr(signal, "SIGBREAK", signal.SIGTERM))
    note_heard()  # Windows' Python handles it once the main thread has waited


def note_heard() -> None:
    with suppress(OSError):  # a disk may be full
        HEARD.touch()


def ask_and_note(self: Ending, ask: Callable[[Ending], None] = Ending.ask) -> None:
    ask(self)
    note_heard()


Ending.ask = ask_and_note  # type: ignore[method-assign]


if __name__ == "__main__":
    if END_FILE in os.environ:
        threading.Thread(target=break_at, args=(Path(os.environ[END_FILE]),), daemon=True).start()
    main()
