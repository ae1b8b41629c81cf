"""What those are told who wait at a socket when the service stops and nobody comes to them any more."""

import select
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress

from web.server.http import MAX_HEAD_BYTES, write_refusal
from web.server.query_server import MAX_HANDED_BYTES
from wire.errors import ServiceUnavailable

LINGER_SECONDS = 0.5


def refuse_waiting(listener: socket.socket) -> int:
    """Those whom web servers handed over; how many there were."""
    refused = 0
    listener.setblocking(False)  # other processes that have it, too, may have said otherwise
    for line in _accept_waiting(listener):
        refused += 1
        with line, suppress(OSError):  # it is gone
            line.setblocking(False)
            for descriptor in socket.recv_fds(line, MAX_HANDED_BYTES, 1)[1]:
                with socket.socket(fileno=descriptor) as connection:
                    connection.sendall(_write_end())
    return refused


def refuse_clients(listener: socket.socket) -> int:
    """Those whom no web server has accepted; how many there were. The listener is closed.

    What of a request is not read when its connection closes takes the answer with it, so that is read first.
    """
    listener.setblocking(False)
    with ExitStack() as closing:
        with listener:
            connections = [closing.enter_context(connection) for connection in _accept_waiting(listener)]
        for connection in connections:
            connection.setblocking(False)
            with suppress(OSError):
                connection.send(_write_end())
                connection.shutdown(socket.SHUT_WR)
        _read_all(connections, until=time.monotonic() + LINGER_SECONDS)
    return len(connections)


def _read_all(connections: list[socket.socket], *, until: float) -> None:
    """To the end of each, or of the time."""
    open_ones = {connection.fileno(): connection for connection in connections}
    reading = select.poll()
    for descriptor in open_ones:
        reading.register(descriptor, select.POLLIN)
    while open_ones and (left := until - time.monotonic()) > 0:
        for descriptor, _ in reading.poll(left * 1000):
            try:
                is_open = bool(open_ones[descriptor].recv(MAX_HEAD_BYTES))
            except OSError:
                is_open = False
            if not is_open:
                reading.unregister(descriptor)
                del open_ones[descriptor]


def _write_end() -> bytes:
    return write_refusal(ServiceUnavailable("The service is being stopped."))


def _accept_waiting(listener: socket.socket) -> Iterator[socket.socket]:
    with suppress(OSError):
        while True:
            yield listener.accept()[0]
