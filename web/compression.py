"""Answers of Django, compressed where that is worth it and tells nobody anything.

Signed object bytes never come by here: web.dispatch answers them. BREACH, which guesses a secret from the length of
compressed pages, meets two walls: Django masks the CSRF token anew in each page, and its gzip adds up to 100 random
bytes to each answer ("Heal the BREACH", 2022).
"""

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware

LEAST_BYTES = 1_024
TYPES = ("text/", "application/json", "application/javascript", "application/problem+json", "image/svg+xml")
STREAMED_AS_THEY_HAPPEN = "text/event-stream"


class Compression(GZipMiddleware):
    """gzip of HTML, JSON, CSS, JavaScript and text above 1 KiB; what is streamed stays streamed."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        return super().process_response(request, response) if is_worth_it(response) else response


def is_worth_it(response: HttpResponseBase) -> bool:
    """Whole answers only: a part that was asked for by its bytes stays as it is."""
    kind = response.headers.get("Content-Type", "")
    if response.status_code == 206 or not kind.startswith(TYPES) or kind.startswith(STREAMED_AS_THEY_HAPPEN):
        return False
    return _length_of(response) >= LEAST_BYTES


def _length_of(response: HttpResponseBase) -> int:
    """Of a streamed answer what its header says; where it says nothing, it is taken to be long."""
    if not response.streaming:
        return len(response.content)  # type: ignore[attr-defined]  # whatever is not streamed has it
    length = response.headers.get("Content-Length", "")
    return int(length) if length.isascii() and length.isdigit() else LEAST_BYTES
