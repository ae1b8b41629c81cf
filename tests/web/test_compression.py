"""Long texts go compressed, everything else as it is."""

import gzip
import zlib

import brotli
import pytest
from django.http import HttpResponse, StreamingHttpResponse
from django.test import RequestFactory

from web.compression import Compression, compress_once

pytestmark = pytest.mark.usefixtures("kept_connections")

LONG = b"the same again, " * 200
FASTEST = 4  # the header's word for the level (RFC 1952, XFL)
NUMBERS = b"".join(b"%d\n" % number for number in range(50_000))


def answered(response, *, accepts="gzip"):
    request = RequestFactory().get("/", headers={"Accept-Encoding": accepts} if accepts else {})
    return Compression(lambda _: response)(request)


@pytest.mark.parametrize("kind", ["text/html; charset=utf-8", "application/json", "text/css", "text/javascript"])
def test_long_texts_are_compressed(kind):
    answer = answered(HttpResponse(LONG, content_type=kind))

    assert answer["Content-Encoding"] == "gzip"
    assert gzip.decompress(answer.content) == LONG
    assert "Accept-Encoding" in answer["Vary"]


def test_large_answers_are_compressed_once_and_their_length_tells_nothing():
    large = LONG * 100
    lengths = set()
    for _ in range(20):
        response = HttpResponse(large, content_type="application/json", headers={"ETag": '"a"'})
        answer = answered(response)
        lengths.add(len(answer.content))

        assert answer["Content-Encoding"] == "gzip"
        assert gzip.decompress(answer.content) == large
        assert answer["Content-Length"] == str(len(answer.content))
        assert answer["ETag"] == 'W/"a"'
        assert answer["Vary"] == "Accept-Encoding"

    assert len(lengths) > 1


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


@pytest.mark.parametrize("accepts", ["gzip;q=0", "gzip; q=0.0, identity", "gzip;q=0, br"])
def test_who_refuses_it_gets_none(accepts):
    answer = answered(HttpResponse(LONG, content_type="application/json"), accepts=accepts)

    assert not answer.has_header("Content-Encoding")
    assert answer.content == LONG
    assert answer["Vary"] == "Accept-Encoding"


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


def test_what_is_streamed_is_compressed_quickly_and_closed_when_nobody_wants_the_rest():
    closed = []

    def parts():
        try:
            while True:
                yield NUMBERS
        finally:
            closed.append(True)

    answer = answered(StreamingHttpResponse(parts(), content_type="text/csv"))
    pieces = iter(answer.streaming_content)
    head = next(pieces)
    read = zlib.decompressobj(wbits=31)
    text = read.decompress(head)
    while len(text) < len(NUMBERS):
        text += read.decompress(next(pieces))
    answer.close()

    assert text.startswith(NUMBERS)
    assert head[8] == FASTEST
    assert closed == [True]


def test_the_length_of_one_page_is_not_always_the_same():
    lengths = {len(answered(HttpResponse(LONG, content_type="text/html")).content) for _ in range(40)}

    assert len(lengths) > 1


def static_file(**headers):
    forever = {"Cache-Control": "max-age=315360000, public, immutable", "ETag": '"7-c8"'} | headers
    return StreamingHttpResponse(iter([LONG, LONG]), content_type="text/css", headers=forever)


@pytest.mark.parametrize("accepts", ["gzip, deflate, br, zstd", "br;q=1.0, gzip;q=0.8", "gzip;q=0, BR ; q=0.5"])
def test_a_static_file_comes_as_brotli_to_whoever_takes_it(accepts):
    answer = answered(static_file(), accepts=accepts)

    assert (answer["Content-Encoding"], int(answer["Content-Length"])) == ("br", len(answer.content))
    assert brotli.decompress(answer.content) == LONG * 2
    assert (answer["ETag"], answer["Vary"], answer["Content-Type"]) == ('W/"7-c8"', "Accept-Encoding", "text/css")


@pytest.mark.parametrize("accepts", ["gzip", "br;q=0, gzip", "br;q=0.000,gzip;q=1"])
def test_a_static_file_comes_as_gzip_to_others(accepts):
    answer = answered(static_file(), accepts=accepts)

    assert answer["Content-Encoding"] == "gzip"
    assert gzip.decompress(answer.content) == LONG * 2


def test_a_static_file_is_compressed_once():
    compress_once.cache_clear()

    for _ in range(3):
        answered(static_file(), accepts="br")

    assert (compress_once.cache_info().misses, compress_once.cache_info().hits) == (1, 2)


@pytest.mark.parametrize("headers", [{"Cache-Control": "no-store"}, {"Content-Encoding": "br"}])
def test_what_may_hold_a_secret_and_what_is_compressed_are_not_made_brotli_of(headers):
    answer = answered(static_file(**headers), accepts="br")

    assert b"".join(answer.streaming_content) == LONG * 2
