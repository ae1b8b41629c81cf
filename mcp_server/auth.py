"""The gate before the MCP server: who calls, and whether this request may come in at all.

Sources: contract sections 2 and 4; RFC 6750 and 9728 for the challenges. It raises the refusals of REST, which the
front door answers. Cookies are never read, nor is anything in the query. The front door has read and bounded the body.
"""

from typing import Any

from django.conf import settings
from django.http.request import split_domain_port, validate_host
from mcp.server.auth.middleware.auth_context import AuthContextMiddleware

from accounts import rates
from accounts.callers import Caller, bearer
from accounts.oauth import MCP_PATHS, find_oauth_caller
from accounts.scopes import Scope as Grant
from accounts.tokens import PREFIX, find_token, stamp_use
from mcp_server.callers import as_user, principal_of
from mcp_server.threads import in_thread
from wire.asgi import NOTED, App, Receive, Scope, Send, header
from wire.clock import now
from wire.errors import Forbidden, MethodNotAllowed, ServiceError, Unauthorized, UnsupportedMediaType, ValidationError
from wire.gate import read_json


class Misdirected(ServiceError):
    status, code = 421, "VALIDATION_ERROR"


class Gate:
    """Lets requests through to `server` with their caller; `writing_tools` are those that need `write`."""

    def __init__(self, server: App, *, writing_tools: frozenset[str]) -> None:
        self._server = AuthContextMiddleware(server)
        self._writing_tools = writing_tools

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        check_origin(scope)
        check_media(scope)
        caller = await in_thread(admit, scope)
        scope.get(NOTED, {})["principal"] = principal_of(caller)
        body = await read_message(scope, receive)
        self._check_write(caller, body, path=scope["path"])
        await self._server({**scope, "user": as_user(caller)}, once(body[0], receive), send)

    def _check_write(self, caller: Caller, body: tuple[bytes, dict[str, Any]], *, path: str) -> None:
        """A client without `write` is told so in HTTP, so that it can ask its person for more (step-up)."""
        message = body[1]
        params = message.get("params")
        tool = params.get("name") if message.get("method") == "tools/call" and isinstance(params, dict) else None
        if caller.client and not caller.holds(Grant.WRITE) and tool in self._writing_tools:
            raise lacking(Grant.WRITE, path=path)


def check_origin(scope: Scope) -> None:
    """Only our own host, and of pages in a browser only our own: nothing else can reach a server on this network."""
    host, _ = split_domain_port(header(scope, b"host") or "")
    if not host or not validate_host(host, settings.ALLOWED_HOSTS):
        raise Misdirected("This host is not served here.")
    origin = header(scope, b"origin")
    if origin is not None and origin not in settings.CSRF_TRUSTED_ORIGINS:
        raise Forbidden("Pages of this origin may not call the MCP server.")


def check_media(scope: Scope) -> None:
    if scope["method"] != "POST":
        return
    if (header(scope, b"content-encoding") or "identity").lower() != "identity":
        raise UnsupportedMediaType("Compressed bodies are not read here.")
    if (header(scope, b"content-type") or "").partition(";")[0].strip().lower() != "application/json":
        raise UnsupportedMediaType("The body must be application/json.")


def admit(scope: Scope) -> Caller:
    """The caller of a request. Raises Unauthorized and Forbidden with their challenges, and RateLimited."""
    address = (scope.get("client") or ("",))[0]
    kind, _, text = (header(scope, b"authorization") or "").partition(" ")
    if kind.lower() != "bearer" or not text.strip():
        raise challenge("Connect with OAuth or an API token.", path=scope["path"])
    caller = find_caller(text.strip())
    if caller is None:
        rates.count(rates.BAD_CREDENTIALS, address)
        raise challenge("The token is unknown, revoked or expired.", path=scope["path"], error="invalid_token")
    rates.count(rates.REQUESTS, principal_of(caller))
    if not caller.holds(Grant.READ):
        raise lacking(Grant.READ, path=scope["path"])
    return caller


def find_caller(text: str) -> Caller | None:
    at = now()
    if not text.startswith(PREFIX):
        return find_oauth_caller(text, at=at)
    token = find_token(text, at=at)
    if token is None:
        return None
    stamp_use(token, at=at)
    return bearer(token)


async def read_message(scope: Scope, receive: Receive) -> tuple[bytes, dict[str, Any]]:
    """One JSON-RPC message, as bytes and as it reads. There is no stream to listen to, and there are no batches."""
    if scope["method"] != "POST":
        refusal = MethodNotAllowed("This server opens no streams and keeps no sessions: send POST requests.")
        refusal.headers = {"Allow": "POST"}
        raise refusal
    raw = (await receive()).get("body", b"")
    message = read_json(raw)
    if not isinstance(message, dict):
        raise ValidationError("One JSON-RPC message is expected: batches are not served.")
    return raw, message


def once(body: bytes, receive: Receive) -> Receive:
    """A `receive` that hands out what was read, then waits for the client to go."""
    pending = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Any:
        return pending.pop() if pending else await receive()

    return replay


def challenge(message: str, *, path: str, error: str = "") -> Unauthorized:
    """401 that says where to get a token. It names no scope: a client told to ask for `read` could never write."""
    refusal = Unauthorized(message)
    refusal.headers = {"WWW-Authenticate": _bearer(path, error=error)}
    return refusal


def lacking(scope: Grant, *, path: str) -> Forbidden:
    """403 after which a client asks its person for both scopes at once."""
    refusal = Forbidden(f"The scope {scope} is needed.", scope=str(scope))
    refusal.headers = {"WWW-Authenticate": _bearer(path, error="insufficient_scope", scope="read write")}
    return refusal


def _bearer(path: str, **parameters: str) -> str:
    place = path.rstrip("/") if path.rstrip("/") in MCP_PATHS else MCP_PATHS[0]
    named = {**parameters, "resource_metadata": f"{settings.PUBLIC_URL}/.well-known/oauth-protected-resource{place}"}
    return "Bearer " + ", ".join(f'{name}="{value}"' for name, value in named.items() if value)
