"""What the operating system tells about the watched directory, gathered until somebody looks."""

import errno
import os
import threading
from dataclasses import dataclass, field
from pathlib import Path

from watchdog.events import (
    DirCreatedEvent,
    DirMovedEvent,
    FileClosedEvent,
    FileCreatedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileSystemEvent,
    FileSystemEventHandler,
)
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver
from watchdog.utils import BaseThread

MOST_NOTICES = 20_000  # above it a look through everything is cheaper
INTERESTING: list[type[FileSystemEvent]] = [
    DirCreatedEvent, DirMovedEvent, FileClosedEvent, FileCreatedEvent, FileModifiedEvent, FileMovedEvent,
]  # fmt: skip


@dataclass
class Notices:
    """Relative paths of files and folders to look at; `everything` when they were too many."""

    files: set[str] = field(default_factory=set)
    folders: set[str] = field(default_factory=set)
    everything: bool = False


class NoticeBoard(FileSystemEventHandler):
    """Events arrive from watchdog's thread; the watching thread waits for them and takes them."""

    def __init__(self, root: Path) -> None:
        self._root = str(root)
        self._changed = threading.Condition()
        self._notices = Notices()
        self._rung = False

    def on_any_event(self, event: FileSystemEvent) -> None:
        path = os.fsdecode(event.dest_path or event.src_path)
        relative = os.path.relpath(path, self._root).replace(os.sep, "/")
        if relative == "." or relative.startswith("../"):
            return
        with self._changed:
            (self._notices.folders if event.is_directory else self._notices.files).add(relative)
            if len(self._notices.files) > MOST_NOTICES:
                self._notices = Notices(everything=True)
            self._changed.notify_all()

    def ring(self) -> None:
        """End a wait, because the agent stops."""
        with self._changed:
            self._rung = True
            self._changed.notify_all()

    def ask_for_everything(self) -> None:
        """Somebody wants the whole directory looked through."""
        with self._changed:
            self._notices.everything = True
            self._changed.notify_all()

    def take(self, *, timeout: float) -> Notices:
        """What was noticed since the last time; waits for the first notice, at most so long."""
        with self._changed:
            self._changed.wait_for(lambda: self._rung or self._notices != Notices(), timeout)
            taken, self._notices = self._notices, Notices()
            return taken


class Observation:
    """The system's events of one directory, for as long as it is the same directory."""

    def __init__(self, board: NoticeBoard, root: Path) -> None:
        self._board, self._root = board, root
        self._observer: BaseObserver | None = None
        self._identity: tuple[int, int] | None = None
        self._threads: set[BaseThread] = set()

    @property
    def is_broken(self) -> bool:
        """Whether a thread of watchdog's ended by a fault of its own: it says so to nobody, and events are lost."""
        return not all(thread.is_alive() for thread in self._threads)

    def ensure(self, found: os.stat_result) -> OSError | None:
        """Begin, or begin anew where another directory stands under the name, or it broke. Returns why there will be no
        events."""
        identity = (found.st_dev, found.st_ino)
        if identity == self._identity and not self.is_broken:
            return None
        self.end()
        self._identity = identity
        others = _threads_of_watchdog()
        observer = Observer()
        observer.schedule(self._board, str(self._root), recursive=True, event_filter=INTERESTING)
        try:
            observer.start()
        except OSError as error:
            observer.stop()
            return error
        except RecursionError:  # watchdog walks by os.walk, which before Python 3.12 calls itself for each level
            observer.stop()
            return OSError(errno.ENAMETOOLONG, "its folders are nested too deeply")
        self._observer = observer
        self._threads = {one for one in _threads_of_watchdog() if one not in others or is_shared(one)}
        return None

    def end(self) -> None:
        self._identity = None
        for thread in self._threads:
            if is_shared(thread) and not thread.is_alive():
                forget_shared(thread)
        self._threads = set()
        if self._observer is not None:
            self._observer.stop()
            self._observer.join(timeout=5)
            self._observer = None


def is_shared(thread: BaseThread) -> bool:
    """Whether all observations of a process use it: what reads inotify."""
    return getattr(type(thread), "_instance", None) is thread


def forget_shared(thread: BaseThread) -> None:
    """Else watchdog hands out the one that ended, for ever."""
    type(thread)._instance = None  # type: ignore[attr-defined]  # where is_shared found it


def _threads_of_watchdog() -> set[BaseThread]:
    """Its dispatcher, its emitters and what reads for them, which differs from system to system."""
    return {thread for thread in threading.enumerate() if isinstance(thread, BaseThread)}
