"""Long texts go compressed, everything else as it is."""

import gzip

import pytest
from django.http import HttpResponse, StreamingHttpResponse
from django.test import RequestFactory

from web.compression import Compression

LONG = b"the same again, " * 200


def answered(response, *, accepts="gzip"):
    request = RequestFactory().get("/", headers={"Accept-Encoding": accepts} if accepts else {})
    return Compression(lambda _: response)(request)


@pytest.mark.parametrize("kind", ["text/html; charset=utf-8", "application/json", "text/css", "text/javascript"])
def test_long_texts_are_compressed(kind):
    answer = answered(HttpResponse(LONG, content_type=kind))

    assert answer["Content-Encoding"] == "gzip"
    assert gzip.decompress(answer.content) == LONG
    assert "Accept-Encoding" in answer["Vary"]


@pytest.mark.parametrize(
    "response",
    [
        HttpResponse(LONG[:1023], content_type="text/html"),
        HttpResponse(LONG, content_type="image/png"),
        HttpResponse(LONG, content_type="text/css", status=206),
        HttpResponse(LONG, content_type="text/event-stream"),
    ],
    ids=["short", "picture", "a part", "events"],
)
def test_what_gains_nothing_is_left_alone(response):
    assert not answered(response).has_header("Content-Encoding")


def test_who_does_not_ask_for_it_gets_none():
    assert answered(HttpResponse(LONG, content_type="text/html"), accepts="").content == LONG


def test_what_is_streamed_stays_streamed():
    given = []

    def parts():
        for part in (LONG, LONG):
            given.append(part)
            yield part

    answer = answered(StreamingHttpResponse(parts(), content_type="text/csv"))

    assert answer.streaming
    assert given == []
    assert gzip.decompress(b"".join(answer.streaming_content)) == LONG * 2


def test_the_length_of_one_page_is_not_always_the_same():
    lengths = {len(answered(HttpResponse(LONG, content_type="text/html")).content) for _ in range(40)}

    assert len(lengths) > 1
