"""The journal's lines about runs."""

from instrument_watcher.clock import stamp, utc_now
from instrument_watcher.journal.database import Database


class RunRows:
    def __init__(self, database: Database) -> None:
        self._db = database

    def mark_reported(self, run_id: str) -> None:
        sql = (
            "INSERT INTO runs (run_id, reported_at) VALUES (?, ?) ON CONFLICT (run_id) DO UPDATE"
            " SET reported_at = coalesce(reported_at, excluded.reported_at)"
        )
        self._db.write(sql, run_id, stamp(utc_now()))

    def is_new(self, run_id: str) -> bool:
        """Whether it was never reported."""
        return self._db.row("SELECT 1 FROM runs WHERE run_id = ? AND reported_at IS NOT NULL", run_id) is None

    def stop(self, run_id: str, *, reason: str) -> None:
        sql = (
            "INSERT INTO runs (run_id, stopped_because) VALUES (?, ?)"
            " ON CONFLICT (run_id) DO UPDATE SET stopped_because = excluded.stopped_because"
        )
        self._db.write(sql, run_id, reason)

    def resume(self, run_id: str) -> None:
        self._db.write("UPDATE runs SET stopped_because = NULL WHERE run_id = ?", run_id)

    def stopped(self) -> dict[str, str]:
        """The reason, by run."""
        rows = self._db.rows(
            "SELECT run_id, stopped_because FROM runs WHERE stopped_because IS NOT NULL ORDER BY run_id"
        )
        return {row["run_id"]: row["stopped_because"] for row in rows}

    def count(self) -> int:
        row = self._db.row("SELECT count(*) FROM runs")
        return 0 if row is None else int(row[0])
