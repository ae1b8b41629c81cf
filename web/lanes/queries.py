"""The lane of queries over rows of datasets, and of exports, which stream for as long as somebody reads them.

They hold threads of their own, so that no heartbeat waits behind them. What may take long is handed over to another
process, where there is one: a thread that computes keeps the interpreter from those that answer heartbeats. Who finds
no place reads 429. When the client leaves, the query that works for it is interrupted.
"""

import asyncio
import re
from contextlib import suppress

from datasets.engine import Abandonment
from datasets.requests import ABANDONMENT
from web.lanes.handing_over import TakeOver
from web.lanes.lane import Lane, LaneBusy
from wire.asgi import ASGIApp, Receive, Scope, Send, find_header
from wire.errors import RateLimited

QUERY_THREADS = 3
QUEUED_PIECES = 4  # of up to a few MiB each, that wait for a slow reader
MAX_PLACES, MAX_PLACES_OF_ADDRESS = 24, 16
UUID = r"[^/]+"
ROWS = re.compile(rf"/api/v1/(datasets/{UUID}(/rows)?|dataset-rows)")
TABLES = re.compile(rf"/datasets/{UUID}")  # the page
RUN_LISTS = re.compile(r"/api/v1/(instrument-runs|instruments/[^/]+/runs)")
EXPORT = re.compile(rb"(^|&)format=(?!json(&|$))")
COMPUTED = re.compile(rb"(^|&)(where|aggregate|order_by|group_by|max_points)=")
STREAMED = re.compile("arrow|csv|ndjson|parquet")


class QueriesWaiting(LaneBusy, RateLimited):
    def __init__(self) -> None:
        super().__init__("Many queries are under way. Try again in a few seconds.", retry_after=5)


class QueryLane(Lane):
    """`elsewhere` is asked to answer what may take long, where there is one."""

    def __init__(self, app: ASGIApp, *, elsewhere: TakeOver | None = None) -> None:
        super().__init__(
            self._choose_and_answer,
            takes=is_query,
            busy=QueriesWaiting,
            max_places=MAX_PLACES,
            max_places_of_address=MAX_PLACES_OF_ADDRESS,
        )
        self._here, self._elsewhere = app, elsewhere

    async def _choose_and_answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._elsewhere is not None and may_take_long(scope) and self._elsewhere(scope):
            return
        abandonment = Abandonment()
        watcher = asyncio.create_task(watch_client(receive, abandonment))
        try:
            await self._here({**scope, ABANDONMENT: abandonment}, _nothing_more, send)
        finally:
            watcher.cancel()
            with suppress(asyncio.CancelledError):
                await watcher


async def watch_client(receive: Receive, abandonment: Abandonment) -> None:
    """Until the client leaves; the body was read or there is none, so nothing else is waited for."""
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            abandonment.abandon()
            return


async def _nothing_more() -> dict[str, object]:
    return {"type": "http.request", "body": b"", "more_body": False}


def is_query(scope: Scope) -> bool:
    """Whether a request reads rows of datasets, or takes a whole list of runs away."""
    if scope["method"] not in ("GET", "HEAD"):
        return False
    path: str = scope["path"]
    is_export = RUN_LISTS.fullmatch(path) is not None and EXPORT.search(scope["query_string"]) is not None
    return is_export or any(pattern.fullmatch(path) for pattern in (ROWS, TABLES))


def may_take_long(scope: Scope) -> bool:
    """All of these but a page of rows as they are stored, and of what is read from one file."""
    path, query = scope["path"], scope["query_string"]
    if ROWS.fullmatch(path) is None and TABLES.fullmatch(path) is None:
        return True
    is_stacked = path.endswith("/dataset-rows")
    is_streamed = EXPORT.search(query) is not None or STREAMED.search(find_header(scope, b"accept") or "") is not None
    return is_stacked or is_streamed or COMPUTED.search(query) is not None
