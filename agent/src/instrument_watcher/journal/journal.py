"""The journal: what the agent knows and has done, kept on disk before it is relied upon."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from instrument_watcher.clock import utc_now
from instrument_watcher.journal.database import Database
from instrument_watcher.journal.facts import Facts
from instrument_watcher.journal.files import FileRows
from instrument_watcher.journal.outbox import Outbox
from instrument_watcher.journal.overview import Overview
from instrument_watcher.journal.queue import Queue
from instrument_watcher.journal.runs import RunRows

OWNER = "owner"


class Journal:
    def __init__(self, path: Path) -> None:
        self._db = Database(path)
        self.files = FileRows(self._db)
        self.queue = Queue(self._db)
        self.overview = Overview(self._db)
        self.runs = RunRows(self._db)
        self.facts = Facts(self._db)
        self.events = Outbox(self._db, self.facts)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        with self._db.transaction():
            yield

    def close(self) -> None:
        self._db.close()

    def stop_run(self, run_id: str, *, reason: str) -> int:
        """Nothing more is sent for this run until it is resumed. Returns how many files wait with it."""
        with self.transaction():
            self.runs.stop(run_id, reason=reason)
            return self.files.stop_run(run_id, reason=reason)

    def resume_run(self, run_id: str) -> int:
        with self.transaction():
            self.runs.resume(run_id)
            return self.files.resume_run(run_id)


def open_journal(path: Path, *, server: str, instrument_id: str) -> Journal:
    """The journal of this instrument. One that tells of another instrument is set aside, never mixed in."""
    owner = {"server": server, "instrument_id": instrument_id}
    journal = Journal(path)
    known = journal.facts.get(OWNER)
    if known not in (None, owner):
        journal.close()
        set_aside(path, label=str(known.get("instrument_id")))
        journal = Journal(path)
    journal.facts.set(OWNER, owner)
    return journal


def set_aside(path: Path, *, label: str) -> Path:
    """Rename the journal with its write-ahead log. No process may have it open."""
    kept = path.with_name(f"{path.stem}-{label}-{utc_now():%Y%m%dT%H%M%S}{path.suffix}")
    for suffix in ("", "-wal", "-shm"):
        old = path.with_name(path.name + suffix)
        if old.exists():
            old.rename(kept.with_name(kept.name + suffix))
    return kept
