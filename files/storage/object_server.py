"""The HTTP face of the local store: an ASGI app that answers its signed URLs, and nothing else.

The signature is the only credential; no session, token or cookie is looked at. A request holds a thread only while
bytes move between memory and disk, so clients that dribble or stall cost a socket each and slow down nobody.
"""

import asyncio
import functools
import io
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from email.utils import format_datetime
from typing import BinaryIO, TypeVar

from django.core.handlers.asgi import ASGIRequest

from files.storage.accelerated import build_redirect, check_prefix, may_leave_to_proxy
from files.storage.headers import OCTET_STREAM
from files.storage.interface import BytesRefused, ObjectExists, ObjectMissing, Part, StoredObject
from files.storage.local import LocalStore, list_signed_headers
from files.storage.ranges import ByteRange, parse_range
from files.storage.signing import URL_PREFIX, Grant, UrlRefused
from wire.asgi import ClientDisconnected, Receive, RequestBody, Scope, Send, find_header, send_error, send_response
from wire.conditional import PreconditionFailed, not_modified
from wire.errors import MethodNotAllowed, PayloadTooLarge, RequestTimeout, ServiceError

BLOCK_BYTES = 1024 * 1024
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


class ObjectServer:
    """Serves one local store. A client that moves no byte for `idle_seconds` is given up.

    `accel_prefix`: the internal location where nginx has the store's root; empty where it sends nothing itself.
    """

    def __init__(
        self, store: LocalStore, *, threads: int = THREADS, idle_seconds: float = IDLE_SECONDS, accel_prefix: str = ""
    ) -> None:
        self._store, self._idle_seconds = store, idle_seconds
        self._accel_prefix = check_prefix(accel_prefix)
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="objects")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        inbound = RequestBody(scope, receive)
        try:
            await self._serve(scope, inbound, send)
        except ServiceError as error:
            await send_error(send, to_http_error(error), inbound)

    async def _serve(self, scope: Scope, inbound: RequestBody, send: Send) -> None:
        method = scope["method"]
        if method not in ("GET", "HEAD", "PUT"):
            raise MethodNotAllowed(f"{method} is not served here.")
        key, query = scope["path"].removeprefix(URL_PREFIX), scope["query_string"].decode("latin-1")
        grant = self._store.signer.read(method=method, key=key, query=query)
        if method == "PUT":
            await self._receive_object(grant, scope, inbound, send)
        else:
            await self._send_object(grant, scope, inbound, send)

    async def _receive_object(self, grant: Grant, scope: Scope, inbound: RequestBody, send: Send) -> None:
        size_bytes = read_declared_size(grant, scope)
        is_small = size_bytes <= BLOCK_BYTES and grant.upload is None  # of a part that attempt counts which began last
        receive = self._receive_at_once if is_small else self._receive_in_blocks
        try:
            taken = await receive(grant, size_bytes, inbound)
        except ClientDisconnected:
            return
        await send_response(send, 200, [("ETag", f'"{taken.etag}"'), ("Content-Length", "0")])

    async def _receive_at_once(self, grant: Grant, size_bytes: int, inbound: RequestBody) -> StoredObject | Part:
        """A body of one block goes to its thread once, when all of it is here."""
        block = await self._next_block(inbound)
        return await self._in_thread(self._write_whole, grant, size_bytes, block)

    def _write_whole(self, grant: Grant, size_bytes: int, data: bytearray) -> StoredObject | Part:
        writer = self._store.open_writer(grant, size_bytes)
        try:
            writer.write(data)
            return writer.finish()
        finally:
            writer.discard()

    async def _receive_in_blocks(self, grant: Grant, size_bytes: int, inbound: RequestBody) -> StoredObject | Part:
        writer = await self._in_thread(self._store.open_writer, grant, size_bytes)
        try:
            while block := await self._next_block(inbound):
                await self._in_thread(writer.write, block)
            taken: StoredObject | Part = await self._in_thread(writer.finish)
            return taken
        finally:
            await self._in_thread(writer.discard)

    async def _next_block(self, inbound: RequestBody) -> bytearray:
        block = bytearray()
        while len(block) < BLOCK_BYTES and not inbound.finished:
            try:
                async with asyncio.timeout(self._idle_seconds):
                    block += await inbound.read()
            except TimeoutError:
                raise RequestTimeout("The upload stalled.") from None
        return block

    async def _send_object(self, grant: Grant, scope: Scope, inbound: RequestBody, send: Send) -> None:
        stored = await self._in_thread(self._store.head, grant.key)
        if stored is None:
            raise ObjectMissing(grant.key)
        if known := not_modified(ASGIRequest(dict(scope), io.BytesIO()), DOWNLOAD_HEADERS | validators(stored)):
            await send_response(send, known.status_code, known.items())
            return
        is_head = scope["method"] == "HEAD"
        span = whole_object(stored) if is_head else read_requested_range(scope, stored)
        status, headers = 206 if span.partial else 200, download_headers(grant, stored, span)
        if is_head:
            await send_response(send, status, headers)
            return
        if self._accel_prefix and may_leave_to_proxy(scope, span):
            redirect = build_redirect(self._accel_prefix, grant.key, headers)
            await send_response(send, 200, redirect)
            return
        with await self._in_thread(self._store.open_data, grant.key) as data:
            await send_response(send, status, headers, more=True)
            await self._send_range(data, span, inbound, send)

    async def _send_range(self, data: BinaryIO, span: ByteRange, inbound: RequestBody, send: Send) -> None:
        """The bytes of the span, then the end; nothing more once the client is gone or reads nothing for too long."""
        position, gone = span.start, asyncio.create_task(inbound.wait_for_disconnect())
        try:
            while not gone.done():
                block = await self._in_thread(os.pread, data.fileno(), min(BLOCK_BYTES, span.end - position), position)
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


def read_declared_size(grant: Grant, scope: Scope) -> int:
    """The length of a PUT. Raises what a store answers when it does not carry exactly the signed headers."""
    length = find_header(scope, b"content-length")
    if length is None:
        raise LengthRequired("Content-Length is required.")
    size_bytes = int(length)
    if grant.size is not None and size_bytes > grant.size:
        raise PayloadTooLarge(f"This URL takes {grant.size} bytes.", size_bytes=grant.size)
    if grant.size is not None and size_bytes < grant.size:
        raise BytesRefused(f"This URL takes {grant.size} bytes.", size_bytes=grant.size, received=size_bytes)
    for name, value in list_signed_headers(grant).items():
        if find_header(scope, name.lower().encode()) != value:
            raise UrlRefused(f"The header {name} is not the signed one.", header=name)
    return size_bytes


def read_requested_range(scope: Scope, stored: StoredObject) -> ByteRange:
    return parse_range(
        find_header(scope, b"range"),
        condition=find_header(scope, b"if-range"),
        size_bytes=stored.size_bytes,
        etag=stored.etag,
        last_modified=format_datetime(stored.modified_at, usegmt=True),
    )


def whole_object(stored: StoredObject) -> ByteRange:
    return ByteRange(0, stored.size_bytes, partial=False)


def validators(stored: StoredObject) -> dict[str, str]:
    return {"ETag": f'"{stored.etag}"', "Last-Modified": format_datetime(stored.modified_at, usegmt=True)}


def download_headers(grant: Grant, stored: StoredObject, span: ByteRange) -> list[tuple[str, str]]:
    headers = DOWNLOAD_HEADERS | {
        "Content-Type": grant.type or OCTET_STREAM,
        "Content-Disposition": grant.disposition or "attachment",
        "Content-Length": str(span.end - span.start),
        **validators(stored),
    }
    if span.partial:
        headers["Content-Range"] = f"bytes {span.start}-{span.end - 1}/{stored.size_bytes}"
    if grant.type == "application/pdf":
        del headers["Content-Security-Policy"]  # browsers refuse to run their PDF viewer in a sandbox
    return list(headers.items())


def to_http_error(error: ServiceError) -> ServiceError:
    """Some refusals have a status of their own where a store answers, as they have on S3."""
    if isinstance(error, ObjectExists):
        return PreconditionFailed(error.message)
    return error
