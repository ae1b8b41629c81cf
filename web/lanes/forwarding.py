"""Passing a request on to the server of queries, a process of its own on this machine.

Its answer streams through here piece by piece; whoever reads slowly makes it wait. Where the client leaves, the
connection ends, by which the other side knows.
"""

import asyncio
import os
from collections.abc import AsyncIterator, Iterable

import httptools

from web.lanes.lane import LaneBusy
from web.server.query_server import QUERY_SOCKET
from wire.asgi import ASGIApp, ClientDisconnected, Message, Receive, Scope, Send
from wire.errors import ServiceUnavailable

READ_BYTES = 256 * 1024
OF_A_CONNECTION = {
    b"connection",
    b"keep-alive",
    b"proxy-connection",
    b"te",
    b"trailer",
    b"transfer-encoding",
    b"upgrade",
}
OURS = OF_A_CONNECTION | {b"x-forwarded-for", b"x-forwarded-proto", b"forwarded"}
THEIRS = OF_A_CONNECTION | {b"date"}  # each server writes its own


class QueriesUnavailable(LaneBusy, ServiceUnavailable):
    def __init__(self) -> None:
        super().__init__("Queries are not answered at the moment. Try again in a few seconds.", retry_after=5)


def find_query_server() -> ASGIApp | None:
    """What passes requests on to it; None where this process answers them itself."""
    path = os.environ.get(QUERY_SOCKET)
    return Forwarder(path) if path else None


class Forwarder:
    """Requests without a body, to the server that listens at a socket. Raises QueriesUnavailable before any answer."""

    def __init__(self, path: str) -> None:
        self._path = path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            reader, writer = await asyncio.open_unix_connection(self._path, limit=READ_BYTES)
        except OSError as error:
            raise QueriesUnavailable from error
        leaving = asyncio.create_task(_close_when_gone(receive, writer))
        try:
            writer.write(b"".join(write_head(scope)))
            async for message in read_answer(reader, is_head=scope["method"] == "HEAD"):
                await send(message)
        except (EOFError, QueriesUnavailable) as error:
            if leaving.done():
                raise ClientDisconnected from error
            raise
        finally:
            leaving.cancel()
            writer.close()


async def _close_when_gone(receive: Receive, writer: asyncio.StreamWriter) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    writer.close()


def write_head(scope: Scope) -> Iterable[bytes]:
    """The request as it came, from whom it came, and the end of the connection with it."""
    query = b"?" + scope["query_string"] if scope["query_string"] else b""
    yield scope["method"].encode() + b" " + scope["raw_path"] + query + b" HTTP/1.1\r\n"
    yield from (name + b": " + value + b"\r\n" for name, value in scope["headers"] if name not in OURS)
    if client := scope.get("client"):
        yield b"x-forwarded-for: " + client[0].encode() + b"\r\n"
    yield b"x-forwarded-proto: " + scope["scheme"].encode() + b"\r\nconnection: close\r\n\r\n"


async def read_answer(reader: asyncio.StreamReader, *, is_head: bool) -> AsyncIterator[Message]:
    """As an application sends it. Raises QueriesUnavailable where it does not begin, EOFError where it breaks off."""
    answer = Answer()
    parser = httptools.HttpResponseParser(answer)
    begun = False
    while not answer.is_complete:
        try:
            data = await reader.read(READ_BYTES)
            parser.feed_data(data)
        except (OSError, httptools.HttpParserError) as error:
            raise (EOFError("The answer of a query broke off.") if begun else QueriesUnavailable()) from error
        if answer.has_head and not begun:
            begun = True
            yield {"type": "http.response.start", "status": parser.get_status_code(), "headers": answer.headers}
        if begun and is_head:
            break
        for piece in answer.take_pieces():
            yield {"type": "http.response.body", "body": piece, "more_body": True}
        if not data and not answer.is_complete:
            raise EOFError("The answer of a query broke off.") if begun else QueriesUnavailable()
    yield {"type": "http.response.body", "body": b"", "more_body": False}


class Answer:
    """What the parser tells of one."""

    def __init__(self) -> None:
        self.headers: list[tuple[bytes, bytes]] = []
        self.has_head = self.is_complete = False
        self._pieces: list[bytes] = []

    def on_header(self, name: bytes, value: bytes) -> None:
        if name.lower() not in THEIRS:
            self.headers.append((name.lower(), value))

    def on_headers_complete(self) -> None:
        self.has_head = True

    def on_body(self, piece: bytes) -> None:
        self._pieces.append(piece)

    def on_message_complete(self) -> None:
        self.is_complete = True

    def take_pieces(self) -> list[bytes]:
        taken, self._pieces = self._pieces, []
        return taken
