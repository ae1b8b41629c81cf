"""Where the two faces differ: how to wait, and how to do several things at once. Written by hand in both."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from typing import Any, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


async def sleep(seconds: float) -> None:
    await asyncio.sleep(seconds)


async def in_thread(work: Callable[..., Result], *arguments: Any) -> Result:
    """What reads or writes files would keep everybody waiting."""
    return await asyncio.to_thread(work, *arguments)


async def each(
    work: Callable[[Item], Awaitable[Result]], items: Iterable[Item], *, limit: int
) -> AsyncIterator[Result]:
    """Results as they come, at most `limit` at a time; the rest is given up where one fails or nobody listens."""
    waiting, running = iter(items), set[asyncio.Task[Result]]()
    try:
        while True:
            while len(running) < limit and (item := next(waiting, None)) is not None:
                running.add(asyncio.ensure_future(work(item)))
            if not running:
                return
            done, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                yield task.result()
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
