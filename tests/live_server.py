"""A real web server in the test's process: uvicorn on a free loopback port, in a thread of its own."""

import asyncio
import socket
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn

from web.server.bridge import serve_in_threads
from web.server.http import BoundedHttp
from wire.asgi import ASGIApp


class ImpatientHttp(BoundedHttp):
    """Ends at once."""

    linger_seconds = 0.0


@contextmanager
def serving(
    app: ASGIApp, sock: socket.socket, *, http: type[asyncio.Protocol] = ImpatientHttp, grace: int = 1
) -> Iterator[None]:
    """Answers on `sock` with `app`; at the end every connection is closed."""
    config = uvicorn.Config(
        app, http=http, lifespan="on", log_config=None, access_log=False, timeout_graceful_shutdown=grace
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, args=([sock],))
    thread.start()
    try:
        yield
    finally:
        server.should_exit = True
        thread.join(timeout=20)


@contextmanager
def listening() -> Iterator[socket.socket]:
    """A bound, listening socket: whoever connects before the server is up waits in its queue."""
    with socket.create_server(("127.0.0.1", 0), backlog=512) as sock:
        yield sock


def address_of(sock: socket.socket) -> str:
    return f"http://127.0.0.1:{sock.getsockname()[1]}"


def _nothing(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
    start_response("404 Not Found", [("Content-Length", "0")])
    return [b""]


empty_app = serve_in_threads(_nothing, threads=1)  # stands where Django would, in tests of what never reaches it
