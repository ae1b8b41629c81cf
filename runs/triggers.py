"""What the database keeps by itself when runs, claims and comments change.

Statement level with transition tables; rows of other tables are locked in id order first, so that two writers cannot
deadlock. The row-level triggers listen to columns that callers change, never to counters.
"""

import pgtrigger

from changes.triggers import change_trigger, record_of_run_sql, record_sql

NEW_ROWS, OLD_ROWS = pgtrigger.Referencing(new="new_rows"), pgtrigger.Referencing(old="old_rows")
BOTH_ROWS = pgtrigger.Referencing(old="old_rows", new="new_rows")

ADDED = "SELECT 1 AS step, new_rows.* FROM new_rows"
REMOVED = "SELECT -1 AS step, old_rows.* FROM old_rows"
CHANGED = f"{REMOVED} UNION ALL {ADDED}"

COUNT_RUNS = """
    PERFORM 1 FROM instruments_instrument
      WHERE id IN (SELECT instrument_id FROM ({rows}) AS touched) ORDER BY id FOR NO KEY UPDATE;
    UPDATE instruments_instrument AS instrument SET run_count = run_count + change.runs
      FROM (SELECT instrument_id, SUM(step) AS runs FROM ({rows}) AS touched
             WHERE deleted_at IS NULL GROUP BY instrument_id) AS change
     WHERE instrument.id = change.instrument_id;
    RETURN NULL;
"""
COUNT_RUN_AGAIN = """
    UPDATE instruments_instrument
       SET run_count = run_count + CASE WHEN NEW.deleted_at IS NULL THEN 1 ELSE -1 END
     WHERE id = NEW.instrument_id;
    RETURN NULL;
"""
LOCK_RUNS = (
    "PERFORM 1 FROM runs_run WHERE id IN (SELECT run_id FROM ({rows}) AS touched) ORDER BY id FOR NO KEY UPDATE;"
)
LAST_CHANGE = "updated_at = GREATEST(run.updated_at, date_trunc('milliseconds', clock_timestamp()))"
TOUCH_RUN = """
    UPDATE runs_run AS run SET {last_change} WHERE id = NEW.id;
    RETURN NULL;
"""
COUNT_OF_RUN = """
    {lock}
    UPDATE runs_run AS run SET {counter} = {counter} + change.step
      FROM (SELECT run_id, SUM(step) AS step FROM ({rows}) AS touched WHERE {counted} GROUP BY run_id) AS change
     WHERE run.id = change.run_id AND change.step <> 0;
    RETURN NULL;
"""

# The last wall, whatever deletes: the rule itself, with its words, is runs.holds.rules.
KEEP_HELD_RUNS = """
    PERFORM 1 FROM runs_project WHERE id = OLD.project_id FOR SHARE;
    IF EXISTS (SELECT 1 FROM runs_hold AS hold WHERE hold.project_id = OLD.project_id
                  OR (hold.run_id = OLD.id AND (OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL
                      OR OLD.purged_at IS NULL AND NEW.purged_at IS NOT NULL))) THEN
        RAISE EXCEPTION 'the run is on hold' USING ERRCODE = 'check_violation', CONSTRAINT = 'held_runs_stay';
    END IF;
    RETURN NEW;
"""

# Likewise: the rule with its words is runs.signatures.rules. What processing finds stays free.
KEEP_SIGNED_RUNS = """
    IF EXISTS (SELECT 1 FROM runs_signature WHERE run_id = OLD.id AND revoked_at IS NULL) THEN
        RAISE EXCEPTION 'the run is signed' USING ERRCODE = 'check_violation', CONSTRAINT = 'signed_runs_stay';
    END IF;
    RETURN NEW;
"""


def statement_trigger(
    name: str, *, operation: pgtrigger.Operation, referencing: pgtrigger.Referencing, func: str
) -> pgtrigger.Trigger:
    return pgtrigger.Trigger(
        name=name,
        level=pgtrigger.Statement,
        when=pgtrigger.After,
        operation=operation,
        referencing=referencing,
        func=func,
    )


def record_run(kind: str) -> str:
    return record_sql(kind, instrument="NEW.instrument_id", run="NEW.run_id")


def lock_runs(rows: str) -> str:
    return LOCK_RUNS.format(rows=rows)


def count_runs(rows: str) -> str:
    return COUNT_RUNS.format(rows=rows)


def count_claims(rows: str) -> str:
    return COUNT_OF_RUN.format(lock=lock_runs(rows), rows=rows, counter="claim_count", counted="TRUE")


def count_comments(rows: str) -> str:
    return COUNT_OF_RUN.format(lock=lock_runs(rows), rows=rows, counter="comment_count", counted="deleted_at IS NULL")


ON_RUNS = [
    pgtrigger.Trigger(
        name="keep_held_runs",
        when=pgtrigger.Before,
        operation=pgtrigger.UpdateOf("deleted_at", "project_id", "purged_at"),
        condition=pgtrigger.Condition(
            "((OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL)"
            " OR (OLD.purged_at IS NULL AND NEW.purged_at IS NOT NULL)"
            " OR (OLD.project_id IS NOT NULL AND OLD.project_id IS DISTINCT FROM NEW.project_id))"
        ),
        func=KEEP_HELD_RUNS,
    ),
    pgtrigger.Trigger(
        name="keep_signed_runs",
        when=pgtrigger.Before,
        operation=pgtrigger.UpdateOf("instrument_id", "run_id", "own", "acquired_at", "deleted_at"),
        condition=pgtrigger.Condition(
            "((OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL)"
            " OR (OLD.instrument_id, OLD.run_id, OLD.own, OLD.acquired_at)"
            " IS DISTINCT FROM (NEW.instrument_id, NEW.run_id, NEW.own, NEW.acquired_at))"
        ),
        func=KEEP_SIGNED_RUNS,
    ),
    statement_trigger("count_new_runs", operation=pgtrigger.Insert, referencing=NEW_ROWS, func=count_runs(ADDED)),
    statement_trigger("count_gone_runs", operation=pgtrigger.Delete, referencing=OLD_ROWS, func=count_runs(REMOVED)),
    pgtrigger.Trigger(
        name="count_run_again",
        when=pgtrigger.After,
        operation=pgtrigger.UpdateOf("deleted_at"),
        condition=pgtrigger.Condition("((OLD.deleted_at IS NULL) <> (NEW.deleted_at IS NULL))"),
        func=COUNT_RUN_AGAIN,
    ),
    pgtrigger.Trigger(
        name="touch_run",
        when=pgtrigger.After,
        operation=pgtrigger.UpdateOf(
            *("own", "extracted", "acquired_at", "deleted_at", "tags", "project_id", "purged_at")
        ),
        condition=pgtrigger.AnyChange(
            *("caller_metadata", "extracted", "acquired_at", "deleted_at", "tags", "project", "purged_at")
        ),
        func=TOUCH_RUN.format(last_change=LAST_CHANGE),
    ),
    change_trigger("record_new_run", operation=pgtrigger.Insert, func=record_run("'run.created'")),
    change_trigger(
        "record_status_of_run",
        operation=pgtrigger.UpdateOf("status"),
        condition="OLD.status IS DISTINCT FROM NEW.status AND NEW.status IN ('completed', 'failed')",
        func=record_run("'run.' || NEW.status"),
    ),
    change_trigger(
        "record_deletion_of_run",
        operation=pgtrigger.UpdateOf("deleted_at"),
        condition="(OLD.deleted_at IS NULL) <> (NEW.deleted_at IS NULL)",
        func=record_run("CASE WHEN NEW.deleted_at IS NULL THEN 'run.restored' ELSE 'run.deleted' END"),
    ),
    change_trigger(
        "record_purge_of_run",
        operation=pgtrigger.UpdateOf("purged_at"),
        condition="OLD.purged_at IS NULL AND NEW.purged_at IS NOT NULL",
        func=record_run("'run.purged'"),
    ),
]
ON_CLAIMS = [
    statement_trigger("count_new_claims", operation=pgtrigger.Insert, referencing=NEW_ROWS, func=count_claims(ADDED)),
    statement_trigger(
        "count_gone_claims", operation=pgtrigger.Delete, referencing=OLD_ROWS, func=count_claims(REMOVED)
    ),
]
ON_COMMENTS = [
    statement_trigger(
        "count_new_comments", operation=pgtrigger.Insert, referencing=NEW_ROWS, func=count_comments(ADDED)
    ),
    statement_trigger(
        "count_changed_comments", operation=pgtrigger.Update, referencing=BOTH_ROWS, func=count_comments(CHANGED)
    ),
    statement_trigger(
        "count_gone_comments", operation=pgtrigger.Delete, referencing=OLD_ROWS, func=count_comments(REMOVED)
    ),
    change_trigger(
        "record_new_comment",
        operation=pgtrigger.Insert,
        func=record_of_run_sql("'comment.created'", comment="NEW.id"),
    ),
]
