"""The kept numbers against a recount. Triggers keep them right; this proves it, and repairs what went past them.

A statement sees one moment, and triggers write in the transaction of what they count: what differs has drifted. Rows
are repaired under their locks, as the triggers take them, and counted again first; nobody else waits.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import connection, transaction

RUNS_PER_BATCH = 5_000  # runs

COUNTED_COLUMNS = {
    "file_count": "files",
    "total_size_bytes": "bytes",
    "n_failed": "failed",
    "n_pending": "pending",
    "n_uploaded": "uploaded",
    "n_processing": "processing",
    "n_completed": "completed",
    "processing_since": "since",
    "claim_count": "claims",
    "comment_count": "comments",
}
RECOUNT_RUNS_SQL = """
    SELECT chosen.id AS run, files.*,
           (SELECT count(*) FROM runs_claim WHERE run_id = chosen.id) AS claims,
           (SELECT count(*) FROM runs_comment WHERE run_id = chosen.id AND deleted_at IS NULL) AS comments
      FROM unnest(%(runs)s::uuid[]) AS chosen (id) CROSS JOIN LATERAL (
        SELECT count(*) AS files, COALESCE(sum(size_bytes) FILTER (WHERE purged_at IS NULL), 0) AS bytes,
               count(*) FILTER (WHERE status = 'failed') AS failed,
               count(*) FILTER (WHERE status IN ('detected', 'upload_requested')) AS pending,
               count(*) FILTER (WHERE status = 'uploaded') AS uploaded,
               count(*) FILTER (WHERE status = 'processing') AS processing,
               count(*) FILTER (WHERE status = 'completed') AS completed,
               min(processing_since) AS since
          FROM files_file WHERE run_id = chosen.id AND category = 'raw' AND deleted_at IS NULL) AS files
"""
FIND_DRIFTED_RUNS_SQL = f"""
    SELECT run.id, run.instrument_id || '/' || run.run_id,
           ARRAY[{", ".join(f"run.{kept}::text" for kept in COUNTED_COLUMNS)}],
           ARRAY[{", ".join(f"truth.{counted}::text" for counted in COUNTED_COLUMNS.values())}]
      FROM runs_run AS run JOIN ({RECOUNT_RUNS_SQL}) AS truth ON truth.run = run.id
     WHERE ({", ".join(f"run.{kept}" for kept in COUNTED_COLUMNS)})
           IS DISTINCT FROM ({", ".join(f"truth.{counted}" for counted in COUNTED_COLUMNS.values())})
     ORDER BY run.id
"""  # noqa: S608 (names of our own columns)
REPAIR_RUNS_SQL = f"""
    UPDATE runs_run AS run SET {", ".join(f"{kept} = truth.{counted}" for kept, counted in COUNTED_COLUMNS.items())}
      FROM ({RECOUNT_RUNS_SQL}) AS truth WHERE run.id = truth.run
"""  # noqa: S608 (names of our own columns)
LOCK_RUNS_SQL = "SELECT 1 FROM runs_run WHERE id = ANY (%(runs)s) ORDER BY id FOR NO KEY UPDATE"
NEXT_RUNS_SQL = "SELECT id FROM runs_run WHERE id > %(after)s ORDER BY id LIMIT %(most)s"
FIND_DRIFTED_INSTRUMENTS_SQL = """
    SELECT id, id, ARRAY[run_count::text], ARRAY[runs::text]
      FROM (SELECT id, run_count, (SELECT count(*) FROM runs_run
                                    WHERE instrument_id = kept.id AND deleted_at IS NULL) AS runs
              FROM instruments_instrument AS kept) AS counted
     WHERE run_count <> runs ORDER BY id
"""
LOCK_INSTRUMENTS_SQL = "SELECT 1 FROM instruments_instrument WHERE id = ANY (%(ids)s) ORDER BY id FOR NO KEY UPDATE"
REPAIR_INSTRUMENTS_SQL = """
    UPDATE instruments_instrument AS instrument SET run_count = truth.runs
      FROM (SELECT id, (SELECT count(*) FROM runs_run
                         WHERE instrument_id = instruments_instrument.id AND deleted_at IS NULL) AS runs
              FROM instruments_instrument) AS truth
     WHERE instrument.id = truth.id AND instrument.run_count <> truth.runs
"""


@dataclass(frozen=True)
class CounterDrift:
    """One row whose kept numbers differ: {column: (kept, counted)}, as text."""

    kind: str  # `run`, `instrument`
    id: UUID | str
    name: str
    columns: dict[str, tuple[str | None, str | None]]


@dataclass(frozen=True)
class RecountResult:
    """How many rows said something else than a recount."""

    runs: int
    instruments: int


def recount_all() -> RecountResult:
    """Count everything again and correct what differs."""
    runs = sum(len(repair_counters(found)) for found in find_drifted_runs())
    return RecountResult(runs=runs, instruments=len(repair_counters(find_drifted_instruments())))


def find_drifted_runs() -> Iterator[list[CounterDrift]]:
    """A list, often empty, for each batch of runs in the order of their ids."""
    after = UUID(int=0)
    while runs := [run for (run,) in _fetch_rows(NEXT_RUNS_SQL, after=after, most=RUNS_PER_BATCH)]:
        yield _build_drifts("run", list(COUNTED_COLUMNS), _fetch_rows(FIND_DRIFTED_RUNS_SQL, runs=runs))
        after = runs[-1]


def find_drifted_instruments() -> list[CounterDrift]:
    return _build_drifts("instrument", ["run_count"], _fetch_rows(FIND_DRIFTED_INSTRUMENTS_SQL))


@transaction.atomic
def repair_counters(found: Sequence[CounterDrift]) -> Sequence[CounterDrift]:
    """Correct these rows, counted again under their locks."""
    runs = [drift.id for drift in found if drift.kind == "run"]
    instruments = [drift.id for drift in found if drift.kind == "instrument"]
    with connection.cursor() as cursor:
        if runs:
            cursor.execute(LOCK_RUNS_SQL, {"runs": runs})
            cursor.execute(REPAIR_RUNS_SQL, {"runs": runs})
        if instruments:
            cursor.execute(LOCK_INSTRUMENTS_SQL, {"ids": instruments})
            cursor.execute(f"{REPAIR_INSTRUMENTS_SQL} AND instrument.id = ANY (%(ids)s)", {"ids": instruments})
    return found


def _build_drifts(kind: str, columns: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> list[CounterDrift]:
    return [
        CounterDrift(
            kind,
            row,
            name,
            {
                column: (was, is_now)
                for column, was, is_now in zip(columns, kept, counted, strict=True)
                if was != is_now
            },
        )
        for row, name, kept, counted in rows
    ]


def _fetch_rows(query: str, **values: Any) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(query, values or None)
        return cursor.fetchall()
