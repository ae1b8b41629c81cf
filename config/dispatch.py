"""The front door: one ASGI app that hands each request to what answers it.

Signed object URLs go to the local store. Everything else has its body read into memory first, so that a thread is
taken only for work, never for waiting: fifty clients that stall in their bodies cost fifty sockets, and nothing else.
"""

import logging
import time
from collections.abc import Mapping
from urllib.parse import quote

import structlog

from config.bodies import BODY_SECONDS, read_body, replay
from config.request_ids import request_id_of
from config.request_log import note_request
from files.storage.signing import PREFIX
from wire.acting import acting
from wire.asgi import NOTED, App, ClientGone, Inbound, Message, Receive, Scope, Send, header, refuse
from wire.errors import ServiceError

log = logging.getLogger("ids.requests")
ASCII = "".join(map(chr, range(128)))
PLACES = {"api", "mcp", PREFIX.strip("/")}
CLIENT_GONE = 499  # what nginx logs where nobody was left to answer


class Dispatcher:
    """`mounted` apps answer exactly their paths; `objects` is None where the store is not on this machine."""

    def __init__(
        self,
        *,
        django: App,
        lifespan: App,
        objects: App | None = None,
        mounted: Mapping[str, App] | None = None,
        body_seconds: float = BODY_SECONDS,
    ) -> None:
        self._django, self._lifespan, self._objects = django, lifespan, objects
        self._mounted = mounted or {}
        self._body_seconds = body_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._lifespan(scope, receive, send)
        elif scope["type"] == "http":
            await self._answer(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1000})

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = time.perf_counter()
        request_id = request_id_of(header(scope, b"x-request-id") or "")
        reply, app, noted = Reply(send, request_id), self._app_for(scope["path"]), dict[str, str]()
        with structlog.contextvars.bound_contextvars(request_id=request_id), acting(request_id=request_id):
            await self._run(app, {**tidied(scope, request_id), NOTED: noted}, receive, reply)
            if not reply.logged_by_django:
                note_request(
                    method=scope["method"],
                    route=place_of(scope["path"]),
                    status=reply.status or CLIENT_GONE,
                    started=started,
                    principal=noted.get("principal", ""),
                )

    def _app_for(self, path: str) -> App:
        if self._objects and path.startswith(PREFIX):
            return self._objects
        return self._mounted.get(path, self._django)

    async def _run(self, app: App, scope: Scope, receive: Receive, reply: "Reply") -> None:
        inbound = Inbound(scope, receive)
        try:
            if app is self._objects:
                await app(scope, receive, reply)
                return
            body = await read_body(scope, inbound, seconds=self._body_seconds)
            reply.logged_by_django = app is self._django
            await app(with_length(scope, body), replay(body, receive), reply)
        except ClientGone:
            return
        except ServiceError as error:
            await refuse(reply, error, inbound)
        except Exception as problem:
            log.error("unhandled", exc_info=problem)
            if reply.status is not None:
                raise
            await refuse(
                reply, ServiceError("Something went wrong here. The request id helps to find out what."), inbound
            )


class Reply:
    """The `send` of one request: puts the request's id on the answer, and remembers its status."""

    def __init__(self, send: Send, request_id: str) -> None:
        self._send, self._request_id = send, request_id.encode("latin-1")
        self.status: int | None = None
        self.logged_by_django = False  # its middleware knows the route and the caller

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = [pair for pair in message.get("headers", ()) if pair[0].lower() != b"x-request-id"]
            message["headers"] = [*headers, (b"x-request-id", self._request_id)]
        await self._send(message)


def tidied(scope: Scope, request_id: str) -> Scope:
    """The request as WSGI can take it: the settled id, no header that could pose as another, an ASCII query."""
    headers = [(name, value) for name, value in scope["headers"] if b"_" not in name and name != b"x-request-id"]
    headers.append((b"x-request-id", request_id.encode("latin-1")))
    query = quote(scope["query_string"], safe=ASCII).encode("latin-1")
    return {**scope, "headers": headers, "query_string": query}


def with_length(scope: Scope, body: bytes) -> Scope:
    """The request with the length of what was read: WSGI knows no chunked bodies."""
    length = header(scope, b"content-length")
    if length == str(len(body)) or (length is None and not body):
        return scope
    framing = (b"content-length", b"transfer-encoding")
    headers = [(name, value) for name, value in scope["headers"] if name not in framing]
    return {**scope, "headers": [*headers, (b"content-length", str(len(body)).encode())]}


def place_of(path: str) -> str:
    """What stands for the route in the log: the place, where it is one of ours."""
    place = path.strip("/").partition("/")[0]
    return place if place in PLACES else ""
