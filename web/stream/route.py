"""Which requests listen instead of asking once."""

from wire.asgi import Scope, find_header

PATH = "/api/v1/changes"


def wants_stream(scope: Scope) -> bool:
    accept = find_header(scope, b"accept") or ""
    return scope["method"] in ("GET", "HEAD") and scope["path"] == PATH and "text/event-stream" in accept.lower()
