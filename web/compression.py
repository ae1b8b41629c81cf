"""Answers of Django, compressed where that is worth it and tells nobody anything.

Signed object bytes never come by here: web.server.dispatch answers them. BREACH, which guesses a secret from the length
of compressed pages, meets two walls: Django masks the CSRF token anew in each page, and its gzip adds up to 100 random
bytes to each answer ("Heal the BREACH", 2022). Brotli has no place for these, so it takes what holds no secret: static
files, whose names carry their hash. They are compressed once a process, as well as can be, and kept.
"""

import gzip
import secrets
from collections.abc import Iterable, Iterator
from functools import lru_cache
from io import BytesIO
from typing import Any

import brotli
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware
from django.utils.cache import patch_vary_headers

LEAST_BYTES = 1_024
MOST_KEPT_BYTES = 1_024 * 1_024
LARGE_BYTES, QUICK_LEVEL, MOST_RANDOM_BYTES = 64 * 1_024, 1, 100
BROTLI, GZIP = "br", "gzip"
TYPES = ("text/", "application/json", "application/javascript", "application/problem+json", "image/svg+xml")
STREAMED_AS_THEY_HAPPEN = "text/event-stream"


class Compression(GZipMiddleware):
    """gzip of HTML, JSON, CSS, JavaScript and text above 1 KiB; what is streamed stays streamed."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        if not is_worth_it(response):
            return response
        accepted = request.headers.get("Accept-Encoding", "")
        encoding = choose_encoding(accepted)
        if encoding is not None and request.method == "GET" and is_kept(response):
            return answer_kept(response, encoding)
        if GZIP not in list_accepted(accepted):  # Django looks for the word alone: `gzip;q=0` has it, too
            patch_vary_headers(response, ("Accept-Encoding",))
            return response
        if is_large(response):
            compress_quickly(response)  # what has its encoding is left as it is by Django
        return super().process_response(request, response)


def is_worth_it(response: HttpResponseBase) -> bool:
    """Whole answers only: a part that was asked for by its bytes stays as it is."""
    kind = response.headers.get("Content-Type", "")
    if response.status_code == 206 or not kind.startswith(TYPES) or kind.startswith(STREAMED_AS_THEY_HAPPEN):
        return False
    return _length_of(response) >= LEAST_BYTES


def choose_encoding(accepted: str) -> str | None:
    """The better one of those that the header names and does not forbid."""
    named = list_accepted(accepted)
    return next((encoding for encoding in (BROTLI, GZIP) if encoding in named), None)


def list_accepted(accepted: str) -> set[str]:
    offers = [offer.replace(" ", "").lower().partition(";q=") for offer in accepted.split(",")]
    return {name for name, _, weight in offers if weight.strip("0.") or not weight}


def is_large(response: HttpResponseBase) -> bool:
    """A streamed answer is, whatever its length will be; one of coroutines is Django's."""
    if response.has_header("Content-Encoding"):
        return False
    if isinstance(response, StreamingHttpResponse):
        return not response.is_async
    return _length_of(response) >= LARGE_BYTES


def compress_quickly(response: Any) -> None:
    """Of numbers Django's level saves 8 % more bytes and takes five times as long."""
    if response.streaming:
        response.streaming_content = compress_pieces(response.streaming_content)
        del response["Content-Length"]
    else:
        response.content = b"".join(compress_pieces([response.content]))
        response["Content-Length"] = str(len(response.content))
    response["Content-Encoding"] = GZIP
    if etag := response.get("ETag"):
        response["ETag"] = etag if etag.startswith("W/") else f"W/{etag}"
    patch_vary_headers(response, ("Accept-Encoding",))


def compress_pieces(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """As they come, after a name of random length."""
    buffer = BytesIO()
    name = "a" * secrets.randbelow(MOST_RANDOM_BYTES)
    with gzip.GzipFile(name, "wb", QUICK_LEVEL, buffer, mtime=0) as packed:
        for piece in pieces:
            packed.write(piece)
            if buffer.tell():
                yield take_all(buffer)
    yield take_all(buffer)


def take_all(buffer: BytesIO) -> bytes:
    taken = buffer.getvalue()
    buffer.seek(0)
    buffer.truncate()
    return taken


def is_kept(response: HttpResponseBase) -> bool:
    """Whether this is a static file under the name that carries its hash."""
    is_plain = not response.has_header("Content-Encoding") and _length_of(response) <= MOST_KEPT_BYTES
    return is_plain and response.status_code == 200 and "immutable" in response.headers.get("Cache-Control", "")


def answer_kept(response: HttpResponseBase, encoding: str) -> HttpResponse:
    """The same answer with its content compressed."""
    content = b"".join(response) if response.streaming else response.content  # type: ignore[attr-defined]
    response.close()
    answer = HttpResponse(compress_once(content, encoding), headers=dict(response.headers))
    answer["Content-Encoding"], answer["Content-Length"] = encoding, str(len(answer.content))
    if etag := answer.get("ETag"):
        answer["ETag"] = etag if etag.startswith("W/") else f"W/{etag}"
    patch_vary_headers(answer, ("Accept-Encoding",))
    return answer


@lru_cache(1_000)
def compress_once(content: bytes, encoding: str) -> bytes:
    return brotli.compress(content) if encoding == BROTLI else gzip.compress(content, mtime=0)


def _length_of(response: HttpResponseBase) -> int:
    """Of a streamed answer what its header says; where it says nothing, it is taken to be long."""
    if not response.streaming:
        return len(response.content)  # type: ignore[attr-defined]  # whatever is not streamed has it
    length = response.headers.get("Content-Length", "")
    return int(length) if length.isascii() and length.isdigit() else LEAST_BYTES
