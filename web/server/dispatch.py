"""The dispatcher: one ASGI app that hands each request to what answers it.

Signed object URLs go to the local store. Everything else has its body read into memory first, so that a thread is
taken only for work, never for waiting: fifty clients that stall in their bodies cost fifty sockets, and nothing else.
"""

import logging
import re
import time
from collections.abc import Iterable, Mapping, Sequence
from urllib.parse import quote

import structlog

from files.storage.signing import URL_PREFIX
from web.lanes.lane import Lane, LaneBusy, send_busy
from web.security_headers import build_security_headers
from web.server.bodies import BODY_TIMEOUT_SECONDS, BodyBudget, read_request_body
from web.server.early_refusals import send_early_refusal
from web.telemetry.request_log import choose_request_id, log_request
from wire.asgi import (
    LOG_FIELDS,
    ASGIApp,
    ClientDisconnected,
    Message,
    Receive,
    RequestBody,
    Scope,
    Send,
    find_header,
    replay_body,
)
from wire.audit_context import audit_context
from wire.errors import MisdirectedRequest, ServiceError
from wire.telemetry.metrics import count_refusal
from wire.telemetry.tracing import annotate

log = logging.getLogger("ids.requests")
ASCII = "".join(map(chr, range(128)))
LOGGED_PREFIXES = {"api", "mcp", URL_PREFIX.strip("/")}
CHARSET = re.compile(rb";\s*charset\s*=[^;]*", re.IGNORECASE)
CLIENT_CLOSED_REQUEST = 499  # what nginx logs where nobody was left to answer


class Dispatcher:
    """`mounts`: apps that answer exactly their paths; `objects` is None where the store is not on this machine.

    `lanes` take from Django what would hold its threads for long.
    `objects_host`: the Host by which alone objects are asked for; None where they share the others'.
    """

    def __init__(
        self,
        *,
        django: ASGIApp,
        lifespan: ASGIApp,
        objects: ASGIApp | None = None,
        lanes: Sequence[Lane] = (),
        mounts: Mapping[str, ASGIApp] | None = None,
        body_seconds: float = BODY_TIMEOUT_SECONDS,
        body_budget: BodyBudget | None = None,
        objects_host: str | None = None,
    ) -> None:
        self._django, self._lifespan, self._objects = django, lifespan, objects
        self._lanes = lanes
        self._mounts, self._objects_host = mounts or {}, objects_host
        self._body_seconds, self._body_budget = body_seconds, body_budget or BodyBudget()

    @property
    def beside_django(self) -> dict[str, ASGIApp]:
        """What answers in Django's place, by path."""
        return {**self._mounts, **({URL_PREFIX: self._objects} if self._objects else {})}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._lifespan(scope, receive, send)
        elif scope["type"] == "http":
            await self._answer(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1000})

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = time.perf_counter()
        request_id = choose_request_id(find_header(scope, b"x-request-id") or "")
        annotate(**{"ids.request_id": request_id})
        reply, app, noted = Reply(send, request_id), self._app_for(scope), dict[str, str]()
        with structlog.contextvars.bound_contextvars(request_id=request_id), audit_context(request_id=request_id):
            await self._run_app(app, {**normalize_scope(scope, request_id), LOG_FIELDS: noted}, receive, reply)
            if not reply.logged_by_django:
                log_request(
                    method=scope["method"],
                    route=choose_logged_route(scope["path"]),
                    status=reply.status or CLIENT_CLOSED_REQUEST,
                    started=started,
                    principal=noted.get("principal", ""),
                )

    def _app_for(self, scope: Scope) -> ASGIApp:
        """Where objects have a host of their own, it answers nothing else, and they are nowhere else."""
        if self._objects is not None:
            is_objects = scope["path"].startswith(URL_PREFIX)
            if self._objects_host is not None and is_objects != (find_header(scope, b"host") == self._objects_host):
                return refuse_host
            if is_objects:
                return self._objects
        lane = next((lane for lane in self._lanes if lane.takes(scope)), None)
        return lane or self._mounts.get(scope["path"], self._django)

    async def _run_app(self, app: ASGIApp, scope: Scope, receive: Receive, reply: "Reply") -> None:
        inbound, body = RequestBody(scope, receive), b""
        try:
            if app is self._objects:
                await app(scope, receive, reply)
                return
            with self._body_budget.share() as share:
                body = await read_request_body(scope, inbound, share=share, seconds=self._body_seconds)
                reply.logged_by_django = app is self._django or (isinstance(app, Lane) and app.is_django)
                await app(set_content_length(scope, body), replay_body(body, receive), reply)
        except ClientDisconnected:
            return
        except LaneBusy as error:
            reply.logged_by_django = False
            count_refusal(error)
            await send_busy(reply, scope, error)
        except ServiceError as error:
            await send_early_refusal(reply, scope, error, inbound, body=body)
        except Exception as problem:
            log.error("unhandled", exc_info=problem)
            if reply.status is not None:
                raise
            crash = ServiceError("Something went wrong here. The request id helps to find out what.")
            await send_early_refusal(reply, scope, crash, inbound, body=body)


class Reply:
    """The `send` of one request: puts its id and what every answer carries on the answer, and remembers its status."""

    def __init__(self, send: Send, request_id: str) -> None:
        self._send, self._request_id = send, request_id.encode("latin-1")
        self.status: int | None = None
        self.logged_by_django = False  # its middleware knows the route and the caller

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = [pair for pair in message.get("headers", ()) if pair[0].lower() != b"x-request-id"]
            message["headers"] = [*headers, *list_missing_headers(headers), (b"x-request-id", self._request_id)]
        await self._send(message)


def list_missing_headers(given: Iterable[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """The security headers that an answer does not have yet."""
    known = {name.lower(): value for name, value in given}
    headers = build_security_headers(known.get(b"content-type", b"").decode("latin-1"))
    wanted = ((name.lower().encode(), value.encode()) for name, value in headers.items())
    return [pair for pair in wanted if pair[0] not in known]


async def refuse_host(scope: Scope, receive: Receive, send: Send) -> None:
    """Signed URLs of one host do not work at the other: bytes that were stored never share an origin with pages."""
    raise MisdirectedRequest("This host does not serve that.")


def normalize_scope(scope: Scope, request_id: str) -> Scope:
    """The request as WSGI can take it: the settled id, no header that could pose as another, an ASCII query.

    All text is UTF-8: Django would read a query in whatever character set a header names, even in one that is none.
    """
    headers = [
        (name, CHARSET.sub(b"", value) if name == b"content-type" else value)
        for name, value in scope["headers"]
        if b"_" not in name and name != b"x-request-id"
    ]
    headers.append((b"x-request-id", request_id.encode("latin-1")))
    query = quote(scope["query_string"], safe=ASCII).encode("latin-1")
    return {**scope, "headers": headers, "query_string": query}


def set_content_length(scope: Scope, body: bytes) -> Scope:
    """The request with the length of what was read: WSGI knows no chunked bodies."""
    length = find_header(scope, b"content-length")
    if length == str(len(body)) or (length is None and not body):
        return scope
    framing = (b"content-length", b"transfer-encoding")
    headers = [(name, value) for name, value in scope["headers"] if name not in framing]
    return {**scope, "headers": [*headers, (b"content-length", str(len(body)).encode())]}


def choose_logged_route(path: str) -> str:
    """What stands for the route in the log: the place, where it is one of ours."""
    place = path.strip("/").partition("/")[0]
    return place if place in LOGGED_PREFIXES else ""
