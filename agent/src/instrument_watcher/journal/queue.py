"""What is to be done next, and when."""

from collections.abc import Sequence

from instrument_watcher.journal.database import Database
from instrument_watcher.journal.files import file_of
from instrument_watcher.journal.rows import FileRow

TO_COMPARE = "state = 'comparing'"
TO_UPLOAD = "state = 'reported' AND wanted = 1"
TOUCHED = "touched = 1"
TO_REPORT = "state = 'found'"


class Queue:
    """Files that wait to be reported, compared or uploaded. Times are of the monotonic clock."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def postpone(self, row_id: int, *, until: float, reason: str) -> None:
        sql = "UPDATE files SET attempts = attempts + 1, next_attempt = ?, reason = ? WHERE id = ?"
        self._db.write(sql, until, reason, row_id)

    def defer(self, row_id: int, *, until: float) -> None:
        """Let others go first; it is not the file's fault."""
        self._db.write("UPDATE files SET next_attempt = ? WHERE id = ?", until, row_id)

    def forget_delays(self) -> None:
        """Whoever starts the agent wants everything tried now; and another process' clock says nothing to this one."""
        self._db.write("UPDATE files SET next_attempt = 0 WHERE next_attempt > 0")

    def to_report(self, *, limit: int) -> list[FileRow]:
        """Complete files of one run that the service does not know, oldest first."""
        sql = (
            "SELECT * FROM files WHERE state = 'found' AND run_id ="
            " (SELECT run_id FROM files WHERE state = 'found' ORDER BY id LIMIT 1) ORDER BY id LIMIT ?"
        )
        return [file_of(row) for row in self._db.rows(sql, limit)]

    def next_upload(self, *, now: float, besides: Sequence[int]) -> FileRow | None:
        """The file that waits longest to be compared, else to be uploaded, else one that was touched after its upload,
        besides those under way."""
        marks = ",".join("?" * len(besides))
        rest = f"next_attempt <= ? AND id NOT IN ({marks}) ORDER BY next_attempt, id LIMIT 1"
        for which in (TO_COMPARE, TO_UPLOAD, TOUCHED):
            row = self._db.row(f"SELECT * FROM files WHERE {which} AND {rest}", now, *besides)
            if row is not None:
                return file_of(row)
        return None

    def next_attempt_at(self, *, besides: Sequence[int]) -> float | None:
        """When the next postponed upload is due; None where none waits."""
        marks = ",".join("?" * len(besides))
        least = f"SELECT min(next_attempt) FROM files WHERE id NOT IN ({marks})"
        found = [self._db.row(f"{least} AND {which}", *besides) for which in (TO_COMPARE, TO_UPLOAD, TOUCHED)]
        return min((row[0] for row in found if row is not None and row[0] is not None), default=None)

    def count_waiting(self) -> int:
        """What is to be uploaded, as far as it is known to be wanted."""
        row = self._db.row(f"SELECT count(*) FROM files WHERE {TO_UPLOAD}")
        return 0 if row is None else int(row[0])

    def waiting(self) -> tuple[int, int]:
        """Number and bytes of all that is to arrive, known to the service or not."""
        files = size = 0
        for which in (TO_REPORT, TO_COMPARE, TO_UPLOAD):
            row = self._db.row(f"SELECT count(*), coalesce(sum(size), 0) FROM files WHERE {which}")
            if row is not None:
                files, size = files + row[0], size + row[1]
        return files, size

    def waiting_files(self, *, limit: int) -> list[FileRow]:
        """Some of these, about in the order in which their turn comes."""
        found: list[FileRow] = []
        for which, order in ((TO_COMPARE, "next_attempt, id"), (TO_UPLOAD, "next_attempt, id"), (TO_REPORT, "id")):
            rows = self._db.rows(f"SELECT * FROM files WHERE {which} ORDER BY {order} LIMIT ?", limit - len(found))
            found += map(file_of, rows)
        return found
