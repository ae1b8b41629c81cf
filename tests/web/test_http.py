"""What is no HTTP, has no end or does not come is refused before anybody reads it."""

import asyncio
import json
import os
import socket
import subprocess
import sys
import threading
import time
from contextlib import ExitStack
from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest
import requests

from tests.faults.journal import wait_until
from tests.live_server import empty_app, listening, serving
from tests.web.front_door import read_all
from web.server import http


def raw(url, *pieces):
    """What comes back for these bytes, until the connection ends."""
    parts = urlsplit(url)
    with socket.create_connection((parts.hostname, parts.port), timeout=20) as connection:
        try:
            for piece in pieces:
                connection.sendall(piece)
            return read_all(connection)
        except ConnectionError:
            return b""


def refusal_in(answer):
    head, _, body = answer.partition(b"\r\n\r\n")
    assert b"\r\nx-request-id: " in head
    assert b"\r\ncontent-type: application/json\r\n" in head
    return int(head.split()[1]), json.loads(body)["error"]["code"]


@pytest.mark.parametrize(
    "nonsense",
    [b"hello\r\n\r\n", b"\x16\x03\x01\x02\x00", b"GET / HTTP/9.9\r\n\r\n", b"GET /\x00 HTTP/1.1\r\nHost: a\r\n\r\n",
     b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"],
)  # fmt: skip
def test_what_is_no_http_is_told_so_in_the_envelope(url, echo, nonsense):
    assert refusal_in(raw(url, nonsense)) == (400, "VALIDATION_ERROR")
    assert echo.paths == []


@pytest.mark.parametrize("coded", [b"gzip\r\n\r\n", b"chunked\r\n\r\nno length\r\n"])
def test_a_body_that_is_no_http_is_told_so_in_the_envelope(url, coded):
    asked = b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: " + coded

    assert refusal_in(raw(url, asked)) == (400, "VALIDATION_ERROR")


def test_what_follows_a_request_takes_its_answer_not_away():
    begun = threading.Event()

    async def answer_late(scope, receive, send):
        if scope["type"] != "http":
            await empty_app(scope, receive, send)
            return
        begun.set()
        await asyncio.sleep(1)
        await empty_app(scope, receive, send)

    with (
        listening() as sock,
        serving(answer_late, sock, http=http.BoundedHttp),
        socket.create_connection(sock.getsockname(), timeout=20) as connection,
    ):
        connection.sendall(b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n")
        assert begun.wait(20)
        connection.sendall(b"no HTTP\r\n\r\n")
        answer = read_all(connection)

    assert answer == b""


def test_an_address_that_is_too_long_is_told_so(url, echo):
    asked = b"GET /?" + b"run=reader/a-run&" * 4_500 + b" HTTP/1.1\r\nHost: a\r\n\r\n"

    assert refusal_in(raw(url, asked)) == (431, "VALIDATION_ERROR")


@pytest.mark.parametrize("begin", [b"GET /", b"GET / HTTP/1.1\r\nX-Long: ", b"GET / HTTP/1.1\r\n"])
def test_a_head_without_an_end_is_refused(url, echo, begin):
    piece = b"x" * 16_000 if not begin.endswith(b"\n") else b"A: b\r\n" * 2_500
    answer = raw(url, begin, *[piece] * 6)

    assert answer == b"" or refusal_in(answer) == (431, "VALIDATION_ERROR")
    assert echo.paths == []


def test_usual_headers_have_room(url):
    assert requests.get(f"{url}/x", headers={"X-Much": "x" * 30_000}, timeout=20).status_code == 200


def test_many_requests_on_one_connection_are_as_many_heads(url):
    with requests.Session() as session:
        answers = [session.get(f"{url}/x", headers={"X-Much": "x" * 30_000}, timeout=20) for _ in range(4)]

    assert [answer.status_code for answer in answers] == [200] * 4


def test_what_comes_while_the_server_ends_is_answered_and_the_connection_ends():
    with listening() as sock, ExitStack() as server:
        server.enter_context(serving(empty_app, sock, http=http.BoundedHttp))
        connection = HTTPConnection(*sock.getsockname(), timeout=20)
        connection.request("GET", "/before")
        connection.getresponse().read()
        address, ending = sock.getsockname(), threading.Thread(target=server.close)
        ending.start()
        wait_until(lambda: is_refused(address), seconds=20, why="nobody listens")

        connection.request("POST", "/after")
        answer = connection.getresponse()

        assert (answer.status, answer.headers["Connection"]) == (404, "close")
        ending.join(20)


def test_an_answer_under_way_when_the_server_ends_takes_nothing_of_the_next():
    begun, released = threading.Event(), threading.Event()

    async def answer_in_two(scope, receive, send):
        if scope["type"] != "http" or scope["path"] != "/slow":
            await empty_app(scope, receive, send)
            return
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
        await send({"type": "http.response.body", "body": b"a", "more_body": True})
        begun.set()
        await asyncio.to_thread(released.wait, 20)
        await send({"type": "http.response.body", "body": b"b"})

    with listening() as sock, ExitStack() as server:
        server.enter_context(serving(answer_in_two, sock, http=http.BoundedHttp, grace=20))
        connection = HTTPConnection(*sock.getsockname(), timeout=20)
        connection.request("GET", "/slow")
        assert begun.wait(20)
        address, ending = sock.getsockname(), threading.Thread(target=server.close)
        ending.start()
        wait_until(lambda: is_refused(address), seconds=20, why="nobody listens")
        released.set()
        first = connection.getresponse()
        assert (first.read(), first.headers["Connection"]) == (b"ab", None)

        connection.request("POST", "/after")
        answer = connection.getresponse()

        assert (answer.status, answer.headers["Connection"]) == (404, "close")
        ending.join(20)


def is_refused(address):
    try:
        socket.create_connection(address, timeout=20).close()
    except ConnectionRefusedError:
        return True
    except ConnectionResetError:  # it was closed in the same moment
        return False
    return False


@pytest.mark.parametrize("begun", [b"", b"GET / HTTP/1.1\r\nHost: a\r\n"])
def test_a_head_that_does_not_come_is_waited_for_not_for_ever(monkeypatch, url, begun):
    monkeypatch.setattr(http, "HEAD_TIMEOUT_SECONDS", 0.2)
    began = time.monotonic()

    assert raw(url, begun) == b""
    assert time.monotonic() - began < 15


def test_the_server_reads_it_before_the_application():
    environ = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}

    done = subprocess.run(
        [sys.executable, "-c", "import web.server.http"], env=environ, capture_output=True, timeout=60
    )

    assert done.returncode == 0, done.stderr.decode()


def test_an_idle_connection_gives_way_to_a_new_one(settings, url):
    settings.WEB_CONNECTIONS = 3
    with ExitStack() as idle:
        opened = [idle.enter_context(connect(url)) for _ in range(8)]

        answer = requests.get(f"{url}/x", timeout=20)

        assert answer.status_code == 200
        assert sum(has_ended(connection) for connection in opened) >= 5


def test_beyond_the_number_of_connections_at_work_a_new_one_is_refused(settings, url):
    settings.WEB_CONNECTIONS = 3
    with ExitStack() as busy:
        for _ in range(3):
            begun = busy.enter_context(connect(url))
            begun.sendall(b"POST /x HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n")
            begun.recv(65536)

        answer = raw(url)

    assert refusal_in(answer) == (503, "SERVICE_UNAVAILABLE")
    assert b"\r\nretry-after: 2\r\n" in answer


def connect(url):
    parts = urlsplit(url)
    return socket.create_connection((parts.hostname, parts.port), timeout=20)


def has_ended(connection):
    """Whether the other side has closed it by now."""
    connection.setblocking(False)
    try:
        return connection.recv(1) == b""
    except BlockingIOError:
        return False
