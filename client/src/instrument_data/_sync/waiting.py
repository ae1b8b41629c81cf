"""Where the two faces differ: how to wait, and how to do several things at once. Written by hand in both."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def sleep(seconds: float) -> None:
    time.sleep(seconds)


def in_thread(work: Callable[..., Result], *arguments: Any) -> Result:
    """Nobody else waits."""
    return work(*arguments)


def each(work: Callable[[Item], Result], items: Iterable[Item], *, limit: int) -> Iterator[Result]:
    """Results as they come, at most `limit` at a time; the rest is given up where one fails or nobody listens."""
    waiting, running = iter(items), set[Future[Result]]()
    pool = ThreadPoolExecutor(limit, thread_name_prefix="instrument-data")
    try:
        while True:
            while len(running) < limit and (item := next(waiting, None)) is not None:
                running.add(pool.submit(work, item))
            if not running:
                return
            done, running = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                yield future.result()
    finally:
        pool.shutdown(cancel_futures=True)
