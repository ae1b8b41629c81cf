"""A wire between the service and its object store that can be cut, slowed or torn in the middle of an answer."""

import socket
import struct
import threading
import time
from contextlib import suppress
from typing import Literal, Self

Mode = Literal["open", "down", "slow", "torn"]
BLOCK = 64 * 1024
SLOW_SECONDS = 8  # before anything passes: longer than the service waits for a quick answer
TORN_AFTER = 1024 * 1024  # bytes of one connection
RESET = struct.pack("ii", 1, 0)


class Proxy:
    """A context; `mode` may change at any moment and holds for connections that are open, too."""

    def __init__(self, host: str, port: int) -> None:
        self.target = host, port
        self.mode: Mode = "open"
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        self.refused = 0

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.mode = "down"
        self.listener.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                caller, _ = self.listener.accept()
                if self.mode == "down":
                    self._reset(caller)
                    continue
                store = socket.create_connection(self.target)
                for one, other in ((caller, store), (store, caller)):
                    threading.Thread(target=self._pass_on, args=[one, other], daemon=True).start()

    def _pass_on(self, source: socket.socket, target: socket.socket) -> None:
        passed = 0
        with suppress(OSError):
            while block := source.recv(BLOCK):
                end = time.monotonic() + SLOW_SECONDS
                while self.mode == "slow" and time.monotonic() < end:
                    time.sleep(0.1)
                passed += len(block)
                if self.mode == "down" or (self.mode == "torn" and passed > TORN_AFTER):
                    self._reset(source)
                    self._reset(target)
                    return
                target.sendall(block)
            target.shutdown(socket.SHUT_WR)

    def _reset(self, connection: socket.socket) -> None:
        self.refused += 1
        with suppress(OSError):
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
            connection.shutdown(socket.SHUT_RD)  # wakes the other thread
        connection.close()
