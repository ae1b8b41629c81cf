"""What those are told who wait at the socket of queries when the service stops and nobody comes to them any more."""

import socket
from collections.abc import Iterator
from contextlib import suppress

from web.server.http import write_refusal
from web.server.query_server import MAX_HANDED_BYTES
from wire.errors import ServiceUnavailable


def refuse_waiting(listener: socket.socket) -> int:
    """How many there were."""
    refused = 0
    listener.setblocking(False)  # other processes that have it, too, may have said otherwise
    for line in _accept_waiting(listener):
        refused += 1
        with line, suppress(OSError):  # it is gone
            line.setblocking(False)
            for descriptor in socket.recv_fds(line, MAX_HANDED_BYTES, 1)[1]:
                with socket.socket(fileno=descriptor) as connection:
                    connection.sendall(write_refusal(ServiceUnavailable("The service is being stopped.")))
    return refused


def _accept_waiting(listener: socket.socket) -> Iterator[socket.socket]:
    with suppress(OSError):
        while True:
            yield listener.accept()[0]
