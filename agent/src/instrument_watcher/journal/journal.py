"""The journal: what the agent knows and has done, kept on disk before it is relied upon."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from instrument_watcher.clock import stamp, utc_now
from instrument_watcher.journal.database import Database, JournalDamaged, JournalTooNew
from instrument_watcher.journal.facts import Facts
from instrument_watcher.journal.files import FileRows
from instrument_watcher.journal.outbox import Outbox
from instrument_watcher.journal.overview import Overview
from instrument_watcher.journal.queue import Queue
from instrument_watcher.journal.rows import FileRow
from instrument_watcher.journal.runs import RunRows
from instrument_watcher.journal.stored import StoredFile, StoredFiles, milliseconds, stored_now

log = logging.getLogger("instrument_watcher")
OWNER = "owner"


class Journal:
    def __init__(self, path: Path) -> None:
        self._db = Database(path)
        self.files = FileRows(self._db)
        self.queue = Queue(self._db)
        self.overview = Overview(self._db)
        self.runs = RunRows(self._db)
        self.facts = Facts(self._db)
        self.stored = StoredFiles(self._db, self.facts)
        self.events = Outbox(self._db, self.facts)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        with self._db.transaction():
            yield

    def close(self) -> None:
        self._db.close()

    def refuse_damaged(self) -> None:
        """Raises JournalDamaged."""
        self._db.refuse_damaged()

    def mark_uploaded(self, row: FileRow, *, file_id: int, sha256: str) -> None:
        """The service holds these bytes: the version that was sent, also where the file changed meanwhile."""
        uploaded_at = stamp(utc_now())
        with self.transaction():
            self.files.mark_uploaded(row, file_id=file_id, sha256=sha256, uploaded_at=uploaded_at)
            self.stored.add([stored_now(row, file_id=file_id, sha256=sha256, uploaded_at=uploaded_at)])

    def mark_recognised(self, row: FileRow, stored: StoredFile) -> None:
        """The service has this file already, perhaps by the name that it had before."""
        with self.transaction():
            if stored.place != row.path:
                self.files.leave_place(stored.place, file_id=stored.file_id)
            self.files.mark_uploaded(row, file_id=stored.file_id, sha256=stored.sha256, uploaded_at=stored.uploaded_at)
            seen, named = row.sighting, stored.named or stored.place
            here = replace(stored, place=row.path, named=named, mtime_ms=milliseconds(seen), inode=seen.inode)
            self.stored.add([here])

    def forget_below(self, prefix: str) -> int:
        """Forget every file whose path begins so, and ask the service anew what it holds of them."""
        with self.transaction():
            self.stored.forget_below(prefix)
            return self.files.forget_below(prefix)

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
    """The journal of this instrument. One that tells of another instrument is set aside, never mixed in; so is one
    that is damaged. Raises JournalUnreadable, JournalUnavailable."""
    try:
        journal = _open_sound(path)
    except JournalDamaged:
        journal = replace_damaged(path)
    except JournalTooNew:
        journal = _replace_newer(path)
    known = journal.facts.get(OWNER)
    if known is not None and not owner.is_same(Owner(**known)):
        journal.close()
        set_aside(path, label=str(known["instrument_id"]))
        journal = Journal(path)
    if known != asdict(owner):
        journal.facts.set(OWNER, asdict(owner))
    return journal


def _open_sound(path: Path) -> Journal:
    journal = Journal(path)
    try:
        journal.refuse_damaged()
    except BaseException:
        journal.close()
        raise
    return journal


def replace_damaged(path: Path) -> Journal:
    """An empty journal in place of one that cannot be read, which is kept. No process may have it open."""
    kept = set_aside(path, label="damaged")
    message = (
        f"The journal was damaged and is kept as {kept.name}. A new one is made: every file is compared with what the"
        " service holds; events that were not sent yet are lost."
    )
    log.error(message)
    journal = Journal(path)
    journal.events.add("error", message, kept_as=kept.name)
    return journal


def _replace_newer(path: Path) -> Journal:
    """After a newer version of the agent was gone back from, which had changed the tables."""
    kept = set_aside(path, label="newer")
    message = (
        f"A newer agent wrote the journal, which is kept as {kept.name}. A new one is made: every file is compared with"
        " what the service holds; events that were not sent yet are lost."
    )
    log.warning(message)
    journal = Journal(path)
    journal.events.add("error", message, kept_as=kept.name)
    return journal


def set_aside(path: Path, *, label: str) -> Path:
    """Rename the journal with its write-ahead log. No process may have it open."""
    kept = path.with_name(f"{path.stem}-{label}-{utc_now():%Y%m%dT%H%M%S}{path.suffix}")
    for suffix in ("", "-wal", "-shm"):
        old = path.with_name(path.name + suffix)
        if old.exists():
            old.rename(kept.with_name(kept.name + suffix))
    return kept
