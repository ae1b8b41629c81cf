"""Whether there is a pooler between us and PostgreSQL, and whose connections it lends how."""

from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum

from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper

ATTEMPTS = 10  # a pooler that others use meanwhile may lend each of us another connection


class Pooling(StrEnum):
    BY_TRANSACTION = "by transaction"
    BY_SESSION = "by session, or busy"


def find_pooling() -> Pooling | None:
    """None: PostgreSQL itself answers. Raises DatabaseError.

    The number of the process that a pooler tells at the greeting is its own invention. Only one that shares connections
    by transaction gives a client several processes, or two clients the same one; a busy one may take a while to.
    """
    with _connect() as one, _connect() as other:
        if _greeted_by(one) == _ask_process(one):
            return None
        mine, theirs = set[int](), set[int]()
        for _ in range(ATTEMPTS):
            mine.add(_ask_process(one))
            theirs.add(_ask_process(other))
        return Pooling.BY_TRANSACTION if len(mine) > 1 or mine & theirs else Pooling.BY_SESSION


@contextmanager
def _connect() -> Iterator[BaseDatabaseWrapper]:
    """A connection of our own, beside the one that this thread has."""
    own = connection.copy()
    try:
        yield own
    finally:
        own.close()


def _greeted_by(used: BaseDatabaseWrapper) -> int:
    used.ensure_connection()
    return int(used.connection.info.backend_pid)


def _ask_process(used: BaseDatabaseWrapper) -> int:
    with used.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        return int(cursor.fetchone()[0])
