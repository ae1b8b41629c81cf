"""What the database keeps when files change: on their runs counters over active raw files and `updated_at`, and how
much is stored of which category.

Statement level with transition tables: a thousand files cost one update of their run. Runs are locked in id order
first, so that two writers cannot deadlock; after the lock the next statement sees what others have committed.
"""

import pgtrigger

from changes.triggers import change_trigger, record_of_run_sql
from runs.triggers import (
    ADDED,
    BOTH_ROWS,
    CHANGED,
    LAST_CHANGE,
    NEW_ROWS,
    OLD_ROWS,
    REMOVED,
    lock_runs,
    statement_trigger,
)

FILES_PER_RANGE = 1 << 20  # of their ids; what is stored is kept for each range (files.stored.sizes)
COUNT_FILES = """
    {lock}
    UPDATE runs_run AS run SET
        file_count = run.file_count + change.files,
        total_size_bytes = run.total_size_bytes + change.bytes,
        n_failed = run.n_failed + change.failed,
        n_pending = run.n_pending + change.pending,
        n_uploaded = run.n_uploaded + change.uploaded,
        n_processing = run.n_processing + change.processing,
        n_completed = run.n_completed + change.completed,
        processing_since = CASE WHEN change.stirs_processing
            THEN (SELECT MIN(file.processing_since) FROM files_file AS file
                   WHERE file.run_id = run.id AND file.processing_since IS NOT NULL
                     AND file.category = 'raw' AND file.deleted_at IS NULL)
            ELSE run.processing_since END,
        {last_change}
      FROM (SELECT run_id,
                   COALESCE(SUM(step) FILTER (WHERE counted), 0) AS files,
                   COALESCE(SUM(step * size_bytes) FILTER (WHERE counted AND purged_at IS NULL), 0) AS bytes,
                   COALESCE(SUM(step) FILTER (WHERE counted AND status = 'failed'), 0) AS failed,
                   COALESCE(SUM(step) FILTER (WHERE counted AND waits), 0) AS pending,
                   COALESCE(SUM(step) FILTER (WHERE counted AND status = 'uploaded'), 0) AS uploaded,
                   COALESCE(SUM(step) FILTER (WHERE counted AND status = 'processing'), 0) AS processing,
                   COALESCE(SUM(step) FILTER (WHERE counted AND status = 'completed'), 0) AS completed,
                   bool_or(status = 'processing') AS stirs_processing
              FROM (SELECT run_id, step, size_bytes, status, purged_at,
                           status IN ('detected', 'upload_requested') AS waits,
                           category = 'raw' AND deleted_at IS NULL AS counted
                      FROM ({rows}) AS touched) AS weighed
             GROUP BY run_id) AS change
     WHERE run.id = change.run_id;
    INSERT INTO files_storedchange (id_range, category, objects_count, size_bytes)
    SELECT id / {range}, category, SUM(step), COALESCE(SUM(step * size_bytes), 0) FROM ({rows}) AS touched
     WHERE uploaded_at IS NOT NULL AND deleted_at IS NULL AND purged_at IS NULL GROUP BY 1, 2
    HAVING SUM(step) <> 0 OR COALESCE(SUM(step * size_bytes), 0) <> 0;
    RETURN NULL;
"""

# The last wall before the raw files of signed runs, whose rows `count_…` has locked: triggers fire in order of name.
KEEP_SIGNED_FILES = """
    IF EXISTS (SELECT 1 FROM {rows} JOIN runs_signature AS signature
                          ON signature.run_id = {run} AND signature.revoked_at IS NULL WHERE {signed}) THEN
        RAISE EXCEPTION 'the run is signed' USING ERRCODE = 'check_violation', CONSTRAINT = 'signed_files_stay';
    END IF;
    RETURN NULL;
"""
SIGNED_COLUMNS = ("run_id", "category", "relative_path", "size_bytes", "sha256", "own", "deleted_at")
KEEP_CHANGED_FILES = KEEP_SIGNED_FILES.format(
    rows="old_rows JOIN new_rows USING (id)",
    run="ANY (ARRAY[old_rows.run_id, new_rows.run_id])",
    signed="'raw' IN (old_rows.category, new_rows.category) AND ({}) IS DISTINCT FROM ({})".format(
        *(", ".join(f"{rows}.{column}" for column in SIGNED_COLUMNS) for rows in ("old_rows", "new_rows"))
    ),
)


def keep_signed_files(rows: str) -> str:
    return KEEP_SIGNED_FILES.format(rows=rows, run=f"{rows}.run_id", signed=f"{rows}.category = 'raw'")


def count_files(rows: str) -> str:
    return COUNT_FILES.format(lock=lock_runs(rows), last_change=LAST_CHANGE, rows=rows, range=FILES_PER_RANGE)


# The last wall, whatever purges: the rule itself is retention.holding.
KEEP_FILES_OF_HELD_RUNS = """
    IF EXISTS (SELECT 1 FROM runs_run AS run JOIN runs_hold AS hold
                   ON hold.run_id = run.id OR hold.project_id = run.project_id WHERE run.id = NEW.run_id) THEN
        RAISE EXCEPTION 'the run is on hold' USING ERRCODE = 'check_violation', CONSTRAINT = 'held_files_stay';
    END IF;
    RETURN NEW;
"""

ON_FILES = [
    pgtrigger.Trigger(
        name="keep_held_files",
        when=pgtrigger.Before,
        operation=pgtrigger.UpdateOf("purged_at"),
        condition=pgtrigger.Condition("(OLD.purged_at IS NULL AND NEW.purged_at IS NOT NULL)"),
        func=KEEP_FILES_OF_HELD_RUNS,
    ),
    statement_trigger("count_new_files", operation=pgtrigger.Insert, referencing=NEW_ROWS, func=count_files(ADDED)),
    statement_trigger(
        "count_changed_files", operation=pgtrigger.Update, referencing=BOTH_ROWS, func=count_files(CHANGED)
    ),
    statement_trigger("count_gone_files", operation=pgtrigger.Delete, referencing=OLD_ROWS, func=count_files(REMOVED)),
    statement_trigger(
        "keep_signed_new_files", operation=pgtrigger.Insert, referencing=NEW_ROWS, func=keep_signed_files("new_rows")
    ),
    statement_trigger(
        "keep_signed_changed_files", operation=pgtrigger.Update, referencing=BOTH_ROWS, func=KEEP_CHANGED_FILES
    ),
    statement_trigger(
        "keep_signed_gone_files", operation=pgtrigger.Delete, referencing=OLD_ROWS, func=keep_signed_files("old_rows")
    ),
    change_trigger(
        "record_stored_file",
        operation=pgtrigger.Insert,
        condition="NEW.uploaded_at IS NOT NULL AND NEW.category = 'raw'",
        func=record_of_run_sql("'file.uploaded'", file="NEW.id"),
    ),
    change_trigger(
        "record_uploaded_file",
        operation=pgtrigger.UpdateOf("uploaded_at"),
        condition="OLD.uploaded_at IS NULL AND NEW.uploaded_at IS NOT NULL",
        func=record_of_run_sql("'file.uploaded'", file="NEW.id"),
    ),
    change_trigger(
        "record_read_file",
        operation=pgtrigger.UpdateOf("status"),
        condition="OLD.status <> NEW.status AND NEW.status IN ('completed', 'failed')",
        func=record_of_run_sql("'file.' || NEW.status", file="NEW.id"),
    ),
    change_trigger(
        "record_purged_file",
        operation=pgtrigger.UpdateOf("purged_at"),
        condition="OLD.purged_at IS NULL AND NEW.purged_at IS NOT NULL",
        func=record_of_run_sql("'file.purged'", file="NEW.id"),
    ),
]
