"""A lock between removing objects and copying the store: a copy must have every object that its rows refer to.

The order makes it safe without a lock around the store: a remover takes the lock in the transaction that decides (rows
removed, or found not to name a key), and deletes objects after it. A copy that begins later has rows without them.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import psycopg
from django.db import Error, connection

from wire.errors import Conflict

COPY_LOCK_ID = 0x1D5_C0B1  # advisory lock: shared by those who copy, taken for a moment by those who remove


class RemovalOnHold(Conflict):
    def __init__(self) -> None:
        super().__init__(
            "The store is being copied (./ids manage backup): objects are removed later.", held_by="backup"
        )


def refuse_during_copy() -> None:
    """Within the transaction that decides what goes. Raises RemovalOnHold."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [COPY_LOCK_ID])
        if not cursor.fetchone()[0]:
            raise RemovalOnHold


@contextmanager
def hold_removals() -> Iterator[Callable[[], bool]]:
    """Nothing is removed within it, by any process; call what it gives to ask whether that still holds."""
    holder = connection.copy()
    try:
        holder.set_autocommit(False)
        with holder.cursor() as cursor:
            cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
            cursor.execute("SELECT pg_advisory_xact_lock_shared(%s)", [COPY_LOCK_ID])

            def holds() -> bool:
                try:
                    cursor.execute("SELECT 1")
                except (Error, psycopg.Error):
                    return False
                return True

            yield holds
    finally:
        with suppress(Error):
            holder.rollback()
        holder.close()
