"""From the SDK's event loop to the ORM and back: a few threads of our own, no connection left behind."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from asgiref.sync import sync_to_async
from django.db import connections

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

MAX_THREADS = 8  # what the connection pool has room for beside the threads of the web server (see DATABASES)
tool_executor: ThreadPoolExecutor | None = ThreadPoolExecutor(
    MAX_THREADS, thread_name_prefix="mcp"
)  # None: the caller's own


async def run_in_thread(
    function: Callable[Parameters, Result], *args: Parameters.args, **kwargs: Parameters.kwargs
) -> Result:
    """What `function` answers, run where blocking is allowed."""

    def run() -> Result:
        close_unusable_connections()
        try:
            return function(*args, **kwargs)
        finally:
            close_unusable_connections()

    if tool_executor is None:  # in tests, so that they see the rows of their transaction
        return await sync_to_async(run, thread_sensitive=True)()
    return await sync_to_async(run, thread_sensitive=False, executor=tool_executor)()


def close_unusable_connections() -> None:
    """As Django does round a request, but never inside a transaction, such as a test's."""
    for connection in connections.all(initialized_only=True):
        if not connection.in_atomic_block:
            connection.close_if_unusable_or_obsolete()
