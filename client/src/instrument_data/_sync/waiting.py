"""Where the two faces differ: how to wait, and how to do several things at once. Written by hand in both."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


class GivenUp(Exception):
    """Nobody waits for the result any more: another one failed, or somebody pressed Ctrl-C."""


class _Threads(threading.local):
    given_up: threading.Event | None = None  # of the threads that work for one `each`


THREADS = _Threads()


def sleep(seconds: float) -> None:
    """Raises GivenUp."""
    if THREADS.given_up is None:
        time.sleep(seconds)
    elif THREADS.given_up.wait(seconds):
        raise GivenUp


def in_thread(work: Callable[..., Result], *arguments: Any) -> Result:
    """Nobody else waits. Pieces of a file go through here, so one of many gigabytes ends soon. Raises GivenUp."""
    if THREADS.given_up is not None and THREADS.given_up.is_set():
        raise GivenUp
    return work(*arguments)


def each(work: Callable[[Item], Result], items: Iterable[Item], *, limit: int) -> Iterator[Result]:
    """Results as they come, at most `limit` at a time; the rest is given up where one fails or nobody listens."""
    waiting, running = iter(items), set[Future[Result]]()
    given_up = threading.Event()
    pool = ThreadPoolExecutor(
        limit, thread_name_prefix="instrument-data", initializer=setattr, initargs=(THREADS, "given_up", given_up)
    )
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
        given_up.set()
        pool.shutdown(cancel_futures=True)
