"""The journal's file: SQLite with a write-ahead log, so that a process killed at any point loses nothing it wrote."""

import logging
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

from instrument_watcher.errors import AgentError, ExitCode
from instrument_watcher.journal.schema import VERSION, statements

log = logging.getLogger("instrument_watcher")
BUSY_SECONDS = 15.0  # how long another process may hold the journal before it is said
TURN_SECONDS = 0.05  # between two tries to make the file one with a write-ahead log
RETRY_SECONDS = 5.0  # after it could not be used
DAMAGED = ("malformed", "not a database")
Answer = TypeVar("Answer")


class JournalUnreadable(AgentError):
    def __init__(self, path: Path, why: str) -> None:
        super().__init__(
            f"The journal {path} cannot be used: {why}",
            remedy="Move the file away; the agent then looks at every file again, and uploads none twice.",
        )


class JournalDamaged(JournalUnreadable):
    """Its pages are not what was written. A running agent keeps it aside and makes it anew."""


class JournalTooNew(JournalUnreadable):
    """A newer agent changed it. One that was gone back to keeps it aside and makes it anew."""


class JournalUnavailable(AgentError):
    """It is locked, or the disk is full: the same may succeed later."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(
            f"The journal {path} cannot be used now: {why}.",
            remedy="See that its disk has room, and that no other program holds it.",
        )


class JournalForbidden(AgentError):
    def __init__(self, path: Path) -> None:
        super().__init__(
            f"No permission to use {path}.",
            remedy="Use the user as whom the agent runs, or sudo.",
            code=ExitCode.CONFIGURATION,
        )


class Database:
    """One connection, used by every thread of the process in turn; other processes may read and write beside it.

    Every method raises JournalUnavailable or JournalDamaged.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.RLock()
        self._depth = 0
        self._is_away = False
        if path.exists() and not os.access(path, os.R_OK | os.W_OK):
            raise JournalForbidden(path)
        self._connection = self._translated(self._connect)
        try:
            self._make_tables()
        except BaseException:
            self._connection.close()
            raise

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing, alone among threads and processes; one within another is part of it."""
        with self._lock:
            if self._depth == 0:
                self._execute("BEGIN IMMEDIATE")
            self._depth += 1
            try:
                yield
                if self._depth == 1:
                    self._execute("COMMIT")
                    self._note_written()
            except BaseException:
                if self._depth == 1 and self._connection.in_transaction:
                    with suppress(sqlite3.DatabaseError):
                        self._connection.execute("ROLLBACK")
                raise
            finally:
                self._depth -= 1

    def write(self, sql: str, *values: Any) -> int:
        """Returns the number of rows it changed."""
        with self._lock:
            changed = self._execute(sql, *values).rowcount
            if self._depth == 0:
                self._note_written()
            return changed

    def write_many(self, sql: str, rows: Sequence[Sequence[Any]]) -> None:
        with self.transaction():
            self._translated(lambda: self._connection.executemany(sql, rows))

    def rows(self, sql: str, *values: Any) -> list[sqlite3.Row]:
        with self._lock:
            return self._translated(lambda: self._connection.execute(sql, values).fetchall())

    def each(self, sql: str, *values: Any) -> Iterator[tuple[Any, ...]]:
        """The rows one after the other, for results too large to be held twice. Nobody else has a turn meanwhile."""
        with self._lock:
            try:
                cursor = self._connection.execute(sql, values)
                cursor.row_factory = None
                yield from cursor
            except sqlite3.DatabaseError as error:
                raise self._fault(error) from error

    def row(self, sql: str, *values: Any) -> sqlite3.Row | None:
        with self._lock:
            found: sqlite3.Row | None = self._translated(lambda: self._connection.execute(sql, values).fetchone())
            return found

    def refuse_damaged(self) -> None:
        """Raises JournalDamaged where a page is not what was written. Reads the whole file."""
        found = self.row("PRAGMA quick_check(1)")
        if found is None or found[0] != "ok":
            raise JournalDamaged(self._path, "it is damaged" if found is None else str(found[0]))

    def close(self) -> None:
        with self._lock, suppress(sqlite3.DatabaseError):
            self._connection.close()

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        try:
            connection.row_factory = sqlite3.Row
            _turn_to_wal(connection)
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute("PRAGMA foreign_keys = ON")
        except sqlite3.DatabaseError:
            connection.close()
            raise
        return connection

    def _make_tables(self) -> None:
        if self._version() == VERSION:
            return
        with self.transaction():
            version = self._version()
            if version > VERSION:
                raise JournalTooNew(self._path, "it was written by a newer agent")
            if version < VERSION:
                for statement in statements(version):
                    self._execute(statement)
                self._execute(f"PRAGMA user_version = {VERSION}")

    def _version(self) -> int:
        return int(self._execute("PRAGMA user_version").fetchone()[0])

    def _execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
        return self._translated(lambda: self._connection.execute(sql, values))

    def _translated(self, work: Callable[[], Answer]) -> Answer:
        try:
            return work()
        except sqlite3.DatabaseError as error:
            raise self._fault(error) from error

    def _fault(self, error: sqlite3.DatabaseError) -> Exception:
        """What an error of SQLite means to whoever asked; it is said once, until the journal is written again."""
        if any(word in str(error) for word in DAMAGED):
            return JournalDamaged(self._path, str(error))
        if not isinstance(error, sqlite3.OperationalError):
            return error
        unavailable = JournalUnavailable(self._path, str(error))
        if not self._is_away:
            self._is_away = True
            log.error("%s Trying again. %s", unavailable.message, unavailable.remedy)
        return unavailable

    def _note_written(self) -> None:
        if self._is_away:
            self._is_away = False
            log.warning("The journal can be written again.")


def _turn_to_wal(connection: sqlite3.Connection) -> None:
    """Where two make a journal at once, SQLite does not wait: it tells one of them that it is locked, at once."""
    ends = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > ends:
                raise
            time.sleep(TURN_SECONDS)
