"""The journal: what the agent knows and has done, kept on disk before it is relied upon."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
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


@dataclass(frozen=True)
class Owner:
    """Whose files a journal tells of."""

    server: str
    instrument_id: str
    watcher_id: str | None = None

    def is_same(self, other: "Owner") -> bool:
        """Also where the service moved to another address, or the instrument was registered anew."""
        is_one_watcher = self.watcher_id is not None and self.watcher_id == other.watcher_id
        return self.instrument_id == other.instrument_id and (self.server == other.server or is_one_watcher)


def open_journal(path: Path, owner: Owner) -> Journal:
    """The journal of this instrument. One that tells of another instrument is set aside, never mixed in."""
    journal = Journal(path)
    known = journal.facts.get(OWNER)
    if known is not None and not owner.is_same(Owner(**known)):
        journal.close()
        set_aside(path, label=str(known["instrument_id"]))
        journal = Journal(path)
    journal.facts.set(OWNER, asdict(owner))
    return journal


def set_aside(path: Path, *, label: str) -> Path:
    """Rename the journal with its write-ahead log. No process may have it open."""
    kept = path.with_name(f"{path.stem}-{label}-{utc_now():%Y%m%dT%H%M%S}{path.suffix}")
    for suffix in ("", "-wal", "-shm"):
        old = path.with_name(path.name + suffix)
        if old.exists():
            old.rename(kept.with_name(kept.name + suffix))
    return kept
