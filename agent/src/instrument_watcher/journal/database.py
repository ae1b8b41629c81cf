"""The journal's file: SQLite with a write-ahead log, so that a process killed at any point loses nothing it wrote."""

import os
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from instrument_watcher.errors import AgentError, ExitCode

VERSION = 1
SCHEMA = """
CREATE TABLE files (
    id INTEGER PRIMARY KEY,
    folder TEXT NOT NULL,                   -- relative to the watched directory, with /; '' is the directory itself
    name TEXT NOT NULL,
    size INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL,
    inode INTEGER NOT NULL,
    run_id TEXT,
    state TEXT NOT NULL,                    -- rows.FileState
    wanted INTEGER NOT NULL DEFAULT 0,      -- to be uploaded, not only reported
    sha256 TEXT,
    crc32 TEXT,
    block_crcs BLOB,                        -- CRC32 of every 16 MiB, 4 bytes each, big-endian
    file_id INTEGER,                        -- the service's number of it
    upload_id TEXT,                         -- of an open multipart upload
    attempts INTEGER NOT NULL DEFAULT 0,
    next_attempt REAL NOT NULL DEFAULT 0,   -- Unix time
    reason TEXT,                            -- why it is where it is, for people
    found_at TEXT NOT NULL,
    uploaded_at TEXT,
    UNIQUE (folder, name)
);
CREATE INDEX files_by_state ON files (state, run_id);
CREATE INDEX files_found ON files (id) WHERE state = 'found';
CREATE INDEX files_waiting ON files (next_attempt, id) WHERE state = 'reported' AND wanted = 1;
CREATE INDEX files_by_inode ON files (inode, size, mtime_ns);

CREATE TABLE parts (                        -- of open multipart uploads: what the store has confirmed
    file INTEGER NOT NULL REFERENCES files (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    etag TEXT NOT NULL,
    PRIMARY KEY (file, number)
) WITHOUT ROWID;

CREATE TABLE runs (
    run_id TEXT PRIMARY KEY,
    reported_at TEXT,
    stopped_because TEXT                    -- set while the service refuses the run
) WITHOUT ROWID;

CREATE TABLE events (                       -- the outbox
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    event_type TEXT NOT NULL,
    timestamp TEXT NOT NULL,
    message TEXT NOT NULL,
    details TEXT NOT NULL
);

CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
"""


class JournalUnreadable(AgentError):
    def __init__(self, path: Path, why: str) -> None:
        super().__init__(
            f"The journal {path} cannot be used: {why}",
            remedy="Move the file away; the agent then looks at every file again, and uploads none twice.",
        )


class JournalForbidden(AgentError):
    def __init__(self, path: Path) -> None:
        super().__init__(
            f"No permission to use {path}.",
            remedy="Use the user as whom the agent runs, or sudo.",
            code=ExitCode.CONFIGURATION,
        )


class Database:
    """One connection, used by every thread of the process in turn; other processes may read and write beside it."""

    def __init__(self, path: Path) -> None:
        self._lock = threading.RLock()
        self._depth = 0
        if path.exists() and not os.access(path, os.R_OK | os.W_OK):
            raise JournalForbidden(path)
        try:
            self._connection = sqlite3.connect(path, timeout=30, isolation_level=None, check_same_thread=False)
            self._connection.row_factory = sqlite3.Row
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = NORMAL")
            self._connection.execute("PRAGMA foreign_keys = ON")
            self._make_tables(path)
        except sqlite3.DatabaseError as error:
            raise JournalUnreadable(path, str(error)) from None

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing, alone among threads and processes; one within another is part of it."""
        with self._lock:
            if self._depth == 0:
                self._connection.execute("BEGIN IMMEDIATE")
            self._depth += 1
            try:
                yield
            except BaseException:
                if self._depth == 1:
                    self._connection.execute("ROLLBACK")
                raise
            else:
                if self._depth == 1:
                    self._connection.execute("COMMIT")
            finally:
                self._depth -= 1

    def write(self, sql: str, *values: Any) -> int:
        """Returns the number of rows it changed."""
        with self._lock:
            return self._connection.execute(sql, values).rowcount

    def write_many(self, sql: str, rows: Sequence[Sequence[Any]]) -> None:
        with self.transaction():
            self._connection.executemany(sql, rows)

    def rows(self, sql: str, *values: Any) -> list[sqlite3.Row]:
        with self._lock:
            return self._connection.execute(sql, values).fetchall()

    def each(self, sql: str, *values: Any) -> Iterator[tuple[Any, ...]]:
        """The rows one after the other, for results too large to be held twice. Nobody else has a turn meanwhile."""
        with self._lock:
            cursor = self._connection.execute(sql, values)
            cursor.row_factory = None
            yield from cursor

    def row(self, sql: str, *values: Any) -> sqlite3.Row | None:
        with self._lock:
            found: sqlite3.Row | None = self._connection.execute(sql, values).fetchone()
            return found

    def close(self) -> None:
        with self._lock:
            self._connection.close()

    def _make_tables(self, path: Path) -> None:
        with self.transaction():
            version = self._connection.execute("PRAGMA user_version").fetchone()[0]
            if version > VERSION:
                raise JournalUnreadable(path, "it was written by a newer agent")
            if version < VERSION:
                for statement in SCHEMA.split(";\n"):
                    self._connection.execute(statement)
                self._connection.execute(f"PRAGMA user_version = {VERSION}")
