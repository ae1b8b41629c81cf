"""Handing a connection over to the server of queries, a process of its own on this machine (web/server/handed.py).

It gets the connection itself and the request that came on it, and answers as if the client had come to it: nothing of
an answer passes through here.
"""

import os
import socket
from collections.abc import Callable, Iterator
from functools import partial

from web.server.query_server import HAND_OVER, QUERY_SOCKET
from wire.asgi import Scope, has_body

TakeOver = Callable[[Scope], bool]  # whether somebody else answers from now on
OF_THE_CONNECTION = (b"connection", b"keep-alive", b"content-length")


def find_query_server() -> TakeOver | None:
    """What hands requests over to it; None where this process answers all itself."""
    path = os.environ.get(QUERY_SOCKET)
    return partial(hand_over, path) if path else None


def hand_over(path: str, scope: Scope) -> bool:
    """A request without a body, to who listens at this socket; no, where that or its connection does not allow it."""
    connection = scope.get("extensions", {}).get(HAND_OVER)
    if connection is None or has_body(scope):
        return False
    return bool(connection["hand_over"](partial(_send, path, b"".join(write_head(scope)))))


def write_head(scope: Scope) -> Iterator[bytes]:
    """The request as it came, but the last one of its connection: the next goes to the web servers again."""
    query = b"?" + scope["query_string"] if scope["query_string"] else b""
    yield scope["method"].encode() + b" " + scope["raw_path"] + query
    yield b" HTTP/" + scope["http_version"].encode() + b"\r\n"
    yield from (name + b": " + value + b"\r\n" for name, value in scope["headers"] if name not in OF_THE_CONNECTION)
    yield b"connection: close\r\n\r\n"


def _send(path: str, head: bytes, descriptor: int) -> bool:
    """It waits at the socket, also while nobody runs there yet."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as line:
        line.setblocking(False)
        try:
            line.connect(path)
            socket.send_fds(line, [head], [descriptor])
        except OSError:  # too many wait already, or nobody listens
            return False
    return True
