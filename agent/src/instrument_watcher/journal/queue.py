"""What is to be done next, and when."""

from collections.abc import Sequence

from instrument_watcher.journal.database import Database
from instrument_watcher.journal.files import file_of
from instrument_watcher.journal.rows import FileRow


class Queue:
    """Files that wait to be reported or uploaded."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def postpone(self, row_id: int, *, until: float, reason: str) -> None:
        sql = "UPDATE files SET attempts = attempts + 1, next_attempt = ?, reason = ? WHERE id = ?"
        self._db.write(sql, until, reason, row_id)

    def defer(self, row_id: int, *, until: float) -> None:
        """Let others go first; it is not the file's fault."""
        self._db.write("UPDATE files SET next_attempt = ? WHERE id = ?", until, row_id)

    def forget_delays(self) -> None:
        """Whoever starts the agent wants everything tried now."""
        self._db.write("UPDATE files SET next_attempt = 0 WHERE state = 'reported' AND next_attempt > 0")

    def to_report(self, *, limit: int) -> list[FileRow]:
        """Complete files of one run that the service does not know, oldest first."""
        sql = (
            "SELECT * FROM files WHERE state = 'found' AND run_id ="
            " (SELECT run_id FROM files WHERE state = 'found' ORDER BY id LIMIT 1) ORDER BY id LIMIT ?"
        )
        return [file_of(row) for row in self._db.rows(sql, limit)]

    def next_upload(self, *, now: float, besides: Sequence[int]) -> FileRow | None:
        """The file that waits longest, besides those under way."""
        marks = ",".join("?" * len(besides))
        sql = (
            "SELECT * FROM files WHERE state = 'reported' AND wanted = 1 AND next_attempt <= ?"
            f" AND id NOT IN ({marks}) ORDER BY next_attempt, id LIMIT 1"
        )
        row = self._db.row(sql, now, *besides)
        return None if row is None else file_of(row)

    def next_attempt_at(self, *, besides: Sequence[int]) -> float | None:
        """When the next postponed upload is due; None where none waits."""
        marks = ",".join("?" * len(besides))
        sql = f"SELECT min(next_attempt) FROM files WHERE state = 'reported' AND wanted = 1 AND id NOT IN ({marks})"
        row = self._db.row(sql, *besides)
        return None if row is None else row[0]

    def count_waiting(self) -> int:
        """What is to be uploaded, as far as it is known to be wanted."""
        row = self._db.row("SELECT count(*) FROM files WHERE state = 'reported' AND wanted = 1")
        return 0 if row is None else int(row[0])
