"""Loading millions of rows: indexes, foreign keys and triggers off, and all of them back on as they were."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from django.db import connection

CONSTRAINTS_SQL = """
    SELECT conrelid::regclass::text, quote_ident(conname), pg_get_constraintdef(oid) FROM pg_constraint
     WHERE contype = ANY (%s) AND conrelid::regclass::text = ANY (%s) AND conparentid = 0
"""
INDEXES_SQL = """
    SELECT indexrelid::regclass::text, pg_get_indexdef(indexrelid) FROM pg_index
     WHERE indrelid::regclass::text = ANY (%s)
       AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid AND contype IN ('p', 'u'))
"""


@dataclass(frozen=True)
class ReversibleStep:
    """A statement to take something away and the one that brings it back."""

    drop: str
    create: str


@contextmanager
def suspend_constraints(tables: Sequence[str]) -> Iterator[None]:
    """Needs the owner of the tables, and nobody else at work."""
    undone = [*_list_constraints("f", tables), *_list_constraints("u", tables), *_list_indexes(tables)]
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")  # tables with checks outstanding cannot be altered
        for table in tables:
            cursor.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
        for step in undone:
            cursor.execute(step.drop)
        yield
        for step in reversed(undone):
            cursor.execute(step.create)
        for table in tables:
            cursor.execute(f"ALTER TABLE {table} ENABLE TRIGGER USER")


def _list_constraints(kind: str, tables: Sequence[str]) -> list[ReversibleStep]:
    return [
        ReversibleStep(
            f"ALTER TABLE {table} DROP CONSTRAINT {name}", f"ALTER TABLE {table} ADD CONSTRAINT {name} {definition}"
        )
        for table, name, definition in _query_rows(CONSTRAINTS_SQL, [kind], list(tables))
    ]


def _list_indexes(tables: Sequence[str]) -> list[ReversibleStep]:
    return [
        ReversibleStep(f"DROP INDEX {name}", definition) for name, definition in _query_rows(INDEXES_SQL, list(tables))
    ]


def _query_rows(statement: str, *values: list[str]) -> list[tuple[str, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return cursor.fetchall()
