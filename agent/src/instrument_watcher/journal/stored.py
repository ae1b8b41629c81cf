"""The journal's lines about what the service holds: the one thing that makes a file count as done."""

import re
import sqlite3
from collections.abc import Iterable
from dataclasses import astuple, dataclass

from instrument_watcher.journal.database import Database
from instrument_watcher.journal.facts import Facts
from instrument_watcher.journal.rows import FileRow, Sighting

IS_KNOWN = "stored_is_known"
READ_TO = "stored_read_to_page"
NUMBERED = re.compile(
    r"~[0-9]+(?=(\.[^./]*)?$)"
)  # as in scan~2.raw: docs/interface.md of the service, Versions of a file


@dataclass(frozen=True)
class StoredFile:
    """Bytes that the service confirmed, and where in the watched directory they stand, or stood last.

    `mtime_ms` is the file's time in milliseconds since 1970, None where the service was not told one; `inode` is 0
    where it is not known, because the journal was lost since.
    """

    file_id: int
    run_id: str
    place: str
    size: int
    sha256: str
    mtime_ms: int | None
    inode: int
    uploaded_at: str
    named: str | None = None

    def may_be(self, row: FileRow) -> bool:
        """Whether a file of the same size and time can be these bytes; its hash has the last word."""
        if self.inode and row.sighting.inode:
            return self.inode == row.sighting.inode
        return self.mtime_ms is not None or self.run_id == row.run_id

    def is_version(self, sighting: Sighting) -> bool:
        """Whether what stands somewhere looks like these bytes."""
        if self.size != sighting.size or self.mtime_ms not in (None, milliseconds(sighting)):
            return False
        return not (self.inode and sighting.inode) or self.inode == sighting.inode


class StoredFiles:
    def __init__(self, database: Database, facts: Facts) -> None:
        self._db, self._facts = database, facts

    def add(self, stored: Iterable[StoredFile]) -> None:
        """New lines, and what the service says of known ones."""
        self._db.write_many(
            "INSERT OR REPLACE INTO stored (file_id, run_id, place, size, sha256, mtime_ms, inode, uploaded_at,"
            " named) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [astuple(one) for one in stored],
        )

    def like(self, row: FileRow) -> list[StoredFile]:
        """What may be this file: of its size and time, and of its hash where that is known; here first."""
        sql = (
            "SELECT * FROM stored WHERE size = ? AND (mtime_ms = ? OR mtime_ms IS NULL) AND (? IS NULL OR sha256 = ?)"
            " ORDER BY place <> ?, file_id"
        )
        sha256 = None if row.digest is None else row.digest.sha256
        found = self._db.rows(sql, row.sighting.size, milliseconds(row.sighting), sha256, sha256, row.path)
        return [one for one in map(_stored_of, found) if one.may_be(row)]

    def versions_at(self, place: str) -> int:
        """How many versions of what stands there the service holds."""
        row = self._db.row("SELECT count(*) FROM stored WHERE place = ?", place)
        return 0 if row is None else int(row[0])

    def is_name_taken(self, path: str) -> bool:
        """Whether the service has bytes under this name, or may have given it to a version of others: what stands here
        is a version then, and nobody can ask for it."""
        first = NUMBERED.sub("", path)
        return self._count_under(path) > 0 or (first != path and self._count_under(first) > 1)

    def _count_under(self, path: str) -> int:
        row = self._db.row("SELECT count(*) FROM stored WHERE place = ? OR named = ?", path, path)
        return 0 if row is None else int(row[0])

    def forget_below(self, prefix: str) -> None:
        """Ask the service anew."""
        with self._db.transaction():
            self._db.write("DELETE FROM stored WHERE substr(place, 1, ?) = ?", len(prefix), prefix)
            self._facts.forget(IS_KNOWN)

    def is_known(self) -> bool:
        """Whether what the service holds was read from it since the journal was made."""
        return bool(self._facts.get(IS_KNOWN))

    def mark_known(self) -> None:
        with self._db.transaction():
            self._facts.forget(READ_TO)
            self._facts.set(IS_KNOWN, True)

    def read_to(self) -> int:
        """The page of runs up to which that was done."""
        return int(self._facts.get(READ_TO) or 0)

    def mark_read_to(self, page: int) -> None:
        self._facts.set(READ_TO, page)


def stored_now(row: FileRow, *, file_id: int, sha256: str, uploaded_at: str) -> StoredFile:
    """The line of a file that has just been confirmed."""
    seen = row.sighting
    return StoredFile(
        file_id, row.run_id or "", row.path, seen.size, sha256, milliseconds(seen), seen.inode, uploaded_at
    )


def milliseconds(sighting: Sighting) -> int:
    """The time of a file, whatever the clock says now."""
    return sighting.mtime_ns // 1_000_000


def _stored_of(row: sqlite3.Row) -> StoredFile:
    return StoredFile(*row)
