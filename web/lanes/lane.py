"""Lanes: requests that take long wait for their turn here, on few threads of their own, and hold none that others need.

A lane has a number of places, fewer for one address. Who finds none is refused at once.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from django.http import HttpRequest, HttpResponse

from web.refusal_pages import render_refusal
from wire.asgi import ASGIApp, Receive, Scope, Send, send_response
from wire.errors import ServiceError

PAGE_POLICY = "default-src 'none'; style-src 'self'; img-src 'self'; frame-ancestors 'none'"


class LaneBusy(ServiceError):
    """Mixed into the refusal of a lane that has no place."""


class Lane:
    """`app` answers what `takes` says, the requests that find a place; to the others it is `busy`."""

    is_django = True  # whose middleware logs the request

    def __init__(
        self,
        app: ASGIApp,
        *,
        takes: Callable[[Scope], bool],
        busy: Callable[[], LaneBusy],
        max_places: int,
        max_places_of_address: int,
    ) -> None:
        self.takes = takes
        self._app, self._busy = app, busy
        self._max_places, self._max_places_of_address = max_places, max_places_of_address
        self._places: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Raises LaneBusy where no place is free, and only then."""
        address = (scope.get("client") or ("", 0))[0]
        if self._is_full(address):
            await self.before_refusal()
            raise self._busy()
        with self._place_of(address):
            await self._app(scope, receive, send)

    async def before_refusal(self) -> None:
        """What the lane does before it turns somebody away."""

    def _is_full(self, address: str) -> bool:
        return self._places.total() >= self._max_places or self._places[address] >= self._max_places_of_address

    @contextmanager
    def _place_of(self, address: str) -> Iterator[None]:
        self._places[address] += 1
        try:
            yield
        finally:
            self._places[address] -= 1
            self._places += Counter()  # forget who has none


async def send_busy(send: Send, scope: Scope, error: LaneBusy) -> None:
    """What Django would answer: the envelope under /api, else a page, made once for everybody."""
    kind: Any = type(error)
    answer = _render_busy(kind, scope["path"].startswith("/api/"))
    await send_response(send, answer.status_code, answer.items(), answer.content)


@cache
def _render_busy(kind: Any, is_api: bool) -> HttpResponse:
    request = HttpRequest()
    request.path_info = "/api/" if is_api else "/"
    answer = render_refusal(request, kind())
    answer["Content-Length"], answer["Cache-Control"] = str(len(answer.content)), "no-store"
    answer["Content-Security-Policy"] = PAGE_POLICY
    return answer
