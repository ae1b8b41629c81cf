"""The log as server-sent events: GET /api/v1/changes with `Accept: text/event-stream`.

A listener is a coroutine and a socket. One poll of the database serves all of a process; who is behind what it
remembers reads the log by itself, until it has caught up. A reader that takes nothing is cut off.
"""

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar

from asgiref.sync import sync_to_async
from django.db import Error as DatabaseFault
from django.db import close_old_connections

from accounts.callers import Caller
from accounts.sight import RightsVersion, read_rights_version
from changes.access import FOLLOW
from changes.following import filter_from
from changes.log import ChangeFilter, Changes, PositionGone, list_new_changes, read_changes, read_end, read_oldest
from changes.models import Change
from changes.serializers import ChangesParams
from web.lanes.lane import Lane, LaneBusy
from web.stream.callers import find_stream_caller, read_stream_query
from web.stream.events import encode_event, encode_sign_of_life
from web.stream.route import wants_stream
from wire.asgi import LOG_FIELDS, Receive, Scope, Send
from wire.errors import ServiceError, ServiceUnavailable
from wire.inputs import read_query

MAX_LISTENERS = 1_500
POLL_SECONDS = 0.5
SILENCE_SECONDS = 15.0
SEND_SECONDS = 30.0
RECHECK_SECONDS = 60.0
REMEMBERED = 5_000
CAUGHT_UP_AT_ONCE = 500
HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
]
Result = TypeVar("Result")
InThread = Callable[[Callable[[], Result]], Awaitable[Result]]
_thread = ThreadPoolExecutor(1, thread_name_prefix="changes")  # the pool of connections has room for it


class StreamsBusy(LaneBusy, ServiceUnavailable):
    def __init__(self) -> None:
        super().__init__("Too many listen already.", retry_after=30)


async def in_thread(function: Callable[[], Result]) -> Result:
    """What a function that asks the database answers."""

    def run() -> Result:
        close_old_connections()
        try:
            return function()
        finally:
            close_old_connections()

    return await sync_to_async(run, thread_sensitive=False, executor=_thread)()


@dataclass(frozen=True)
class Told:
    """One change as all listeners get it."""

    change: Change
    event: bytes


class ChangeFeed:
    """The end of the log as this process knows it. It polls as long as somebody listens."""

    def __init__(self, *, poll_seconds: float = POLL_SECONDS) -> None:
        self._poll_seconds = poll_seconds
        self._recent: deque[Told] = deque(maxlen=REMEMBERED)
        self._listeners = 0
        self._task: asyncio.Task[None] | None = None
        self._news = asyncio.Event()
        self.start = self.end = 0
        self.rights: RightsVersion = ()

    async def join(self) -> None:
        """One more listener, who has to leave, also where this fails."""
        self._listeners += 1
        if self._task is None or self._task.done():
            self._recent.clear()
            self.start = self.end = await in_thread(read_end)
            self.rights = await in_thread(read_rights_version)
            if self._task is None or self._task.done():  # another may have come meanwhile
                self._task = asyncio.create_task(self._poll())

    def leave(self) -> None:
        self._listeners -= 1

    async def wait_behind(self, position: int, *, seconds: float) -> bool:
        """Until there is more; False where there was nothing for so long."""
        if self.end > position:
            return True
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._news.wait()
        return self.end > position

    def remembered_behind(self, position: int) -> list[Told] | None:
        """What came behind a position; None where it is not remembered so far back."""
        if position < self.start:
            return None
        return [told for told in self._recent if told.change.position > position]

    async def _poll(self) -> None:
        while self._listeners:
            await asyncio.sleep(self._poll_seconds)
            with suppress(DatabaseFault):  # what is away comes back; who listens would hear nothing more
                rows, rights = await in_thread(lambda: read_news(after=self.end))
                if rows or rights != self.rights:  # else all who listen would be woken for nothing
                    self.rights = rights
                    self._take(rows)

    def _take(self, rows: Iterable[Change]) -> None:
        for row in rows:
            if len(self._recent) == REMEMBERED:
                self.start = self._recent[0].change.position
            self._recent.append(Told(row, encode_event(row)))
            self.end = row.position
        news, self._news = self._news, asyncio.Event()
        news.set()


class ChangeStream:
    """Answers one listener at a time, of which there may be many."""

    access = FOLLOW

    def __init__(self, feed: ChangeFeed | None = None, *, silence_seconds: float = SILENCE_SECONDS) -> None:
        self._feed, self._silence_seconds = feed, silence_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        listener = await in_thread(lambda: open_listener(scope))
        scope.get(LOG_FIELDS, {})["principal"] = name_caller(listener.by)
        feed = self._feed = self._feed or ChangeFeed()
        try:
            await feed.join()
            await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
            if scope["method"] == "HEAD":
                await send({"type": "http.response.body", "body": b""})
                return
            await self._run_until_gone(listener, feed, receive, send)
        finally:
            feed.leave()

    async def _run_until_gone(self, listener: "Listener", feed: ChangeFeed, receive: Receive, send: Send) -> None:
        telling = asyncio.create_task(self._tell(listener, feed, send))
        leaving = asyncio.create_task(_wait_for_disconnect(receive))
        done, others = await asyncio.wait({telling, leaving}, return_when=asyncio.FIRST_COMPLETED)
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        if telling in done and leaving not in done:
            with suppress(Exception):
                await send({"type": "http.response.body", "body": b"", "more_body": False})
        for task in done:
            if not isinstance(task.exception(), ServiceError | TimeoutError | OSError | None):
                task.result()

    async def _tell(self, listener: "Listener", feed: ChangeFeed, send: Send) -> None:
        """What there is, and a comment where there was nothing for long: also where much came that it does not hear.

        A comment carries where the listener is, so that who comes back goes on there and not at what it last heard.
        """
        piece = encode_sign_of_life("changes", listener.position)
        while True:
            if piece:
                await _send_piece(send, piece)
                silent_until = time.monotonic() + self._silence_seconds
            has_news = await feed.wait_behind(listener.position, seconds=max(0.0, silent_until - time.monotonic()))
            if listener.is_due_for_a_check(feed.rights):
                await listener.check(feed)
            piece = await listener.read_next(feed) if has_news else b""
            if not piece and time.monotonic() >= silent_until:
                piece = encode_sign_of_life("still here", listener.position)


@dataclass
class Listener:
    """Who listens, for what, and how far it got."""

    scope: Scope
    by: Caller
    wanted: ChangeFilter
    position: int
    checked_at: float
    rights: RightsVersion

    def is_due_for_a_check(self, rights: RightsVersion) -> bool:
        """Tokens are revoked, people switched off and groups left while they listen; sessions end unsaid."""
        return rights != self.rights or time.monotonic() - self.checked_at > RECHECK_SECONDS

    async def check(self, feed: ChangeFeed) -> None:
        """Who it is, until nothing has changed meanwhile. Raises as the route does."""
        while True:
            rights = feed.rights
            self.by = await in_thread(lambda: find_stream_caller(self.scope, is_counted=False))
            self.checked_at, self.rights = time.monotonic(), rights
            if feed.rights == rights:
                return

    def hears(self, change: Change) -> bool:
        bound = self.by.instrument_ids
        return (
            (not self.wanted.types or change.type in self.wanted.types)
            and self.wanted.instrument_id in (None, change.instrument_id)
            and (bound is None or change.instrument_id in bound)
        )

    async def read_next(self, feed: ChangeFeed) -> bytes:
        """The events behind its position, as many as are at hand."""
        remembered = feed.remembered_behind(self.position)
        if remembered is None:
            found = await self._read_log()
            self.position = found.next
            return b"".join(encode_event(row) for row in found.rows)
        self.position = remembered[-1].change.position if remembered else feed.end
        return b"".join(told.event for told in remembered if self.hears(told.change))

    async def _read_log(self) -> Changes:
        """What it may see of the next changes by rights that are read behind them, as those of the feed are."""
        while True:
            found, rights = await in_thread(self._read_log_and_rights)
            if rights == self.rights:
                return found
            self.by = await in_thread(lambda: find_stream_caller(self.scope, is_counted=False))
            self.checked_at, self.rights = time.monotonic(), rights

    def _read_log_and_rights(self) -> tuple[Changes, RightsVersion]:
        found = read_changes(after=self.position, wanted=self.wanted, by=self.by, limit=CAUGHT_UP_AT_ONCE)
        return found, read_rights_version()


def read_news(*, after: int) -> tuple[list[Change], RightsVersion]:
    """Rights are read behind the changes: who lost sight before one of these happened is known by then."""
    return list(list_new_changes(after=after)), read_rights_version()


def open_listener(scope: Scope) -> Listener:
    """Raises the refusals of the route: who may not, bad parameters, a position that is gone."""
    rights = read_rights_version()
    by = find_stream_caller(scope)
    asked = read_query(ChangesParams, read_stream_query(scope))
    after, oldest, end = asked.get("after"), read_oldest(), read_end()
    position = oldest if after is None else end if after == "now" else int(after)
    if not oldest <= position <= max(end, oldest):
        raise PositionGone("The log does not reach from this position.", oldest=oldest)
    return Listener(scope, by, filter_from(asked), position, time.monotonic(), rights)


def name_caller(caller: Caller) -> str:
    """As in the log."""
    return f"{caller.principal.kind}:{caller.principal.id}"


class StreamLane(Lane):
    """Its answers are no page of Django's, so the dispatcher logs them."""

    is_django = False


def build_stream_lane() -> StreamLane:
    return StreamLane(
        ChangeStream(),
        takes=wants_stream,
        busy=StreamsBusy,
        max_places=MAX_LISTENERS,
        max_places_of_address=MAX_LISTENERS,
    )


async def _wait_for_disconnect(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _send_piece(send: Send, body: bytes) -> None:
    """Raises TimeoutError where nobody takes it."""
    message: dict[str, Any] = {"type": "http.response.body", "body": body, "more_body": True}
    async with asyncio.timeout(SEND_SECONDS):
        await send(message)
