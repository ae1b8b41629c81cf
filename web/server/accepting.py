"""Sharing new connections among the web servers of one machine: `python -m web --share`.

They listen on one socket. An event loop takes all connections that wait at once, so that of four which come together
one server gets all, and the other cores rest. Here each takes one at a time, and waits a moment first where it has
some already: the one with fewer is before it.
"""

import asyncio
import logging
import socket
from collections.abc import Callable, Sized
from typing import Any

import uvloop

PATIENCE = (0.0, 0.001, 0.002)  # seconds to wait with no, one and more connections
WITHOUT_FILES_SECONDS = 1.0  # to wait where no more files can be opened
NOBODY = (BlockingIOError, InterruptedError, ConnectionAbortedError)  # another server has it, or it is gone
log = logging.getLogger(__name__)


def make_loop() -> asyncio.AbstractEventLoop:
    return SharingLoop()


class SharingLoop(uvloop.Loop):
    async def create_server(self, protocol_factory: Any, *args: Any, sock: Any = None, **options: Any) -> Any:
        """As asyncio's; on a socket that is given, it accepts in our way."""
        if sock is None:
            return await super().create_server(protocol_factory, *args, **options)
        return SharedListener(self, protocol_factory, sock, **options)


class SharedListener:
    """What uvicorn uses of an asyncio.Server. The protocols know all connections of their server (`connections`)."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        make_protocol: Callable[[], Any],
        sock: socket.socket,
        *,
        backlog: int,
        ssl: Any,
    ) -> None:
        self._loop, self._make_protocol, self._ssl = loop, make_protocol, ssl
        self._listener = socket.socket(fileno=socket.dup(sock.fileno()))  # of its own family, whatever `sock` says
        self._listener.setblocking(False)
        self._listener.listen(backlog)
        self._connections: Sized = ()
        self._opening: set[asyncio.Task[Any]] = set()
        self.sockets = (sock,)
        self._watch()

    def close(self) -> None:
        self._loop.remove_reader(self._listener)
        self._listener.close()

    async def wait_closed(self) -> None:
        """At once: whoever closes looks after the connections."""

    def _is_closed(self) -> bool:
        return self._listener.fileno() < 0

    def _watch(self) -> None:
        if not self._is_closed():
            self._loop.add_reader(self._listener, self._wait_and_accept)

    def _wait_and_accept(self) -> None:
        self._loop.remove_reader(self._listener)
        self._loop.call_later(PATIENCE[min(len(self._connections), len(PATIENCE) - 1)], self._accept)

    def _accept(self) -> None:
        if self._is_closed():
            return
        pause = 0.0
        try:
            connection, _ = self._listener.accept()
        except NOBODY:
            pass
        except OSError as error:
            log.warning("no connection is accepted for a second: %s", error)
            pause = WITHOUT_FILES_SECONDS
        else:
            self._open(connection)
        self._loop.call_later(pause, self._watch)

    def _open(self, connection: socket.socket) -> None:
        connection.setblocking(False)
        protocol = self._make_protocol()
        self._connections = protocol.connections
        opening = self._loop.connect_accepted_socket(lambda: protocol, connection, ssl=self._ssl)
        task = self._loop.create_task(opening)
        self._opening.add(task)
        task.add_done_callback(self._note_opened)

    def _note_opened(self, task: "asyncio.Task[Any]") -> None:
        self._opening.discard(task)
        if not task.cancelled() and (fault := task.exception()):
            log.info("a connection did not open: %s", fault)
