"""A WSGI application as an ASGI one, on threads of its own.

The body of a request is in memory already, and most answers are too: such a request goes to its thread and back once.
Only an answer that streams goes piece by piece, by a2wsgi's queue.
"""

import asyncio
import contextvars
import logging
import os
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from io import BytesIO
from typing import Any

from a2wsgi import WSGIMiddleware
from a2wsgi.wsgi import WSGIResponder, build_environ

from wire.asgi import ASGIApp, ClientDisconnected, Message, Receive, Scope, Send

MAX_QUEUED_PIECES = 100  # an answer of up to this many pieces never makes a thread wait for a slow reader
PATIENT = 10  # of nice: a tenth of the processor where others want it, all of it where nobody does
HANDOVER_SECONDS = 0.0005
STALLED_SECONDS = 60.0  # within which a piece of a streamed answer is taken, where others wait for its thread
LOOK_SECONDS = 1.0  # how often somebody who reads slowly is compared with them
log = logging.getLogger(__name__)


class ReaderStalled(ClientDisconnected):
    """As good as gone: it takes nothing, and others wait for the thread that answers it."""


def serve_in_threads(
    application: Any, *, threads: int, queued_pieces: int = MAX_QUEUED_PIECES, niceness: int = 0
) -> ASGIApp:
    """Answers at most `threads` requests at once; the others wait their turn. Also answers lifespan events."""
    bridge: Any = Bridge(application, threads, queued_pieces, niceness)
    return bridge


def share_interpreter() -> None:
    """A thread that computes hands the interpreter over after half a millisecond instead of five.

    A short request takes it some four times, and waits each time beside a query or an export.
    """
    sys.setswitchinterval(HANDOVER_SECONDS)


def yield_to_others(niceness: int) -> None:
    """This thread alone, which Linux schedules by itself; elsewhere the number would name another process."""
    if not niceness or sys.platform != "linux":
        return
    thread = threading.get_native_id()
    with suppress(OSError):  # a sandbox may forbid it
        os.setpriority(os.PRIO_PROCESS, thread, max(niceness, os.getpriority(os.PRIO_PROCESS, thread)))


class Bridge(WSGIMiddleware):
    def __init__(self, application: Any, threads: int, queued_pieces: int, niceness: int) -> None:
        super().__init__(application, workers=threads, send_queue_size=queued_pieces)
        self.executor = ThreadPoolExecutor(threads, "WSGI", initializer=yield_to_others, initargs=(niceness,))
        self.waiting: set[Exchange] = set()  # for a thread

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await super().__call__(scope, receive, send)
            return
        await Exchange(self.app, self.executor, self.send_queue_size, self.waiting).answer(scope, receive, send)


class Exchange(WSGIResponder):
    """One request and its answer."""

    def __init__(self, app: Any, executor: ThreadPoolExecutor, queued_pieces: int, waiting: "set[Exchange]") -> None:
        super().__init__(app, executor, queued_pieces)
        self._waiting = waiting
        self._beginning: Message = {}
        self._streaming: asyncio.Task[None] | None = None

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        environ: Any = build_environ(scope, BytesIO(await read_whole(receive)))  # type: ignore[arg-type]  # WSGI asks for no more
        work = contextvars.copy_context().run
        self._waiting.add(self)
        try:
            whole = await self.loop.run_in_executor(self.executor, work, self._run, environ, send)
            if self._streaming:
                await self.send_queue.put(None)
                await self._streaming
            else:
                await send(self._beginning)
                await send({"type": "http.response.body", "body": whole})
        finally:
            self._waiting.discard(self)
            if self._streaming and not self._streaming.done():
                self._streaming.cancel()

    def _run(self, environ: Any, send: Send) -> bytes:
        """In a thread: the body of the answer, or nothing once it was streamed."""
        self._waiting.discard(self)
        answer: Any = self.app(environ, self._begin)
        try:
            if is_whole(answer):
                return b"".join(answer)
            asyncio.run_coroutine_threadsafe(self._start_streaming(send), self.loop).result()
            for piece in answer:
                self.send({"type": "http.response.body", "body": piece, "more_body": True})
            self.send({"type": "http.response.body", "body": b"", "more_body": False})
            return b""
        finally:
            getattr(answer, "close", lambda: None)()

    def send(self, message: Any) -> None:
        """In a thread, which waits for who reads slowly. Raises ReaderStalled."""
        put = asyncio.run_coroutine_threadsafe(self.send_queue.put(message), self.loop)
        until = time.monotonic() + STALLED_SECONDS
        while True:
            try:
                return put.result(min(LOOK_SECONDS, STALLED_SECONDS))
            except TimeoutError:
                if not self._waiting or time.monotonic() < until:
                    continue
                put.cancel()
                log.warning("an answer is cut off: nothing of it was taken for %d s, and others wait", STALLED_SECONDS)
                raise ReaderStalled from None

    def _begin(self, status: str, headers: list[tuple[str, str]], error: object = None) -> Any:
        """WSGI's start_response; Django writes nothing by what it returns."""
        named = [(name.strip().lower().encode("latin-1"), value.strip().encode("latin-1")) for name, value in headers]
        self._beginning = {"type": "http.response.start", "status": int(status[:3]), "headers": named}

    async def _start_streaming(self, send: Send) -> None:
        await send(self._beginning)
        self._streaming = self.loop.create_task(self.sender(send))  # type: ignore[arg-type]  # their spelling of ASGI


def is_whole(answer: Any) -> bool:
    """Whether all of it is in memory: a list, or an answer of Django's that does not stream."""
    return isinstance(answer, list | tuple) or getattr(answer, "streaming", True) is False


async def read_whole(receive: Receive) -> bytes:
    pieces, has_more = [], True
    while has_more:
        message = await receive()
        pieces.append(message.get("body", b""))
        has_more = message.get("more_body", False)
    return b"".join(pieces)
