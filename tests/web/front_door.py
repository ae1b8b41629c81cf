"""The service's front door on a loopback port, with an application behind it that tells what reached it."""

import http.client
import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

from accounts.token_texts import generate_token_text
from tests.live_server import address_of, listening, serving
from web.server.bridge import serve_in_threads
from web.server.dispatch import Dispatcher

THREADS = 2
CREDENTIAL = {"Authorization": "Bearer " + generate_token_text()}  # of the right form; whose it is nobody asks here


class Echo:
    """Stands where Django does: tells what reached it, and remembers the paths."""

    def __init__(self):
        self.paths = []

    def __call__(self, environ, start_response):
        self.paths.append(environ["PATH_INFO"])
        if environ["PATH_INFO"] == "/crash":
            raise RuntimeError("secret inside")
        told = {name: value for name, value in environ.items() if isinstance(value, str)}
        told["body"] = environ["wsgi.input"].read().decode("latin-1")
        body = json.dumps(told).encode()
        start_response("200 OK", [("Content-Type", "application/json"), ("Content-Length", str(len(body)))])
        return [body]


@contextmanager
def front_door(echo, **options) -> Iterator[str]:
    django = serve_in_threads(echo, threads=THREADS)
    with listening() as sock, serving(Dispatcher(django=django, lifespan=django, **options), sock):
        yield address_of(sock)


def open_request(url, head, *, body=b""):
    """A connection on which a head and the beginning of a body were sent."""
    connection = socket.create_connection((urlsplit(url).hostname, urlsplit(url).port), timeout=30)
    connection.sendall(f"{head}\r\nHost: lab\r\n\r\n".encode() + body)
    return connection


def error_of(response):
    assert response.headers["Content-Type"] == "application/json"
    assert response.headers["X-Request-ID"]
    assert set(response.json()) == {"error"}
    assert set(response.json()["error"]) == {"code", "message", "details"}
    return response.status_code, response.json()["error"]["code"]


def read_answer(connection):
    """The status and body of one answer, which may come in pieces."""
    answer = http.client.HTTPResponse(connection)
    answer.begin()
    return answer.status, answer.read()


def read_all(connection):
    return b"".join(iter(lambda: connection.recv(65536), b""))
