"""The server of queries: it answers on connections that web servers hand over (`python -m web --queries`).

Each comes as one message on a line of its own: the head of the request, and the connection's descriptor.
"""

import asyncio
import logging
import os
import socket
import time
from collections.abc import Callable
from typing import Any

import uvloop

from web.server.calm_server import LOOK_SECONDS, CalmServer
from web.server.query_server import MAX_HANDED_BYTES

log = logging.getLogger(__name__)


def make_loop() -> asyncio.AbstractEventLoop:
    return HandedLoop()


class HandedLoop(uvloop.Loop):
    async def create_server(self, protocol_factory: Any, *args: Any, sock: Any = None, **options: Any) -> Any:
        """As asyncio's; what comes to the socket that is given is no client."""
        return HandedListener(self, protocol_factory, sock)


class HandedListener:
    """What uvicorn uses of an asyncio.Server."""

    def __init__(self, loop: asyncio.AbstractEventLoop, make_protocol: Callable[[], Any], sock: socket.socket) -> None:
        self._loop, self._make_protocol = loop, make_protocol
        self._listener = socket.socket(fileno=socket.dup(sock.fileno()))  # of its own kind, whatever `sock` says
        self._listener.setblocking(False)
        self._opening: set[asyncio.Task[Any]] = set()
        self.sockets = (sock,)
        loop.add_reader(self._listener, self._accept)

    def close(self) -> None:
        """Who waits at the socket is answered by the next server that listens there."""
        self._loop.remove_reader(self._listener)
        self._listener.close()

    async def wait_closed(self) -> None:
        """At once: whoever closes looks after the connections."""

    def _accept(self) -> None:
        try:
            line, _ = self._listener.accept()
        except OSError:  # it is gone
            return
        line.setblocking(False)
        self._loop.add_reader(line, self._take, line)

    def _take(self, line: socket.socket) -> None:
        self._loop.remove_reader(line)
        with line:
            try:
                head, descriptors, _, _ = socket.recv_fds(line, MAX_HANDED_BYTES, 1)
            except OSError as error:
                log.warning("a request that was handed over is lost: %s", error)
                return
        if descriptors:
            connection = socket.socket(fileno=descriptors[0])
            connection.setblocking(False)
            protocol = begin_with(head, self._make_protocol())
            task = self._loop.create_task(self._loop.connect_accepted_socket(lambda: protocol, connection))
            self._opening.add(task)
            task.add_done_callback(self._opening.discard)


def begin_with(head: bytes, protocol: Any) -> Any:
    """The protocol reads this before anything that comes on its connection."""
    made = protocol.connection_made

    def make_connection(transport: asyncio.Transport) -> None:
        made(transport)
        protocol.data_received(head)

    protocol.connection_made = make_connection
    return protocol


class QueryServer(CalmServer):
    """Ends when nobody has been connected for a while. Whoever comes then waits at the socket for the next one.

    `pulse` is the descriptor of an eventfd: it is written to for as long as the loop turns.
    """

    linger_seconds = 2 * LOOK_SECONDS  # how long web servers that end with it still hand over
    _is_idle = False

    def __init__(self, config: Any, idle_seconds: float, pulse: int | None = None) -> None:
        super().__init__(config)
        self._idle_seconds, self._pulse, self._last_seen = idle_seconds, pulse, time.monotonic()

    async def on_tick(self, counter: int) -> bool:
        if self._pulse is not None:
            os.eventfd_write(self._pulse, 1)
        if self.server_state.connections:
            self._last_seen = time.monotonic()
        self._is_idle = time.monotonic() - self._last_seen > self._idle_seconds
        self.should_exit = self.should_exit or self._is_idle
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Told to end, it goes last."""
        if not self._is_idle:
            await asyncio.sleep(self.linger_seconds)
        await super().shutdown(sockets)

    async def open_waiting(self, listener: socket.socket) -> None:
        """They stay at the socket."""
