"""The lane of ZIPs of many runs, which are made while they are sent: for as long as somebody's line takes.

They hold threads of their own, so that no page waits behind them. When the client leaves, the ZIP ends.
"""

import asyncio
from contextlib import suppress

from datasets.engine import Abandonment
from datasets.requests import ABANDONMENT
from web.lanes.lane import Lane, LaneBusy
from web.lanes.queries import watch_client
from wire.asgi import ASGIApp, Receive, Scope, Send, replay_body
from wire.errors import RateLimited

DOWNLOAD_THREADS = 4
QUEUED_PIECES = 8  # of a quarter MiB each, that wait for a slow reader
MAX_PLACES_OF_ADDRESS = 2
PATH = "/downloads/one"


class DownloadsUnderWay(LaneBusy, RateLimited):
    def __init__(self) -> None:
        super().__init__("Other downloads of many runs are under way. Try again in a minute.", retry_after=60)


class DownloadLane(Lane):
    def __init__(self, app: ASGIApp) -> None:
        super().__init__(
            app,
            takes=is_download,
            busy=DownloadsUnderWay,
            max_places=DOWNLOAD_THREADS,
            max_places_of_address=MAX_PLACES_OF_ADDRESS,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = (await receive()).get("body", b"")  # in one piece: the dispatcher has read it
        abandonment = Abandonment()
        watcher = asyncio.create_task(watch_client(receive, abandonment))
        try:
            await super().__call__({**scope, ABANDONMENT: abandonment}, replay_body(body, receive), send)
        finally:
            watcher.cancel()
            with suppress(asyncio.CancelledError):
                await watcher


def is_download(scope: Scope) -> bool:
    return scope["method"] == "POST" and scope["path"] == PATH
