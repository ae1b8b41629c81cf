"""What the page shows, gathered at one moment."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone

from instrument_watcher.activity import Transfer
from instrument_watcher.assembly import Parts
from instrument_watcher.clock import stamp
from instrument_watcher.errors import AgentError
from instrument_watcher.journal.journal import Journal
from instrument_watcher.journal.rows import FileRow, FileState
from instrument_watcher.local_page.actions import Checker, CheckResult
from instrument_watcher.local_page.log_tail import LogLine, tail
from instrument_watcher.reporting.heartbeat import HEARD_AT
from instrument_watcher.words import FOLDERS, clock_text

FRESH_SECONDS = 1.0  # however many pages are open, the journal is not read more often
SHARE = 10  # and of a large one a tenth of the time at most
ROWS = 20
LATEST = 10
LOG_LINES = 60
SLOT_MINUTES, SLOTS = 5, 12


@dataclass(frozen=True)
class Slot:
    """What arrived within some minutes, from this time of the day on."""

    begins: str
    files: int
    size: int


@dataclass(frozen=True)
class Entries:
    """What the journal tells; of long lists the first few lines, and how many there are."""

    waiting: list[FileRow] = field(default_factory=list)
    files_waiting: int = 0
    bytes_waiting: int = 0
    to_upload: int = 0
    trouble: list[FileRow] = field(default_factory=list)
    in_trouble: int = 0
    latest: list[FileRow] = field(default_factory=list)
    last_hour: list[Slot] = field(default_factory=list)
    files: dict[FileState, tuple[int, int]] = field(default_factory=dict)
    heard_at: float | None = None


@dataclass(frozen=True)
class View:
    """`state` is how it goes in a few words, `tone` how grave that is, and `why` a sentence, where there is one."""

    parts: Parts
    at: float
    state: str
    tone: str
    why: str
    paused_until: float | None
    transfers: list[Transfer]
    entries: Entries
    log: list[LogLine]
    checking: bool
    checked: CheckResult | None


class Viewer:
    """Reads by a connection of its own, so that nobody who works waits for somebody who looks."""

    def __init__(self, parts: Parts, checker: Checker) -> None:
        self._parts, self._checker = parts, checker
        self._lock = threading.Lock()
        self._entries = Entries()
        self._fault = ""
        self._stale_at = 0.0

    def view(self) -> View:
        parts = self._parts
        entries, fault = self._current()
        transfers = parts.activity.transfers()
        state, tone, why = _state(parts, entries, is_busy=bool(transfers), fault=fault)
        return View(
            parts=parts,
            at=time.time(),
            state=state,
            tone=tone,
            why=why,
            paused_until=parts.pause.until(),
            transfers=transfers,
            entries=entries,
            log=tail(parts.home.log, limit=LOG_LINES),
            checking=self._checker.is_running,
            checked=self._checker.result,
        )

    def forget(self) -> None:
        """Something was just changed: what is shown next is read anew."""
        self._stale_at = 0.0

    def _current(self) -> tuple[Entries, str]:
        with self._lock:
            if (began := time.monotonic()) >= self._stale_at:
                try:
                    self._entries, self._fault = self._read(), ""
                except AgentError as error:  # also of the journal: locked, damaged, forbidden
                    self._fault = error.message
                took = time.monotonic() - began
                self._stale_at = began + took + max(FRESH_SECONDS, SHARE * took)
            return self._entries, self._fault

    def _read(self) -> Entries:
        now = datetime.now(timezone.utc)
        with _opened(self._parts) as journal:
            files_waiting, bytes_waiting = journal.queue.waiting()
            return Entries(
                waiting=journal.queue.waiting_files(limit=ROWS),
                files_waiting=files_waiting,
                bytes_waiting=bytes_waiting,
                to_upload=journal.queue.count_waiting(),
                trouble=journal.overview.with_trouble(limit=ROWS),
                in_trouble=journal.overview.count_trouble(),
                latest=journal.overview.latest(FileState.UPLOADED, limit=LATEST),
                last_hour=_last_hour(journal, now),
                files=journal.overview.summary(),
                heard_at=journal.facts.get(HEARD_AT),
            )


@contextmanager
def _opened(parts: Parts) -> Iterator[Journal]:
    journal = Journal(parts.home.journal)
    try:
        yield journal
    finally:
        journal.close()


def _last_hour(journal: Journal, now: datetime) -> list[Slot]:
    """Slots that begin at round times; the last one is not over yet."""
    length = timedelta(minutes=SLOT_MINUTES)
    current = now.replace(minute=now.minute - now.minute % SLOT_MINUTES, second=0, microsecond=0)
    begins = [current - length * before for before in reversed(range(SLOTS))]
    by_minute = journal.overview.uploaded_by_minute(since=stamp(begins[0]))
    slots = []
    for begin in begins:
        minutes = [stamp(begin + timedelta(minutes=minute))[:16] for minute in range(SLOT_MINUTES)]
        found = [by_minute[minute] for minute in minutes if minute in by_minute]
        files, size = (sum(one[which] for one in found) for which in (0, 1))
        slots.append(Slot(clock_text(begin.timestamp()), files, size))
    return slots


def _state(parts: Parts, entries: Entries, *, is_busy: bool, fault: str) -> tuple[str, str, str]:
    """The gravest first."""
    link, activity = parts.link, parts.activity
    if fault:
        return "The journal cannot be read", "bad", fault
    if link.held.is_set():
        return "Nothing is sent", "bad", link.held_because
    if activity.is_folder_away:
        return "The folder is not there", "bad", f"{parts.config.watch_directory} {FOLDERS[activity.folder.value]}."
    if not link.is_up():
        return "The service is away", "warn", f"{link.why} What is found meanwhile is kept, and sent once it is back."
    if until := parts.pause.until():
        return f"Paused until {clock_text(until)}", "warn", "Files are found and reported; their bytes wait."
    if is_busy:
        return "Uploading", "busy", ""
    if entries.files_waiting or activity.settling:
        return "Waiting", "busy", ""
    return "Up to date", "ok", ""
