"""The way between an agent and the service, which a test can cut and mend."""

import contextlib
import socket
import threading
from urllib.parse import urlsplit


class Way:
    """A context: forwards connections from a port of its own to the service; each is cut once `most` bytes went in."""

    def __init__(self, url: str, *, most: int | None = None) -> None:
        self.most = most
        parts = urlsplit(url)
        self._target = (parts.hostname or "", parts.port or 80)
        self._listener: socket.socket | None = None
        self._open: list[socket.socket] = []
        with socket.create_server(("127.0.0.1", 0)) as probe:
            self._port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{self._port}"

    def __enter__(self) -> "Way":
        self.mend()
        return self

    def __exit__(self, *_: object) -> None:
        self.cut()

    def mend(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", self._port))
        threading.Thread(target=self._accept, args=(self._listener,), daemon=True).start()

    def cut(self) -> None:
        """Connections end, and new ones are refused."""
        for end in (self._listener, *self._open):
            if end is not None:
                _close(end)
        self._open = []

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                near, _ = listener.accept()
            except OSError:
                return
            far = socket.create_connection(self._target)
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
