"""What the agent is doing right now, for the terminal, the heartbeat and `status`."""

import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum

from instrument_watcher.watching.presence import FolderState

SILENT_SECONDS = 300.0  # for one question to the file system


class Phase(str, Enum):
    HASHING = "hashing"
    UPLOADING = "uploading"


@dataclass
class Transfer:
    """One file on its way. Only its own worker writes to it."""

    path: str
    size: int
    phase: Phase = Phase.HASHING
    done: int = 0
    began: float = field(default_factory=time.monotonic)

    def enter(self, phase: Phase, *, done: int = 0) -> None:
        self.phase, self.done, self.began = phase, done, time.monotonic()


class Activity:
    """Counts since the start, and the transfers under way. Safe to read and write from every thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._transfers: dict[int, Transfer] = {}
        self._counts: Counter[str] = Counter()
        self.started = time.monotonic()
        self.settling = 0
        self.scanned_at: float | None = None
        self._folder = FolderState.WATCHING
        self._asked_at: float | None = None
        self.last_file_at: str | None = None

    @property
    def folder(self) -> FolderState:
        """How the watched folder was found; away too while it answers nothing: a share may hang instead of failing."""
        asked_at = self._asked_at
        is_silent = asked_at is not None and time.monotonic() - asked_at >= SILENT_SECONDS
        return FolderState.AWAY if is_silent else self._folder

    @folder.setter
    def folder(self, found: FolderState) -> None:
        self._folder = found

    def ask_folder(self) -> None:
        """The file system is about to be asked for something."""
        self._asked_at = time.monotonic()

    def leave_folder(self) -> None:
        """Nothing is asked of the file system until the next ask_folder."""
        self._asked_at = None

    @property
    def is_folder_away(self) -> bool:
        return self.folder is not FolderState.WATCHING

    def count(self, what: str, by: int = 1) -> None:
        with self._lock:
            self._counts[what] += by

    def counted(self, what: str) -> int:
        return self._counts[what]

    @contextmanager
    def transfer(self, row_id: int, path: str, size: int) -> Iterator[Transfer]:
        transfer = Transfer(path, size)
        with self._lock:
            self._transfers[row_id] = transfer
        try:
            yield transfer
        finally:
            with self._lock:
                del self._transfers[row_id]

    def transfers(self) -> list[Transfer]:
        with self._lock:
            return list(self._transfers.values())

    @property
    def uptime(self) -> int:
        return int(time.monotonic() - self.started)
