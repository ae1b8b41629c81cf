"""The lane of requests that hash a password: they wait for their turn here, and hold no thread that others need.

Hashing is slow on purpose. One such request is at work in a process, a few wait behind it, fewer of one address; who
comes then reads 429. Refusals are answered a moment late, which costs a socket, so that a flood paces itself.
"""

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from django.http import HttpRequest, HttpResponse

from web.refusal_pages import render_refusal
from wire.asgi import ASGIApp, Message, Receive, Scope, Send, send_response
from wire.errors import RateLimited

PATHS = ("/accounts/login/", "/settings/password")
PREFIXES = ("/accounts/first/", "/accounts/password/")
MAX_PLACES, MAX_PLACES_OF_ADDRESS = 8, 4
REFUSAL_DELAY_SECONDS = 1.0
PAGE_POLICY = "default-src 'none'; style-src 'self'; img-src 'self'; frame-ancestors 'none'"


class SignInsBusy(RateLimited):
    def __init__(self) -> None:
        super().__init__("Many people are signing in. Try again in a few seconds.", retry_after=5)


class SignInLane:
    """`app` answers one request at a time; the others wait before it."""

    def __init__(self, app: ASGIApp, *, delay_seconds: float = REFUSAL_DELAY_SECONDS) -> None:
        self._app, self._delay_seconds = app, delay_seconds
        self._places: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Raises SignInsBusy where no place is free, and only then."""
        address = (scope.get("client") or ("", 0))[0]
        if self._is_full(address):
            await asyncio.sleep(self._delay_seconds)
            raise SignInsBusy
        with self._place_of(address):
            await self._app(scope, receive, self._delay_refusals(send))

    def _is_full(self, address: str) -> bool:
        return self._places.total() >= MAX_PLACES or self._places[address] >= MAX_PLACES_OF_ADDRESS

    @contextmanager
    def _place_of(self, address: str) -> Iterator[None]:
        self._places[address] += 1
        try:
            yield
        finally:
            self._places[address] -= 1
            self._places += Counter()  # forget who has none

    def _delay_refusals(self, send: Send) -> Send:
        async def send_later(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] == RateLimited.status:
                await asyncio.sleep(self._delay_seconds)
            await send(message)

        return send_later


def is_sign_in(scope: Scope) -> bool:
    """Whether a request may hash a password."""
    path: str = scope["path"]
    return scope["method"] == "POST" and (path in PATHS or path.startswith(PREFIXES))


async def send_busy_page(send: Send) -> None:
    """The page of Django's refusals, made once: it is the same for everybody."""
    page = _render_busy_page()
    await send_response(send, page.status_code, page.items(), page.content)


@cache
def _render_busy_page() -> HttpResponse:
    page = render_refusal(HttpRequest(), SignInsBusy())
    page["Content-Length"], page["Cache-Control"] = str(len(page.content)), "no-store"
    page["Content-Security-Policy"] = PAGE_POLICY
    return page
