"""From the SDK's event loop to the ORM and back: a few threads of our own, no connection left behind."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from asgiref.sync import sync_to_async
from django.db import connections

Given = ParamSpec("Given")
Answer = TypeVar("Answer")

MOST_THREADS = 8  # what the connection pool has room for beside the threads of the web server (see DATABASES)
threads: ThreadPoolExecutor | None = ThreadPoolExecutor(
    MOST_THREADS, thread_name_prefix="mcp"
)  # None: the caller's own


async def in_thread(function: Callable[Given, Answer], *args: Given.args, **kwargs: Given.kwargs) -> Answer:
    """What `function` answers, run where blocking is allowed."""

    def run() -> Answer:
        close_unusable()
        try:
            return function(*args, **kwargs)
        finally:
            close_unusable()

    if threads is None:  # in tests, so that they see the rows of their transaction
        return await sync_to_async(run, thread_sensitive=True)()
    return await sync_to_async(run, thread_sensitive=False, executor=threads)()


def close_unusable() -> None:
    """As Django does round a request, but never inside a transaction, such as a test's."""
    for connection in connections.all(initialized_only=True):
        if not connection.in_atomic_block:
            connection.close_if_unusable_or_obsolete()
