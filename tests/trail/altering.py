"""What the owner of the database can do to the trail, and nobody else."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection

RUNS, LINKS = "runs_runtrail", "accounts_traillink"
SEALED_TABLES = ("runs_runtrail", "instruments_instrumenttrail", LINKS, "accounts_trailchain", "accounts_trailsealer")


@contextmanager
def protection_off(*tables: str) -> Iterator[None]:
    """The triggers that refuse changes are the owner's own."""
    with connection.cursor() as cursor:
        for table in tables:
            cursor.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
        yield
        for table in tables:
            cursor.execute(f"ALTER TABLE {table} ENABLE TRIGGER USER")


def alter(statement: str, *values: Any) -> None:
    with protection_off(RUNS, LINKS), connection.cursor() as cursor:
        cursor.execute(statement, values)


def flip_one_bit(row_id: int) -> None:
    """Of the last letter of what the row says about who did it."""
    alter(
        """UPDATE runs_runtrail SET pgh_context = jsonb_set(pgh_context, '{name}', to_jsonb(
               left(pgh_context->>'name', -1) || chr(ascii(right(pgh_context->>'name', 1)) # 1))) WHERE pgh_id = %s""",
        row_id,
    )


def take_backup() -> dict[str, bytes]:
    """The rows of the tables that tests of seals write to."""
    kept = {}
    for table in SEALED_TABLES:
        with connection.cursor() as cursor, cursor.copy(f"COPY (SELECT * FROM {table}) TO STDOUT") as copy:
            kept[table] = b"".join(bytes(part) for part in copy)
    return kept


def restore_backup(kept: dict[str, bytes]) -> None:
    for table, rows in kept.items():
        with connection.cursor() as cursor:
            cursor.execute(f"TRUNCATE {table}")
            with cursor.copy(f"COPY {table} FROM STDIN") as copy:
                copy.write(rows)
