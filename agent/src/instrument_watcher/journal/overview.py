"""What the journal tells people."""

from instrument_watcher.journal.database import Database
from instrument_watcher.journal.files import file_of
from instrument_watcher.journal.rows import FileRow, FileState

IN_TROUBLE = (
    "(state IN ('refused', 'changed', 'gone', 'stopped') OR (state IN ('comparing', 'reported') AND attempts > 0))"
)


class Overview:
    def __init__(self, database: Database) -> None:
        self._db = database

    def summary(self) -> dict[FileState, tuple[int, int]]:
        """Number and bytes of the files in each state."""
        rows = self._db.rows("SELECT state, count(*), sum(size) FROM files GROUP BY state")
        return {FileState(row[0]): (row[1], row[2]) for row in rows}

    def latest(self, *states: FileState, limit: int) -> list[FileRow]:
        marks = ",".join("?" * len(states))
        order = "ORDER BY coalesce(uploaded_at, found_at) DESC, id DESC"
        sql = f"SELECT * FROM files WHERE state IN ({marks}) {order} LIMIT ?"
        return [file_of(row) for row in self._db.rows(sql, *(state.value for state in states), limit)]

    def with_trouble(self, *, limit: int) -> list[FileRow]:
        """Files that keep failing, and those that were refused, changed or lost."""
        sql = f"SELECT * FROM files WHERE {IN_TROUBLE} ORDER BY id DESC LIMIT ?"
        return [file_of(row) for row in self._db.rows(sql, limit)]

    def count_trouble(self) -> int:
        row = self._db.row(f"SELECT count(*) FROM files WHERE {IN_TROUBLE}")
        return 0 if row is None else int(row[0])

    def uploaded_by_minute(self, *, since: str) -> dict[str, tuple[int, int]]:
        """Number and bytes of the files uploaded since then, by the minute: 2026-11-22T18:33."""
        sql = (
            "SELECT substr(uploaded_at, 1, 16), count(*), sum(size) FROM files"
            " WHERE state = 'uploaded' AND uploaded_at >= ? GROUP BY 1"
        )
        return {minute: (count, size) for minute, count, size in self._db.rows(sql, since)}
