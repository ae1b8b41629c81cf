"""How large a request body may be, and how it gets into memory before a thread is taken for it.

The limits: docs/interface.md, Body limits.
"""

import asyncio
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from django.conf import settings
from django.http.cookie import parse_cookie

from accounts.token_texts import TOKEN_PREFIX, is_well_formed
from wire.asgi import RequestBody, Scope, find_header
from wire.errors import PayloadTooLarge, RequestTimeout, ServiceUnavailable

KIB, MIB = 1024, 1024 * 1024
DEFAULT_BODY_LIMIT = MIB
SMALL_BODY_BYTES = 64 * KIB  # of a caller without credentials, and of everybody before the budget is asked
BODY_BUDGET_BYTES = 64 * MIB
BODY_TIMEOUT_SECONDS = 30
OPAQUE_TOKEN = re.compile(r"[A-Za-z0-9._~+/-]{20,255}=*")
SESSION_KEY = re.compile(r"[a-z0-9]{32}")


class TooManyLargeBodies(ServiceUnavailable):
    def __init__(self) -> None:
        super().__init__("Too many large bodies are under way.", retry_after=2)


class TooLargeSignedOut(PayloadTooLarge):
    def __init__(self) -> None:
        super().__init__(f"Without credentials the body may have {SMALL_BODY_BYTES} bytes.", limit=SMALL_BODY_BYTES)


class BodyBudget:
    """The bytes of large bodies that a process holds at once. Small ones always have room: as much as connections."""

    def __init__(self, limit: int = BODY_BUDGET_BYTES) -> None:
        self.limit, self.held = limit, 0

    @contextmanager
    def share(self) -> Iterator["BodyShare"]:
        """One request's, until it is answered."""
        share = BodyShare(self)
        try:
            yield share
        finally:
            self.held -= share.bytes


class BodyShare:
    """What one body holds of the budget."""

    def __init__(self, budget: BodyBudget) -> None:
        self._budget, self.bytes = budget, 0

    def reserve(self, size: int) -> None:
        """All of a body at once: two that wait for each other's half would wait for ever. Raises TooManyLargeBodies."""
        if self._budget.held - self.bytes + size > self._budget.limit:
            raise TooManyLargeBodies
        self._budget.held += size - self.bytes
        self.bytes = size


@dataclass(frozen=True)
class Route:
    """Requests whose bodies have a limit of their own."""

    method: str
    path: re.Pattern[str]
    limit: int


BODY_LIMITS = (
    Route("POST", re.compile(r"/api/v1/instruments/[^/]+/runs"), 4 * MIB),
    Route("PATCH", re.compile(r"/api/v1/instruments/[^/]+/runs/[^/]+"), 4 * MIB),
    Route("POST", re.compile(r"/api/v1/watchers/[^/]+/events"), 2 * MIB),
    Route("POST", re.compile(r"(/api/v1)?/instruments/[^/]+/runs/[^/]+/comment-pictures"), 10 * MIB),
)


def body_limit(method: str, path: str) -> int:
    """The most bytes that a body of this request may have."""
    matching = (route.limit for route in BODY_LIMITS if route.method == method and route.path.fullmatch(path))
    return next(matching, DEFAULT_BODY_LIMIT)


async def read_request_body(
    scope: Scope, inbound: RequestBody, *, share: BodyShare, seconds: float = BODY_TIMEOUT_SECONDS
) -> bytes:
    """The whole body.

    Raises PayloadTooLarge as soon as it must be, TooManyLargeBodies, RequestTimeout, ClientDisconnected.
    """
    limit = body_limit(scope["method"], scope["path"])
    announced = int(find_header(scope, b"content-length") or 0)
    check_size(scope, announced, limit=limit)
    body = bytearray()
    try:
        async with asyncio.timeout(seconds):
            while not inbound.finished:
                body += await inbound.read()
                check_size(scope, len(body), limit=limit)
                if len(body) > SMALL_BODY_BYTES and not share.bytes:
                    share.reserve(announced or limit)
    except TimeoutError:
        raise RequestTimeout(f"The body did not arrive within {seconds:g} seconds.") from None
    return bytes(body)


def check_size(scope: Scope, size: int, *, limit: int) -> None:
    """Raises PayloadTooLarge."""
    if size > limit:
        raise PayloadTooLarge(f"The body may have {limit} bytes.", limit=limit)
    if size > SMALL_BODY_BYTES and not has_credential(scope):
        raise TooLargeSignedOut


def has_credential(scope: Scope) -> bool:
    """Whether what is sent has the form of a credential. Whether it is one is asked when the body is there."""
    kind, _, text = (find_header(scope, b"authorization") or "").partition(" ")
    if kind.lower() == "bearer":
        text = text.strip()
        return is_well_formed(text) if text.startswith(TOKEN_PREFIX) else bool(OPAQUE_TOKEN.fullmatch(text))
    cookies = parse_cookie(find_header(scope, b"cookie") or "")
    return bool(SESSION_KEY.fullmatch(cookies.get(settings.SESSION_COOKIE_NAME, "")))
