"""The kept numbers against a recount. Triggers keep them right; this proves it, and repairs what a restore brings."""

from dataclasses import dataclass

from django.db import connection, transaction

RECOUNT_RUNS = """
    UPDATE runs_run AS run SET
        file_count = truth.files, total_size_bytes = truth.bytes,
        n_failed = truth.failed, n_pending = truth.pending, n_uploaded = truth.uploaded,
        n_processing = truth.processing, n_completed = truth.completed, processing_since = truth.since,
        claim_count = truth.claims, comment_count = truth.comments
      FROM (
        SELECT id, files.*,
               (SELECT count(*) FROM runs_claim WHERE run_id = runs_run.id) AS claims,
               (SELECT count(*) FROM runs_comment WHERE run_id = runs_run.id AND deleted_at IS NULL) AS comments
          FROM runs_run CROSS JOIN LATERAL (
            SELECT count(*) AS files, COALESCE(sum(size_bytes), 0) AS bytes,
                   count(*) FILTER (WHERE status = 'failed') AS failed,
                   count(*) FILTER (WHERE status IN ('detected', 'upload_requested')) AS pending,
                   count(*) FILTER (WHERE status = 'uploaded') AS uploaded,
                   count(*) FILTER (WHERE status = 'processing') AS processing,
                   count(*) FILTER (WHERE status = 'completed') AS completed,
                   min(processing_since) AS since
              FROM files_file WHERE run_id = runs_run.id AND category = 'raw' AND deleted_at IS NULL) AS files
      ) AS truth
     WHERE run.id = truth.id
       AND (run.file_count, run.total_size_bytes, run.n_failed, run.n_pending, run.n_uploaded, run.n_processing,
            run.n_completed, run.processing_since, run.claim_count, run.comment_count)
           IS DISTINCT FROM
           (truth.files, truth.bytes, truth.failed, truth.pending, truth.uploaded, truth.processing,
            truth.completed, truth.since, truth.claims, truth.comments)
"""
RECOUNT_INSTRUMENTS = """
    UPDATE instruments_instrument AS instrument SET run_count = truth.runs
      FROM (SELECT id, (SELECT count(*) FROM runs_run
                         WHERE instrument_id = instruments_instrument.id AND deleted_at IS NULL) AS runs
              FROM instruments_instrument) AS truth
     WHERE instrument.id = truth.id AND instrument.run_count <> truth.runs
"""


@dataclass(frozen=True)
class Corrected:
    """How many rows said something else than a recount."""

    runs: int
    instruments: int


@transaction.atomic
def recount() -> Corrected:
    """Count everything again and correct what differs. Writers of runs and files wait meanwhile."""
    with connection.cursor() as cursor:
        cursor.execute("LOCK TABLE runs_run, files_file, runs_claim, runs_comment IN SHARE ROW EXCLUSIVE MODE")
        cursor.execute(RECOUNT_RUNS)
        runs = cursor.rowcount
        cursor.execute(RECOUNT_INSTRUMENTS)
        return Corrected(runs=runs, instruments=cursor.rowcount)
