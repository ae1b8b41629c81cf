"""Real threads that start together, each with its own database connection."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from django.db import connection

Result = TypeVar("Result")


def at_once(count: int, act: Callable[[int], Result]) -> list[Result]:
    """Call `act(0)` to `act(count - 1)` at the same moment; what each returned. Needs django_db(transaction=True)."""
    start = threading.Barrier(count)

    def one(number: int) -> Result:
        start.wait()
        try:
            return act(number)
        finally:
            connection.close()

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(one, range(count)))
