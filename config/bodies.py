"""How large a request body may be, and how it gets into memory before a thread is taken for it (contract section 1)."""

import asyncio
import re
from dataclasses import dataclass

from wire.asgi import Inbound, Message, Receive, Scope, header
from wire.errors import PayloadTooLarge, RequestTimeout

MIB = 1024 * 1024
DEFAULT_LIMIT = MIB
BODY_SECONDS = 30


@dataclass(frozen=True)
class Route:
    """Requests whose bodies have a limit of their own."""

    method: str
    path: re.Pattern[str]
    limit: int


LIMITS = (
    Route("POST", re.compile(r"/api/v1/instruments/[^/]+/runs"), 4 * MIB),
    Route("PATCH", re.compile(r"/api/v1/instruments/[^/]+/runs/[^/]+"), 4 * MIB),
    Route("POST", re.compile(r"/api/v1/watchers/[^/]+/events"), 2 * MIB),
)


def body_limit(method: str, path: str) -> int:
    """The most bytes that a body of this request may have."""
    matching = (route.limit for route in LIMITS if route.method == method and route.path.fullmatch(path))
    return next(matching, DEFAULT_LIMIT)


async def read_body(scope: Scope, inbound: Inbound, *, seconds: float = BODY_SECONDS) -> bytes:
    """The whole body. Raises PayloadTooLarge as soon as it must be, RequestTimeout, ClientGone."""
    limit = body_limit(scope["method"], scope["path"])
    if int(header(scope, b"content-length") or 0) > limit:
        raise too_large(limit)
    body = bytearray()
    try:
        async with asyncio.timeout(seconds):
            while not inbound.finished:
                body += await inbound.read()
                if len(body) > limit:
                    raise too_large(limit)
    except TimeoutError:
        raise RequestTimeout(f"The body did not arrive within {seconds:g} seconds.") from None
    return bytes(body)


def too_large(limit: int) -> PayloadTooLarge:
    return PayloadTooLarge(f"The body may have {limit} bytes.", limit=limit)


def replay(body: bytes, receive: Receive) -> Receive:
    """A `receive` that hands out the body in one piece, then waits for the client to go."""
    pending: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive_body() -> Message:
        return pending.pop() if pending else await receive()

    return receive_body
