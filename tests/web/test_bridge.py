"""One thread's work a request: what is whole comes back at once, what streams comes as it is made."""

import asyncio
import os
import sys
import threading

import pytest
from django.http import HttpResponse, StreamingHttpResponse

from web.server.bridge import ReaderStalled, serve_in_threads

SCOPE = {
    "type": "http",
    "http_version": "1.1",
    "method": "POST",
    "path": "/ä",
    "query_string": b"q=1",
    "headers": [(b"content-length", b"6"), (b"x-two", b"a"), (b"x-two", b"b")],
}


def ask(application, **more):
    """The messages of its answer, and how often it went to the loop for one."""

    async def run():
        parts = [
            {"type": "http.request", "body": b"one", "more_body": True},
            {"type": "http.request", "body": b"two"},
        ]
        sent = []

        async def receive():
            return parts.pop(0)

        async def send(message):
            sent.append(message)

        await serve_in_threads(application, threads=1, **more)(SCOPE, receive, send)
        return sent

    return asyncio.run(run())


def django_answer(response):
    """As Django's WSGIHandler hands it over."""

    def application(environ, start_response):
        start_response(f"{response.status_code} {response.reason_phrase}", list(response.items()))
        return response

    return application


@pytest.mark.skipif(sys.platform != "linux", reason="Linux alone schedules each thread by itself.")
def test_patient_threads_stand_back_and_no_others():
    niceness, patient = [], min(os.nice(0) + 3, 19)

    def application(environ, start_response):
        niceness.append(os.getpriority(os.PRIO_PROCESS, threading.get_native_id()))
        start_response("204 No Content", [])
        return []

    ask(application)
    ask(application, niceness=patient)

    assert niceness == [os.nice(0), patient]


def test_the_request_is_whole():
    seen = {}

    def application(environ, start_response):
        seen.update(environ, body=environ["wsgi.input"].read())
        start_response("204 No Content", [])
        return []

    ask(application)

    assert (seen["body"], seen["REQUEST_METHOD"], seen["QUERY_STRING"]) == (b"onetwo", "POST", "q=1")
    assert (seen["PATH_INFO"].encode("latin-1").decode(), seen["HTTP_X_TWO"]) == ("/ä", "a,b")


def test_a_whole_answer_comes_in_two_messages():
    begin, body = ask(django_answer(HttpResponse(b"abc", status=201, headers={"X-One": "1"})))

    assert (begin["type"], begin["status"]) == ("http.response.start", 201)
    assert (b"x-one", b"1") in begin["headers"]
    assert body == {"type": "http.response.body", "body": b"abc"}


def test_a_streamed_answer_is_sent_while_it_is_made():
    """Piece two is not made before piece one was sent: the queue has one place, and one more is on its way."""
    made = []

    def pieces():
        for number in range(5):
            made.append(number)
            yield b"%d" % number

    messages = ask(django_answer(StreamingHttpResponse(pieces())), queued_pieces=1)

    assert [message.get("body") for message in messages] == [None, b"0", b"1", b"2", b"3", b"4", b""]
    assert [message.get("more_body") for message in messages] == [None, True, True, True, True, True, False]


@pytest.mark.parametrize("response", [HttpResponse(b"abc"), StreamingHttpResponse([b"abc"])])
def test_the_answer_is_closed_in_its_thread(response):
    closed = []
    response.close = lambda: closed.append(threading.current_thread() is threading.main_thread())

    ask(django_answer(response))

    assert closed == [False]


def test_an_application_that_breaks_says_so_to_its_caller():
    def application(environ, start_response):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        ask(application)


def test_a_stream_that_breaks_is_cut_off_and_not_ended():
    def pieces():
        yield b"one"
        raise ZeroDivisionError

    sent = []

    async def send(message):
        sent.append(message)

    async def receive():
        return {"type": "http.request"}

    response = StreamingHttpResponse(pieces())
    with pytest.raises(ZeroDivisionError):
        asyncio.run(serve_in_threads(django_answer(response), threads=1)(SCOPE, receive, send))

    assert not any(message.get("more_body") is False for message in sent)


@pytest.mark.parametrize("somebody_waits", [True, False])
def test_who_reads_nothing_gives_the_thread_to_who_waits(monkeypatch, somebody_waits):
    monkeypatch.setattr("web.server.bridge.STALLED_SECONDS", 0.2)
    closed, sent = [], []

    def application(environ, start_response):
        if environ["PATH_INFO"] == "/short":
            return django_answer(HttpResponse(b"short"))(environ, start_response)
        pieces = StreamingHttpResponse(b"piece" for _ in range(9))
        pieces._resource_closers.append(lambda: closed.append("long"))
        return django_answer(pieces)(environ, start_response)

    async def run():
        bridge, reads = serve_in_threads(application, threads=1, queued_pieces=1), asyncio.Event()

        async def receive():
            return {"type": "http.request", "body": b""}

        async def send_slowly(message):
            sent.append(message)
            if message["type"] == "http.response.body":
                await reads.wait()

        async def send(message):
            sent.append(message)

        slow = asyncio.create_task(bridge({**SCOPE, "path": "/long"}, receive, send_slowly))
        while not sent:
            await asyncio.sleep(0.01)
        if somebody_waits:
            await bridge({**SCOPE, "path": "/short"}, receive, send)
        else:
            await asyncio.sleep(2)
            reads.set()
        return (await asyncio.gather(slow, return_exceptions=True))[0]

    ended = asyncio.run(run())

    assert isinstance(ended, ReaderStalled) == somebody_waits
    assert closed == ["long"]
    assert sum(message.get("body") == b"piece" for message in sent) == (1 if somebody_waits else 9)
