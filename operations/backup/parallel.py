"""A few at a time, and the results in the order of the work: copying waits more than it computes."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

WORKER_THREADS = 4
MAX_PENDING = 16

Item = TypeVar("Item")
Result = TypeVar("Result")


def map_in_parallel(work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
    """`items` are drawn as they are needed. The first exception ends it, after what is under way."""
    waiting: deque[Future[Result]] = deque()
    executor = ThreadPoolExecutor(WORKER_THREADS)
    try:
        for item in items:
            waiting.append(executor.submit(work, item))
            if len(waiting) >= MAX_PENDING:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        executor.shutdown(cancel_futures=True)
