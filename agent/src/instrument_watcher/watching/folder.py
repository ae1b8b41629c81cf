"""The watched directory: finds files by events and by looking through it, waits until they are complete, and enters
them into the journal."""

import errno
import logging
import threading
import time
from collections.abc import Callable

from instrument_watcher.activity import Activity
from instrument_watcher.chronicle import Chronicle
from instrument_watcher.clock import stamp, utc_now
from instrument_watcher.config.model import Config, OnChange
from instrument_watcher.journal.files import Found
from instrument_watcher.journal.journal import Journal
from instrument_watcher.journal.rows import FileState, Sighting, join_path
from instrument_watcher.platforms import opening, paths
from instrument_watcher.sizes import bytes_text, count_text
from instrument_watcher.watching.complaints import Complaints
from instrument_watcher.watching.judging import Judge
from instrument_watcher.watching.names import printable
from instrument_watcher.watching.noticing import NoticeBoard, Observation
from instrument_watcher.watching.patterns import Patterns
from instrument_watcher.watching.presence import FolderState, look_at_root
from instrument_watcher.watching.scanning import LeadsOut, leads_to_folder, sight, walk
from instrument_watcher.watching.settling import Settling

log = logging.getLogger("instrument_watcher")
AWAY_SECONDS = 10  # how often a vanished directory is looked for
CHECK_SECONDS = 30.0  # how often it is asked whether events still come
BATCH = 500  # files entered at once
MOST_NAMED = 20  # files of a batch that the log names one by one
EVENTS_ENDED = (
    "The system's events of {root} had ended without a word. They are asked for anew, and everything is looked through."
)
_ABSENCES = {
    FolderState.AWAY: "The watched directory {root} is away: {why}. Waiting for it.",
    FolderState.DENIED: "The watched directory {root} may not be read: {why}. Waiting for it.",
    FolderState.EMPTY_MOUNT: (
        "The watched directory {root} is empty, and not the file system on which files were seen. Is it mounted?"
    ),
}


class FolderWatch:
    """Runs in one thread. `found` is called when there may be something new to report or upload."""

    def __init__(
        self, config: Config, journal: Journal, chronicle: Chronicle, activity: Activity, *, found: Callable[[], None]
    ) -> None:
        self._root, self._rescan_seconds = config.watch_directory, config.rescan_seconds
        self._journal, self._activity, self._found = journal, activity, found
        self._patterns = Patterns(wanted=config.file_patterns, ignored=config.ignore_patterns)
        self._settling = Settling(stability_seconds=config.stability_seconds)
        self._judge = Judge(config, journal, chronicle)
        self._complaints = Complaints(chronicle)
        self._board = NoticeBoard(self._root)
        self._observation = Observation(self._board, self._root)
        self._rescan_at = 0.0
        self._is_hurried = threading.Event()
        self._keeps_versions = config.on_change is OnChange.VERSION

    def run(self, stop: threading.Event) -> None:
        """What a fault cut short is found again by the look through everything with which this begins."""
        self._rescan_at = 0.0
        try:
            while not stop.is_set():
                self.step(time.monotonic())
        finally:
            self._observation.end()

    def stop(self) -> None:
        self._board.ring()

    def hurry(self) -> None:
        """Look through everything now, and let nothing settle. Where only the first version of a file is kept it
        settles nevertheless: half a file would be all that the service ever gets."""
        self._is_hurried.set()
        self._board.ask_for_everything()

    def step(self, now: float) -> None:
        """Look at what was noticed and what is due; then wait for the next of these."""
        self._activity.ask_folder()
        is_hurried = self._is_hurried.is_set()
        if is_hurried:  # else whoever asks just now would not be heard
            self._is_hurried.clear()
        if is_hurried or now >= self._rescan_at:
            self.rescan()
        self.enter_complete(settled=not (is_hurried and self._keeps_versions))
        self._activity.settling = len(self._settling)
        check_at = time.monotonic() + CHECK_SECONDS
        wake_at = min(self._rescan_at, self._settling.next_due() or self._rescan_at, check_at)
        self._activity.leave_folder()
        notices = self._board.take(timeout=max(0.0, wake_at - time.monotonic()))
        if notices.everything or self._observation.is_broken:
            self._rescan_at = 0.0
        for path in notices.files:
            self._look_at(paths.listed_name(self._root, path))
        for folder in notices.folders:
            self._look_through(paths.listed_name(self._root, folder))

    def rescan(self) -> None:
        """Everything that differs from the journal is looked at closely."""
        began = time.monotonic()
        if not self._is_there():
            self._rescan_at = began + min(AWAY_SECONDS, self._rescan_seconds)
            return
        seen = self._look_through("")
        if self._activity.folder is FolderState.EMPTY_MOUNT:
            self._rescan_at = began + min(AWAY_SECONDS, self._rescan_seconds)
            return
        log.debug("Looked through %s in %.2f s", count_text(seen, "file"), time.monotonic() - began)
        self._activity.scanned_at = time.time()
        self._rescan_at = time.monotonic() + self._rescan_seconds

    def enter_complete(self, *, settled: bool = True) -> None:
        """Enter what did not change for the stability period, or since it was seen, and can be opened."""
        batch: list[Found] = []
        count = 0
        due = self._settling.due(now=time.monotonic()) if settled else self._settling.take_all()
        for path, before in due:
            count += 1
            self._activity.ask_folder()
            complete = self._complete(path, before)
            self._activity.leave_folder()  # to judge may be to hash hundreds of gigabytes
            if complete is not None and (found := self._judge.judge(path, complete)) is not None:
                batch.append(found)
            if len(batch) == BATCH:
                self._enter(batch)
                batch = []
        self._enter(batch)
        if count:
            self._found()

    def _enter(self, batch: list[Found]) -> None:
        if not batch:
            return
        self._journal.files.add_found(batch)
        self._activity.last_file_at = stamp(utc_now())
        self._found()
        level = logging.INFO if len(batch) <= MOST_NAMED else logging.DEBUG
        for found in batch:
            if found.run_id is None:
                log.warning("Skipped %s: %s", printable(found.path), found.reason)
            else:
                log.log(level, "Found %s (%s)", printable(found.path), bytes_text(found.sighting.size))
        if level == logging.DEBUG:
            log.info("Found %s", count_text(len(batch), "file"))

    def _complete(self, path: str, before: Sighting) -> Sighting | None:
        """The file as it is, if it is still as it was and can be opened; else it goes on waiting."""
        now = time.monotonic()
        current = self._sight(path)
        if current is None or paths.listed_name(self._root, path) != path:  # another case: it settles by that name
            return None
        if not current.is_same_version(before):
            self._settling.restart(path, current, now=now)
            return None
        try:
            opening.refuse_unreadable(paths.place(self._root, path))
        except OSError as error:
            self._settling.restart(path, current, now=now)
            self._complaints.note_blocked(path, error, now=now)
            return None
        self._complaints.note_opened(path)
        return current

    def _look_through(self, below: str) -> int:
        """Compare a folder and all below it with the journal. Returns the number of files in it."""
        seen = 0
        failed = self._complaints.note_unreadable_folder
        for folder in walk(self._root, patterns=self._patterns, below=below, failed=failed):
            self._activity.ask_folder()
            known = self._journal.files.in_folder(printable(folder.path))
            seen += len(folder.files)
            ctimes = []
            for name, version in folder.files.items():
                before = known.get(name)
                if before is not None and before == (*version[:2], 0):
                    ctimes.append((name, version[2]))
                elif before != version:
                    self._look_at(join_path(folder.path, name))
            if any(ctime for _, ctime in ctimes):
                self._journal.files.learn_ctimes(printable(folder.path), ctimes)
            for name in folder.links:
                self._look_at_link(join_path(folder.path, name))
        return seen

    def _look_at_link(self, path: str) -> None:
        """What a linked folder of the watched directory holds is found where it really is; others are refused."""
        if not leads_to_folder(self._root, path):
            self._look_at(path)
        elif not self._patterns.is_ignored(path):
            self._sight(path)

    def _look_at(self, path: str) -> None:
        """Let a file settle, unless the journal knows it as it is."""
        if not self._patterns.takes(path):
            return
        self._activity.ask_folder()
        current = self._sight(path)
        if current is None:
            self._settling.forget(path)
            return
        known = self._journal.files.find(printable(path))
        before = None if known is None or known.state is FileState.GONE else known.sighting
        if before is None or not (before.is_same_file(current) and before.is_untouched(current)):
            self._settling.see(path, current, now=time.monotonic())

    def _sight(self, path: str) -> Sighting | None:
        try:
            return sight(self._root, path)
        except LeadsOut:
            message = f"{printable(path)} is a link that leads out of the folder. It is refused."
            self._complaints.tell(f"link {path}", message)
        except OSError as error:
            self._complaints.tell(f"stat {path}", f"{printable(path)} cannot be looked at: {error.strerror}.")
        return None

    def _is_there(self) -> bool:
        """Whether the directory is there. Where it is (again), its events are asked for."""
        presence = look_at_root(self._root, self._journal.facts)
        self._activity.folder = presence.state
        if presence.state is FolderState.WATCHING:
            if self._complaints.settle("root"):
                log.info("The watched directory %s is back.", self._root)
        else:
            self._complaints.tell("root", _ABSENCES[presence.state].format(root=self._root, why=presence.why))
        if (found := presence.found) is None:
            self._observation.end()
            return False
        if self._observation.is_broken:
            self._complaints.tell("events", EVENTS_ENDED.format(root=self._root))
        elif self._complaints.settle("events"):
            log.info("The system's events of %s go on.", self._root)
        if failure := self._observation.ensure(found):
            remedy = " Raise fs.inotify.max_user_watches." if failure.errno == errno.ENOSPC else ""
            log.warning(
                "The system sends no events for %s (%s); it is looked through every %g s.%s",
                self._root, failure.strerror, self._rescan_seconds, remedy,
            )  # fmt: skip
        return True
