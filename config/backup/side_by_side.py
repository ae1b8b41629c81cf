"""A few at a time, and the results in the order of the work: copying waits more than it computes."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

WORKERS = 4
AHEAD = 16

Item = TypeVar("Item")
Result = TypeVar("Result")


def side_by_side(work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
    """`items` are drawn as they are needed. The first exception ends it, after what is under way."""
    waiting: deque[Future[Result]] = deque()
    executor = ThreadPoolExecutor(WORKERS)
    try:
        for item in items:
            waiting.append(executor.submit(work, item))
            if len(waiting) >= AHEAD:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        executor.shutdown(cancel_futures=True)
