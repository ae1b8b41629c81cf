"""A database that is not there yet is waited for, and so is whoever else prepares it."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db import OperationalError, connection

PREPARE_LOCK = 0x1D5_93E9  # advisory lock, of a session: whoever holds it migrates
PAUSE_SECONDS = 0.5
Tell = Callable[[str], object]


def wait_for_database(*, seconds: float, tell: Tell) -> None:
    """Until it lets us in. Raises OperationalError after so many seconds, with the last reason."""
    deadline, has_told = time.monotonic() + seconds, False
    while True:
        try:
            connection.ensure_connection()
        except OperationalError as error:
            if not has_told:
                tell(f"The database does not answer yet, waiting for {seconds:g} seconds: {error}")
                has_told = True
            if time.monotonic() > deadline:
                raise
        else:
            return
        time.sleep(PAUSE_SECONDS)


@contextmanager
def one_at_a_time(*, tell: Tell) -> Iterator[None]:
    """Within it nobody else prepares this database. PostgreSQL takes the lock back when this process ends, however.

    The lock is of a session, not of a transaction: one that stays open for a migration would hold up the next vacuum,
    and every index that is built concurrently.
    """
    holder, has_told = connection.copy(), False
    try:
        with holder.cursor() as cursor:
            while not _try_lock(cursor):
                if not has_told:
                    tell("Another process prepares the database: waiting until it is done.")
                    has_told = True
                time.sleep(PAUSE_SECONDS)
            yield
            cursor.execute("SELECT pg_advisory_unlock(%s)", [PREPARE_LOCK])
    finally:
        holder.close()


def _try_lock(cursor: Any) -> bool:
    cursor.execute("SELECT pg_try_advisory_lock(%s)", [PREPARE_LOCK])
    return bool(cursor.fetchone()[0])
