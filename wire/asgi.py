"""What the service answers below Django: a request body that comes in pieces, and refusals in the envelope."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable, Mapping, MutableMapping
from typing import Any

from wire.errors import ServiceError, build_envelope
from wire.telemetry.metrics import count_refusal

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
ASGIApp = Callable[[Scope, Receive, Send], Awaitable[None]]
Headers = Iterable[tuple[str, str]]

LOG_FIELDS = "ids.noted"  # key of a scope: extra fields of the request's log line (`principal`)
LINGER_SECONDS = 20
LINGER_IDLE_SECONDS = 3


class ClientDisconnected(Exception):
    """The connection ended before the body did; nobody is left to answer."""


class RequestBody:
    """The body of one request as it comes in."""

    def __init__(self, scope: Scope, receive: Receive) -> None:
        self._receive = receive
        self.finished = not has_body(scope)

    async def read(self) -> bytes:
        """The next piece, b"" at the end. Raises ClientDisconnected."""
        if self.finished:
            return b""
        message = await self._receive()
        if message["type"] == "http.disconnect":
            self.finished = True
            raise ClientDisconnected
        self.finished = not message.get("more_body", False)
        return message.get("body", b"")

    async def wait_for_disconnect(self) -> None:
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
        except (TimeoutError, ClientDisconnected):
            return


def replay_body(body: bytes, receive: Receive) -> Receive:
    """A `receive` that hands out the body in one piece, then waits for the client to go."""
    pending: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive_body() -> Message:
        return pending.pop() if pending else await receive()

    return receive_body


def find_header(scope: Scope, name: bytes) -> str | None:
    """The first header of a lower-case name."""
    return next((value.decode("latin-1") for key, value in scope["headers"] if key == name), None)


def has_body(scope: Scope) -> bool:
    return find_header(scope, b"transfer-encoding") is not None or find_header(scope, b"content-length") not in (
        None,
        "0",
    )


async def send_response(send: Send, status: int, headers: Headers, body: bytes = b"", *, more: bool = False) -> None:
    """A whole answer; with `more`, all of it but its end."""
    encoded = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers]
    await send({"type": "http.response.start", "status": status, "headers": encoded})
    await send({"type": "http.response.body", "body": body, "more_body": more})


async def send_error(
    send: Send, error: ServiceError, inbound: RequestBody, *, envelope: Mapping[str, Any] | None = None
) -> None:
    """The envelope (another one where it is given), at once, even while the body still comes in."""
    count_refusal(error)
    headers = {"Content-Type": "application/json", "Cache-Control": "no-store"}
    body = json.dumps(envelope or build_envelope(error)).encode()
    await send_whole(send, error.status, headers | error.headers, body, inbound)


async def send_whole(send: Send, status: int, headers: Mapping[str, str], body: bytes, inbound: RequestBody) -> None:
    """An answer that may come before the request's body has; the connection is then of no more use."""
    early = not inbound.finished
    framing = {"Content-Length": str(len(body))} | ({"Connection": "close"} if early else {})
    await send_response(send, status, (dict(headers) | framing).items(), body, more=early)
    if early:
        await inbound.drain()
        await send({"type": "http.response.body", "body": b"", "more_body": False})
