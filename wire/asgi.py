"""What the service answers below Django: a request body that comes in pieces, and refusals in the envelope."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any

from wire.errors import ServiceError, envelope
from wire.metrics import count_refusal

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
Headers = Iterable[tuple[str, str]]

NOTED = "ids.noted"  # of a scope: what the log line shall know (`principal`), written by whoever finds out
LINGER_SECONDS = 20
LINGER_IDLE_SECONDS = 3


class ClientGone(Exception):
    """The connection ended before the body did; nobody is left to answer."""


class Inbound:
    """The body of one request as it comes in."""

    def __init__(self, scope: Scope, receive: Receive) -> None:
        self._receive = receive
        self.finished = not has_body(scope)

    async def read(self) -> bytes:
        """The next piece, b"" at the end. Raises ClientGone."""
        if self.finished:
            return b""
        message = await self._receive()
        if message["type"] == "http.disconnect":
            self.finished = True
            raise ClientGone
        self.finished = not message.get("more_body", False)
        return message.get("body", b"")

    async def until_gone(self) -> None:
        """Returns when the client has gone, after its body."""
        while (await self._receive())["type"] != "http.disconnect":
            pass

    async def drain(self) -> None:
        """Read on and forget, for a while: a connection that is reset under a sending client loses our answer."""
        try:
            async with asyncio.timeout(LINGER_SECONDS):
                while not self.finished:
                    async with asyncio.timeout(LINGER_IDLE_SECONDS):
                        await self.read()
        except (TimeoutError, ClientGone):
            return


def header(scope: Scope, name: bytes) -> str | None:
    """The first header of a lower-case name."""
    return next((value.decode("latin-1") for key, value in scope["headers"] if key == name), None)


def has_body(scope: Scope) -> bool:
    return header(scope, b"transfer-encoding") is not None or header(scope, b"content-length") not in (None, "0")


async def answer(send: Send, status: int, headers: Headers, body: bytes = b"", *, more: bool = False) -> None:
    """A whole answer; with `more`, all of it but its end."""
    encoded = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers]
    await send({"type": "http.response.start", "status": status, "headers": encoded})
    await send({"type": "http.response.body", "body": body, "more_body": more})


async def refuse(send: Send, error: ServiceError, inbound: Inbound) -> None:
    """The envelope, at once, even while the body still comes in; the connection is then of no more use."""
    count_refusal(error)
    body = json.dumps(envelope(error)).encode()
    early = not inbound.finished
    headers = {"Content-Type": "application/json", "Content-Length": str(len(body)), "Cache-Control": "no-store"}
    if early:
        headers["Connection"] = "close"
    await answer(send, error.status, (headers | error.headers).items(), body, more=early)
    if early:
        await inbound.drain()
        await send({"type": "http.response.body", "body": b"", "more_body": False})
