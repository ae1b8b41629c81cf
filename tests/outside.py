"""A service outside, played by a real HTTP server on loopback: it answers what a test tells it to, and remembers."""

import json
import socket
import socketserver
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit


@dataclass
class Call:
    method: str
    path: str
    query: dict[str, list[str]]
    headers: dict[str, str]
    body: str

    @property
    def form(self) -> dict[str, str]:
        return {name: values[0] for name, values in parse_qs(self.body).items()}

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Outside:
    url: str
    answers: dict[str, tuple[int, Any, dict[str, str]]] = field(default_factory=dict)
    calls: list[Call] = field(default_factory=list)

    def answer(self, path: str, body: Any, *, status: int = 200, **headers: str) -> None:
        """What comes back for this path: bytes as they are, anything else as JSON. `Retry_After` is Retry-After.

        With None the call is heard and the connection ends.
        """
        self.answers[path] = (status, body, {name.replace("_", "-"): value for name, value in headers.items()})


@contextmanager
def outside() -> Iterator[Outside]:
    played = Outside("")

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def respond(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            target = urlsplit(self.path)
            body = self.rfile.read(length).decode()
            played.calls.append(Call(self.command, target.path, parse_qs(target.query), dict(self.headers), body))
            status, answer, headers = played.answers.get(target.path, (404, {"message": "Not Found"}, {}))
            if answer is None:
                self.close_connection = True
                return
            raw = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
            self.send_response(status)
            for name, value in ({"Content-Type": "application/json"} | headers).items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, *args: Any) -> None:
            """Quiet."""

    for method in ("GET", "POST", "PATCH"):
        setattr(Handler, f"do_{method}", Handler.respond)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    played.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield played
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@dataclass
class Drip:
    """A server that never ends an answer before `over`. `held` is released once for each connection that it took."""

    port: int
    held: threading.Semaphore
    over: threading.Event

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


@contextmanager
def dripping(begins: bytes = b"") -> Iterator[Drip]:
    """It begins its answer at once and goes on with a byte every 50 ms until nobody reads."""
    over, held = threading.Event(), threading.Semaphore(0)

    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            held.release()
            with suppress(OSError):
                self.request.sendall(begins)
                while not over.wait(0.05):
                    self.request.sendall(b"a")

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield Drip(server.server_address[1], held, over)
        finally:
            over.set()
            server.shutdown()
            thread.join()


@contextmanager
def listening(talk: Callable[[socket.socket], None]) -> Iterator[int]:
    """A port where each connection is talked to so, one after the other."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            with suppress(OSError):
                while True:
                    connection, _ = listener.accept()
                    with connection, suppress(OSError):
                        talk(connection)

        threading.Thread(target=serve, daemon=True).start()
        yield listener.getsockname()[1]
        listener.shutdown(socket.SHUT_RDWR)
