"""Routes that answer a redirect or JSON, whatever Accept says (docs/interface.md, Downloads)."""

from collections.abc import Iterable
from typing import Any

from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request


class IgnoreAcceptNegotiation(DefaultContentNegotiation):
    """Never 406: JSON is what is written where a body is."""

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, Any]:
        renderer = next(iter(renderers))
        return renderer, renderer.media_type


def asks_for_json(request: Request) -> bool:
    """`application/json` is named in Accept; `*/*` does not name it."""
    return "application/json" in request.headers.get("Accept", "").lower()
