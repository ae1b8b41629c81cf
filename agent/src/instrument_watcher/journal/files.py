"""The journal's lines about files."""

import sqlite3
import struct
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from instrument_watcher.clock import stamp, utc_now
from instrument_watcher.journal.database import Database
from instrument_watcher.journal.rows import Digest, FileRow, FileState, Sighting, join_path, split_path

SAME_VERSION = "id = ? AND size = ? AND mtime_ns = ?"  # the file may have changed while somebody worked on it
NO_CTIME = -1  # of no file: whatever is seen was touched
SEEN = "size = ?, mtime_ns = ?, inode = ?, ctime_ns = ?"
FORGET_CONTENT = "sha256 = NULL, crc32 = NULL, block_crcs = NULL, upload_id = NULL"
PATH = "CASE folder WHEN '' THEN name ELSE folder || '/' || name END"
PAGE = 1000


@dataclass(frozen=True)
class Found:
    """A complete file, and the run it belongs to; without a run, the reason why it has none."""

    path: str
    sighting: Sighting
    run_id: str | None
    reason: str | None = None


class FileRows:
    def __init__(self, database: Database) -> None:
        self._db = database
        self._last_id = self._greatest_id()

    def in_folder(self, folder: str) -> dict[str, tuple[int, int, int]]:
        """Size and times of every known file of a folder, by name. What was gone is to be looked at when it is back."""
        sql = "SELECT name, size, mtime_ns, ctime_ns FROM files WHERE folder = ? AND state <> 'gone'"
        return {name: (size, mtime, ctime) for name, size, mtime, ctime in self._db.each(sql, folder)}

    def learn_ctimes(self, folder: str, ctimes: Sequence[tuple[str, int]]) -> None:
        """Of files that an older agent, or another system, knew without."""
        sql = "UPDATE files SET ctime_ns = ? WHERE folder = ? AND name = ? AND ctime_ns = 0"
        self._db.write_many(sql, [(ctime_ns, folder, name) for name, ctime_ns in ctimes])

    def find(self, path: str) -> FileRow | None:
        row = self._db.row("SELECT * FROM files WHERE folder = ? AND name = ?", *split_path(path))
        return None if row is None else file_of(row)

    def get(self, row_id: int) -> FileRow | None:
        row = self._db.row("SELECT * FROM files WHERE id = ?", row_id)
        return None if row is None else file_of(row)

    def of_version(self, sighting: Sighting) -> list[FileRow]:
        """Files that were seen with this inode, size and time: the same file, perhaps under another name."""
        sql = "SELECT * FROM files WHERE inode = ? AND size = ? AND mtime_ns = ?"
        rows = self._db.rows(sql, sighting.inode, sighting.size, sighting.mtime_ns)
        return [file_of(row) for row in rows]

    def add_found(self, found: Iterable[Found]) -> None:
        """New files, and known ones whose bytes changed before they were uploaded."""
        with self._db.transaction():
            values = [_found_values(one) for one in found]
            self._db.write_many(
                "INSERT INTO files (id, folder, name, size, mtime_ns, inode, ctime_ns, run_id, state, reason, found_at)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
                " ON CONFLICT (folder, name) DO UPDATE SET size = excluded.size, mtime_ns = excluded.mtime_ns,"
                " inode = excluded.inode, ctime_ns = excluded.ctime_ns, touched = 0, run_id = excluded.run_id,"
                " state = excluded.state, reason = excluded.reason,"
                f" attempts = 0, next_attempt = 0, {FORGET_CONTENT}",
                [(number, *one) for number, one in zip(self._take_ids(len(values)), values, strict=True)],
            )

    def _take_ids(self, count: int) -> range:
        """Of no line before, as long as this process lives. SQLite gives that of the last line again once it is
        removed; somebody may still work on it."""
        first = max(self._last_id, self._greatest_id()) + 1
        self._last_id = first + count - 1
        return range(first, first + count)

    def _greatest_id(self) -> int:
        row = self._db.row("SELECT max(id) FROM files")
        return int((row and row[0]) or 0)

    def settle(self, row: FileRow, state: FileState, *, reason: str | None = None) -> None:
        """An end of the way, with the reason that people are told."""
        with self._db.transaction():
            sql = f"UPDATE files SET state = ?, reason = ?, wanted = 0 WHERE {SAME_VERSION}"
            self._db.write(sql, state.value, reason, *_version(row))
            self._db.write("DELETE FROM parts WHERE file = ?", row.id)

    def remove(self, row: FileRow) -> None:
        self._db.write(f"DELETE FROM files WHERE {SAME_VERSION}", *_version(row))

    def compare(self, row: FileRow) -> None:
        """Read it before the service hears of it."""
        self._db.write(f"UPDATE files SET state = 'comparing' WHERE state = 'found' AND {SAME_VERSION}", *_version(row))

    def mark_compared(self, row: FileRow) -> None:
        """It was read: what it is can now be told."""
        self._db.write(f"UPDATE files SET state = 'found' WHERE state = 'comparing' AND {SAME_VERSION}", *_version(row))

    def mark_reported(self, rows: Sequence[FileRow], *, wanted: bool) -> None:
        self._db.write_many(
            "UPDATE files SET state = 'reported', wanted = max(wanted, ?) WHERE id = ? AND state = 'found'",
            [(int(wanted), row.id) for row in rows],
        )

    def want_everything(self) -> int:
        """Manual mode became automatic, or was all along."""
        return self._db.write("UPDATE files SET wanted = 1 WHERE state = 'reported' AND wanted = 0")

    def want_changed(self) -> int:
        """New versions that were not wanted before are."""
        sql = (
            f"UPDATE files SET state = 'reported', wanted = 1, reason = NULL, {FORGET_CONTENT} WHERE state = 'changed'"
        )
        return self._db.write(sql)

    def want(self, row_id: int) -> None:
        """Somebody asked for this file, whatever became of it before."""
        self._db.write(
            "UPDATE files SET wanted = 1, state = 'reported', reason = NULL, next_attempt = 0 WHERE id = ?", row_id
        )

    def mark_hashed(self, row: FileRow, digest: Digest) -> None:
        packed = struct.pack(f">{len(digest.block_crcs)}I", *digest.block_crcs)
        sql = f"UPDATE files SET sha256 = ?, crc32 = ?, block_crcs = ? WHERE {SAME_VERSION}"
        self._db.write(sql, digest.sha256, digest.crc32, packed, *_version(row))

    def mark_ticketed(self, row_id: int, *, file_id: int, upload_id: str | None) -> None:
        """The service said where the bytes go. Parts of another upload are forgotten."""
        with self._db.transaction():
            sql = "DELETE FROM parts WHERE file = ? AND (SELECT upload_id FROM files WHERE id = file) IS NOT ?"
            self._db.write(sql, row_id, upload_id)
            self._db.write("UPDATE files SET file_id = ?, upload_id = ? WHERE id = ?", file_id, upload_id, row_id)

    def mark_part(self, row_id: int, *, number: int, etag: str) -> None:
        """Nothing where the line was removed meanwhile."""
        sql = "INSERT OR REPLACE INTO parts SELECT id, ?, ? FROM files WHERE id = ?"
        self._db.write(sql, number, etag, row_id)

    def parts(self, row_id: int) -> dict[int, str]:
        rows = self._db.rows("SELECT number, etag FROM parts WHERE file = ? ORDER BY number", row_id)
        return {row["number"]: row["etag"] for row in rows}

    def forget_parts(self, row_id: int) -> None:
        self._db.write("DELETE FROM parts WHERE file = ?", row_id)

    def forget_content(self, row_id: int) -> None:
        """Read it again: the store received other bytes than were announced."""
        with self._db.transaction():
            self._db.write(f"UPDATE files SET {FORGET_CONTENT} WHERE id = ?", row_id)
            self._db.write("DELETE FROM parts WHERE file = ?", row_id)

    def mark_uploaded(self, row: FileRow, *, file_id: int, sha256: str, uploaded_at: str) -> None:
        """The version that was sent is the one that counts, also where the file changed while it was sent."""
        sent = row.sighting
        with self._db.transaction():
            self._db.write(
                "UPDATE files SET state = 'uploaded', reason = NULL, wanted = 0, attempts = 0, upload_id = NULL,"
                f" touched = 0, {SEEN}, block_crcs = NULL, file_id = ?, sha256 = ?, uploaded_at = ? WHERE id = ?",
                *_seen(sent), file_id, sha256, uploaded_at, row.id,
            )  # fmt: skip
            self._db.write("DELETE FROM parts WHERE file = ?", row.id)

    def mark_changed(self, row: FileRow, sighting: Sighting, *, reason: str) -> None:
        """Another version stands on disk; what the service holds stays."""
        self._db.write(
            f"UPDATE files SET state = 'changed', wanted = 0, touched = 0, {SEEN}, reason = ? WHERE id = ?",
            *_seen(sighting), reason, row.id,
        )  # fmt: skip

    def mark_touched(self, row: FileRow, sighting: Sighting) -> None:
        """It looks different, and that changes nothing."""
        self._db.write(f"UPDATE files SET touched = 0, {SEEN} WHERE id = ?", *_seen(sighting), row.id)

    def mark_replaced(self, row: FileRow, sighting: Sighting) -> None:
        """What waits is another file of its size and time, to be read; parts that were sent may still be its own."""
        self._db.write(
            f"UPDATE files SET touched = 0, block_crcs = NULL, {SEEN} WHERE id = ?", *_seen(sighting), row.id
        )

    def compare_again(self, row: FileRow, sighting: Sighting) -> None:
        """What was uploaded may have been written to: it is read once nothing else waits."""
        sql = f"UPDATE files SET touched = 1, next_attempt = 0, {SEEN} WHERE id = ? AND state = 'uploaded'"
        self._db.write(sql, *_seen(sighting), row.id)

    def leave_touched(self, row: FileRow) -> None:
        """It was compared. One that was touched again meanwhile goes on waiting."""
        self._db.write("UPDATE files SET touched = 0 WHERE id = ? AND ctime_ns = ?", row.id, row.sighting.ctime_ns)

    def compare_when_seen(self, row: FileRow) -> None:
        """It is not there to be compared. It may come back as it was seen last, where its folder was away."""
        sql = "UPDATE files SET touched = 0, ctime_ns = ? WHERE id = ? AND ctime_ns = ?"
        self._db.write(sql, NO_CTIME, row.id, row.sighting.ctime_ns)

    def send_again(self, row: FileRow, sighting: Sighting, *, after: float = 0.0) -> None:
        """An uploaded file looks different: read it, not before this time, and let the service compare."""
        self._db.write(
            "UPDATE files SET state = 'reported', wanted = 1, attempts = 0, next_attempt = max(next_attempt, ?),"
            f" touched = 0, {SEEN}, {FORGET_CONTENT} WHERE id = ?",
            after, *_seen(sighting), row.id,
        )  # fmt: skip

    def leave_place(self, path: str, *, file_id: int) -> None:
        """An uploaded file stands elsewhere now; whatever else stands here keeps its line."""
        sql = "DELETE FROM files WHERE folder = ? AND name = ? AND file_id = ? AND state = 'uploaded'"
        self._db.write(sql, *split_path(path), file_id)

    def below(self, prefix: str) -> Iterator[FileRow]:
        """Every line whose path begins so, in the order of paths."""
        sql = f"SELECT * FROM files WHERE substr({PATH}, 1, ?) = ? AND {PATH} > ? ORDER BY {PATH} LIMIT {PAGE}"
        after = ""
        while rows := [file_of(row) for row in self._db.rows(sql, len(prefix), prefix, after)]:
            yield from rows
            after = rows[-1].path

    def forget_below(self, prefix: str) -> int:
        """As if they had never been seen. Returns how many they were."""
        return self._db.write(f"DELETE FROM files WHERE substr({PATH}, 1, ?) = ?", len(prefix), prefix)

    def last_found_at(self) -> str | None:
        row = self._db.row("SELECT max(found_at) FROM files")
        return None if row is None else row[0]

    def report_again(self, row_id: int) -> None:
        """The service does not know its run (any more)."""
        self._db.write("UPDATE files SET state = 'found' WHERE id = ? AND state = 'reported'", row_id)

    def stop_run(self, run_id: str, *, reason: str) -> int:
        states = "('found', 'comparing', 'reported')"
        sql = f"UPDATE files SET state = 'stopped', reason = ? WHERE run_id = ? AND state IN {states}"
        return self._db.write(sql, reason, run_id)

    def resume_run(self, run_id: str) -> int:
        sql = "UPDATE files SET state = 'found', reason = NULL WHERE run_id = ? AND state = 'stopped'"
        return self._db.write(sql, run_id)

    def report_refused(self, run_id: str) -> None:
        """The service may take them now."""
        sql = "UPDATE files SET state = 'found', reason = NULL WHERE run_id = ? AND state = 'refused'"
        self._db.write(sql, run_id)

    def forget_refused(self) -> None:
        """Judge them anew: the rules may have changed."""
        self._db.write("DELETE FROM files WHERE state = 'refused'")


def _version(row: FileRow) -> tuple[int, int, int]:
    return row.id, row.sighting.size, row.sighting.mtime_ns


def _seen(sighting: Sighting) -> tuple[int, int, int, int]:
    return sighting.size, sighting.mtime_ns, sighting.inode, sighting.ctime_ns


def _found_values(found: Found) -> tuple[object, ...]:
    state = FileState.FOUND if found.run_id is not None else FileState.REFUSED
    return (
        *split_path(found.path), *_seen(found.sighting),
        found.run_id, state.value, found.reason, stamp(utc_now()),
    )  # fmt: skip


def file_of(row: sqlite3.Row) -> FileRow:
    return FileRow(
        id=row["id"],
        path=join_path(row["folder"], row["name"]),
        sighting=Sighting(row["size"], row["mtime_ns"], row["inode"], row["ctime_ns"]),
        run_id=row["run_id"],
        state=FileState(row["state"]),
        wanted=bool(row["wanted"]),
        digest=_digest(row),
        sha256=row["sha256"],
        file_id=row["file_id"],
        upload_id=row["upload_id"],
        attempts=row["attempts"],
        reason=row["reason"],
        uploaded_at=row["uploaded_at"],
    )


def _digest(row: sqlite3.Row) -> Digest | None:
    packed = row["block_crcs"]
    if packed is None:
        return None
    return Digest(row["sha256"], row["crc32"], struct.unpack(f">{len(packed) // 4}I", packed))
