"""A WSGI application as an ASGI one, on threads of its own."""

from typing import Any

from a2wsgi import WSGIMiddleware

from wire.asgi import ASGIApp

MAX_QUEUED_PIECES = 100  # an answer of up to this many pieces never makes a thread wait for a slow reader


def serve_in_threads(application: Any, *, threads: int, queued_pieces: int = MAX_QUEUED_PIECES) -> ASGIApp:
    """Answers at most `threads` requests at once; the others wait their turn. Also answers lifespan events."""
    bridge: Any = WSGIMiddleware(application, workers=threads, send_queue_size=queued_pieces)
    return bridge
