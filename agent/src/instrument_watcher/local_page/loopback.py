"""An HTTP server for this computer alone, which can harm nothing but itself: few threads, short waits, no work at all
while nobody asks."""

import io
import logging
import socket
import socketserver
import sys
import threading
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

log = logging.getLogger("instrument_watcher")
HOST = "127.0.0.1"
MOST_AT_ONCE = 8
READ_SECONDS = 10.0  # for a whole request, however slowly it comes
WRITE_SECONDS = 10.0
END_SECONDS = 5.0


class LoopbackServer(ThreadingHTTPServer):
    """`end` may be called from any thread, once. Raises OSError where the port is taken."""

    daemon_threads = True
    block_on_close = False
    allow_reuse_address = sys.platform != "win32"  # on Windows it would let two programs have one port
    timeout = None

    def __init__(self, port: int, handler: type[BaseHTTPRequestHandler]) -> None:
        self._free = threading.Semaphore(MOST_AT_ONCE)
        self._ended = threading.Event()
        super().__init__((HOST, port), handler)
        self._thread = threading.Thread(target=self._serve, name="local-page", daemon=True)
        self._thread.start()

    def server_bind(self) -> None:
        """Without the look-up of a name that http.server makes."""
        if sys.platform == "win32":
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = HOST, self.server_address[1]

    def end(self) -> None:
        """Take no more requests, and let those under way finish."""
        self._ended.set()
        with suppress(OSError):
            socket.create_connection((HOST, self.server_port), timeout=1).close()  # wakes the thread
        self._thread.join(END_SECONDS)
        self.server_close()
        until = time.monotonic() + END_SECONDS
        for _ in range(MOST_AT_ONCE):
            self._free.acquire(timeout=max(0.0, until - time.monotonic()))

    def get_request(self) -> tuple[Any, Any]:
        try:
            return super().get_request()
        except OSError:  # no more files may be opened, say: not asked again at once
            self._ended.wait(0.5)
            raise

    def process_request(self, request: Any, client_address: Any) -> None:
        """One too many is sent away."""
        if self._ended.is_set() or not self._free.acquire(blocking=False):
            self.shutdown_request(request)
            return
        try:
            super().process_request(request, client_address)
        except BaseException:
            self._free.release()
            raise

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._free.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exc_info()[1], OSError):  # a browser that left is nothing to tell
            log.exception("A fault in the agent itself, while it showed its page")

    def _serve(self) -> None:
        """handle_request waits for one connection, without waking up in between as serve_forever does."""
        while not self._ended.is_set():
            self.handle_request()


class TimelyReader(io.RawIOBase):
    """What comes over a connection until a point in time. Then it raises TimeoutError, also where bytes drip in."""

    def __init__(self, connection: socket.socket, *, seconds: float = READ_SECONDS) -> None:
        self._connection, self._until = connection, time.monotonic() + seconds

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        left = self._until - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self._connection.settimeout(left)
        return self._connection.recv_into(buffer)
