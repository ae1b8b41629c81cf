"""How tables write the log: deferred constraint triggers, which run at the end of a transaction, under one lock.

`public.record_change` (migration 0001) takes the lock, which is held until the transaction is seen by others. Whoever
takes the next position does so afterwards: the order of positions is the order of commits. What a condition turns away
(a heartbeat) is never queued.
"""

import pgtrigger


def change_trigger(
    name: str, *, operation: pgtrigger.Operation, condition: str | None = None, func: str
) -> pgtrigger.Trigger:
    """`func` calls `record_sql(…)`; `condition` is asked at once, row by row, and keeps others out of the queue."""
    return pgtrigger.Trigger(
        name=name,
        level=pgtrigger.Row,
        when=pgtrigger.After,
        timing=pgtrigger.Deferred,
        operation=operation,
        condition=pgtrigger.Condition(f"({condition})") if condition else None,
        func=f"{func.strip()}\n    RETURN NULL;",
    )


def record_sql(
    kind: str,
    *,
    instrument: str,
    run: str = "NULL",
    file: str = "NULL",
    comment: str = "NULL",
    archive: str = "NULL",
    watcher: str = "NULL",
) -> str:
    """The statement that writes one line of the log; the values are SQL, `kind` too."""
    return f"PERFORM public.record_change({kind}, {instrument}, {run}, {file}, {comment}, {archive}, {watcher});"


def record_of_run_sql(kind: str, **named: str) -> str:
    """The same of what has NEW.run_id."""
    given = {"file": "NULL", "comment": "NULL", "archive": "NULL"} | named
    return f"""PERFORM public.record_change(
        {kind}, run.instrument_id, run.run_id, {given["file"]}, {given["comment"]}, {given["archive"]}, NULL
    ) FROM runs_run AS run WHERE run.id = NEW.run_id;"""
