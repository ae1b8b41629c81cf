"""The way between an agent and the service, which a test can cut and mend."""

import contextlib
import socket
import sys
import threading
from urllib.parse import urlsplit


class Way:
    """A context: forwards connections from a port of its own to the service; each is cut once `most` bytes went in.

    While it is cut the port stays its own, so that nobody else is there when it is mended.
    """

    def __init__(self, url: str, *, most: int | None = None) -> None:
        self.most = most
        parts = urlsplit(url)
        self._target = (parts.hostname or "", parts.port or 80)
        self._listener: socket.socket | None = None
        self._open: list[socket.socket] = []
        self._lock = threading.Lock()
        self._held = socket.socket()  # bound, and deaf: who connects to it is refused
        if sys.platform != "win32":  # there a port that is bound cannot be listened at by another socket
            self._held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._held.bind(("127.0.0.1", 0))
        self._port = self._held.getsockname()[1]
        if sys.platform == "win32":
            self._held.close()
        self.url = f"http://127.0.0.1:{self._port}"

    def __enter__(self) -> "Way":
        self.mend()
        return self

    def __exit__(self, *_: object) -> None:
        self.cut()
        self._held.close()

    def mend(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", self._port))
        threading.Thread(target=self._accept, args=(self._listener,), daemon=True).start()

    def cut(self) -> None:
        """Connections end, also one that is just coming, and new ones are refused."""
        with self._lock:
            ends, self._listener, self._open = (self._listener, *self._open), None, []
        for end in ends:
            if end is not None:
                _close(end)

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                near, _ = listener.accept()
            except OSError:
                return
            far = socket.create_connection(self._target)
            with self._lock:
                if listener is not self._listener:
                    near.close()
                    far.close()
                    return
                self._open += [near, far]
            for source, sink, most in ((near, far, self.most), (far, near, None)):
                threading.Thread(target=_forward, args=(source, sink, most), daemon=True).start()


def _forward(source: socket.socket, sink: socket.socket, most: int | None) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(65536):
            sink.sendall(data)
            if most is not None and (most := most - len(data)) <= 0:
                _close(source)
                _close(sink)
                return
        sink.shutdown(socket.SHUT_WR)


def _close(end: socket.socket) -> None:
    """Whoever waits for it wakes up; whoever still sends is told, because what was not read is thrown away."""
    with contextlib.suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)
    end.close()
