"""The HTTP face of the local store: an ASGI app that answers its signed URLs, and nothing else.

The signature is the only credential; no session, token or cookie is looked at. A request holds a thread only while
bytes move between memory and disk, so clients that dribble or stall cost a socket each and slow down nobody.
"""

import asyncio
import functools
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from email.utils import format_datetime
from typing import BinaryIO, TypeVar

from files.storage.headers import OCTETS
from files.storage.local import LocalStore, headers_to_send
from files.storage.port import BytesRefused, ObjectExists, ObjectMissing, Part, StoredObject
from files.storage.ranges import Span, span_of
from files.storage.signing import PREFIX, Grant, UrlRefused
from wire.asgi import ClientGone, Inbound, Receive, Scope, Send, answer, header, refuse
from wire.errors import MethodNotAllowed, PayloadTooLarge, RequestTimeout, ServiceError

BLOCK = 1024 * 1024
IDLE_SECONDS = 60
THREADS = 8
Result = TypeVar("Result")
DOWNLOAD_HEADERS = {
    "Accept-Ranges": "bytes",
    "Cache-Control": "private, no-store",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


class LengthRequired(ServiceError):
    status, code = 411, "LENGTH_REQUIRED"


class PreconditionFailed(ServiceError):
    status, code = 412, "PRECONDITION_FAILED"


class ObjectServer:
    """Serves one local store. A client that moves no byte for `idle_seconds` is given up."""

    def __init__(self, store: LocalStore, *, threads: int = THREADS, idle_seconds: float = IDLE_SECONDS) -> None:
        self._store, self._idle_seconds = store, idle_seconds
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="objects")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        inbound = Inbound(scope, receive)
        try:
            await self._serve(scope, inbound, send)
        except ServiceError as error:
            await refuse(send, in_http(error), inbound)

    async def _serve(self, scope: Scope, inbound: Inbound, send: Send) -> None:
        method = scope["method"]
        if method not in ("GET", "HEAD", "PUT"):
            raise MethodNotAllowed(f"{method} is not served here.")
        key, query = scope["path"].removeprefix(PREFIX), scope["query_string"].decode("latin-1")
        grant = self._store.signer.read(method=method, key=key, query=query)
        if method == "PUT":
            await self._take(grant, scope, inbound, send)
        else:
            await self._give(grant, scope, inbound, send)

    async def _take(self, grant: Grant, scope: Scope, inbound: Inbound, send: Send) -> None:
        size_bytes = announced_size(grant, scope)
        writer = await self._in_thread(self._store.open_writer, grant, size_bytes)
        try:
            while block := await self._next_block(inbound):
                await self._in_thread(writer.write, block)
            taken: StoredObject | Part = await self._in_thread(writer.finish)
        except ClientGone:
            return
        finally:
            await self._in_thread(writer.discard)
        await answer(send, 200, [("ETag", f'"{taken.etag}"'), ("Content-Length", "0")])

    async def _next_block(self, inbound: Inbound) -> bytearray:
        block = bytearray()
        while len(block) < BLOCK and not inbound.finished:
            try:
                async with asyncio.timeout(self._idle_seconds):
                    block += await inbound.read()
            except TimeoutError:
                raise RequestTimeout("The upload stalled.") from None
        return block

    async def _give(self, grant: Grant, scope: Scope, inbound: Inbound, send: Send) -> None:
        stored = await self._in_thread(self._store.head, grant.key)
        if stored is None:
            raise ObjectMissing(grant.key)
        is_head = scope["method"] == "HEAD"
        span = whole(stored) if is_head else asked_span(scope, stored)
        status, headers = 206 if span.partial else 200, download_headers(grant, stored, span)
        if is_head:
            await answer(send, status, headers)
            return
        with await self._in_thread(self._store.open_data, grant.key) as data:
            await answer(send, status, headers, more=True)
            await self._send_span(data, span, inbound, send)

    async def _send_span(self, data: BinaryIO, span: Span, inbound: Inbound, send: Send) -> None:
        """The bytes of the span, then the end; nothing more once the client is gone or reads nothing for too long."""
        position, gone = span.start, asyncio.create_task(inbound.until_gone())
        try:
            while not gone.done():
                block = await self._in_thread(os.pread, data.fileno(), min(BLOCK, span.end - position), position)
                position += len(block)
                async with asyncio.timeout(self._idle_seconds):
                    await send({"type": "http.response.body", "body": block, "more_body": position < span.end})
                if position == span.end or not block:
                    return
        except TimeoutError:
            return
        finally:
            gone.cancel()

    async def _in_thread(self, function: Callable[..., Result], *arguments: object) -> Result:
        """The result of a blocking call. A cancelled request still waits for it: what it uses is closed afterwards."""
        call = asyncio.get_running_loop().run_in_executor(self._pool, functools.partial(function, *arguments))
        try:
            return await asyncio.shield(call)
        except asyncio.CancelledError:
            await asyncio.wait([call])
            raise


def announced_size(grant: Grant, scope: Scope) -> int:
    """The length of a PUT. Raises what a store answers when it does not carry exactly the signed headers."""
    length = header(scope, b"content-length")
    if length is None:
        raise LengthRequired("Content-Length is required.")
    size_bytes = int(length)
    if grant.size is not None and size_bytes > grant.size:
        raise PayloadTooLarge(f"This URL takes {grant.size} bytes.", size_bytes=grant.size)
    if grant.size is not None and size_bytes < grant.size:
        raise BytesRefused(f"This URL takes {grant.size} bytes.", size_bytes=grant.size, received=size_bytes)
    for name, value in headers_to_send(grant).items():
        if header(scope, name.lower().encode()) != value:
            raise UrlRefused(f"The header {name} is not the signed one.", header=name)
    return size_bytes


def asked_span(scope: Scope, stored: StoredObject) -> Span:
    return span_of(
        header(scope, b"range"),
        condition=header(scope, b"if-range"),
        size_bytes=stored.size_bytes,
        etag=stored.etag,
        last_modified=format_datetime(stored.modified_at, usegmt=True),
    )


def whole(stored: StoredObject) -> Span:
    return Span(0, stored.size_bytes, partial=False)


def download_headers(grant: Grant, stored: StoredObject, span: Span) -> list[tuple[str, str]]:
    headers = DOWNLOAD_HEADERS | {
        "Content-Type": grant.type or OCTETS,
        "Content-Disposition": grant.disposition or "attachment",
        "Content-Length": str(span.end - span.start),
        "ETag": f'"{stored.etag}"',
        "Last-Modified": format_datetime(stored.modified_at, usegmt=True),
    }
    if span.partial:
        headers["Content-Range"] = f"bytes {span.start}-{span.end - 1}/{stored.size_bytes}"
    if grant.type == "application/pdf":
        del headers["Content-Security-Policy"]  # browsers refuse to run their PDF viewer in a sandbox
    return list(headers.items())


def in_http(error: ServiceError) -> ServiceError:
    """Some refusals have a status of their own where a store answers, as they have on S3."""
    if isinstance(error, ObjectExists):
        return PreconditionFailed(error.message)
    return error
