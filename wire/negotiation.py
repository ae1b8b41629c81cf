"""Which form an answer has, by the header Accept."""

from collections.abc import Iterable
from typing import Any

from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

ANY, JSON = "*/*", "application/json"


class JsonNegotiation(DefaultContentNegotiation):
    """What nearly everybody asks for is not weighed against what else there could be."""

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, Any]:
        offered = list(renderers)
        is_plain = format_suffix is None and request.META.get("HTTP_ACCEPT", ANY) in (ANY, JSON)
        if is_plain and [one.media_type for one in offered] == [JSON]:
            return offered[0], JSON
        return super().select_renderer(request, offered, format_suffix)


class IgnoreAcceptNegotiation(DefaultContentNegotiation):
    """Never 406: JSON is what is written where a body is, beside a redirect (docs/interface.md, Downloads)."""

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, Any]:
        renderer = next(iter(renderers))
        return renderer, renderer.media_type


def asks_for_json(request: Request) -> bool:
    """`application/json` is named in Accept; `*/*` does not name it."""
    return "application/json" in request.headers.get("Accept", "").lower()
