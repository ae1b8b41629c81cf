"""What the agent stands on, held still: the clock, the events of the system, the sightings of files, its sizes."""

import os
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING
from unittest.mock import patch

from agent.tests.model.watched import BEGAN
from instrument_watcher import assembly, duties
from instrument_watcher.platforms import opening, paths
from instrument_watcher.service import connection, store
from instrument_watcher.uploading import hashing, sending, source
from instrument_watcher.uploading.pacing import Pace
from instrument_watcher.watching import scanning
from instrument_watcher.watching.noticing import NoticeBoard, Notices

if TYPE_CHECKING:
    from agent.tests.model.machine import Machine

PIECE = 16  # bytes that are read at once


class Killed(BaseException):
    """No `except Exception` of the agent's catches it; transactions are not kept, as after a real kill."""


class Clock:
    def __init__(self) -> None:
        self.now, self.shift = 1000.0, 0.0

    def time(self) -> float:
        return BEGAN + self.now + self.shift


class Signal(threading.Event):
    """Nobody waits for it: the clock goes on instead."""

    def __init__(self, clock: Clock) -> None:
        super().__init__()
        self._clock = clock

    def wait(self, timeout: float | None = None) -> bool:
        self._clock.now += max(0.0, timeout or 0.0)
        return self.is_set()


class Board(NoticeBoard):
    """Gives what there is; `wait` is how long the watch would have waited for more."""

    wait = 0.0

    def take(self, *, timeout: float) -> Notices:
        self.wait = timeout
        taken = super().take(timeout=0)
        return Notices(dict.fromkeys(sorted(taken.files)), dict.fromkeys(sorted(taken.folders)), taken.everything)  # type: ignore[arg-type]

    def is_empty(self) -> bool:
        return self._notices == Notices()


class NoEvents:
    """In the place of watchdog's threads: what the world tells comes by hand."""

    is_broken = False

    def ensure(self, found: os.stat_result) -> None:
        return None

    def end(self) -> None:
        return None


@contextmanager
def held(machine: "Machine") -> Iterator[None]:
    """The clock, the file system's sightings and the agent's sizes are this machine's."""
    place, entries, opened = paths.place, paths.entries, opening.open_for_reading

    def place_passed(root: Path, relative: str) -> str:
        machine.pass_by("the folder")
        return str(machine.world.spelled(Path(place(root, relative))))

    def listed_name(root: Path, relative: str) -> str:
        return machine.world.spelled(root / relative).relative_to(root).as_posix()

    @contextmanager
    def entries_in_order(where: str | Path) -> Iterator[Iterator["os.DirEntry[str]"]]:
        with entries(where) as found:
            yield iter(sorted(found, key=lambda entry: entry.name))

    def open_unless_forbidden(where: str) -> int:
        if machine.world.is_forbidden(where):
            raise PermissionError(13, "Permission denied")
        return opened(where)

    def read_passed(pace: Pace) -> None:
        machine.pass_by("a piece")
        pace._refuse_halted()

    def sleep(pace: Pace, seconds: float) -> None:
        machine.clock.now += seconds

    with ExitStack() as stack:
        for owner, name, value in (
            (time, "monotonic", lambda: machine.clock.now),
            (time, "time", machine.clock.time),
            (paths, "place", place_passed),
            (paths, "entries", entries_in_order),
            (paths, "listed_name", listed_name),
            (opening, "open_for_reading", open_unless_forbidden),
            (scanning, "sighting_of", machine.world.sighting_of),
            (source, "sighting_of", machine.world.sighting_of),
            (scanning, "ctime_of", machine.world.ctime_of),
            (source, "PIECE", PIECE),
            (hashing, "BLOCK", PIECE),
            (sending, "BLOCK", PIECE),
            (Pace, "before_reading", read_passed),
            (Pace, "sleep", sleep),
            (connection, "trusted_authorities", lambda: False),
            (store, "trusted_authorities", lambda: False),
            (assembly, "threading", SimpleNamespace(Event=lambda: Signal(machine.clock))),
            (duties.log, "exception", machine.note_fault),
        ):
            stack.enter_context(patch.object(owner, name, value))
        yield
        machine.kill()
