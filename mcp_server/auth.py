"""The gate before the MCP server: who calls, and whether this request may come in at all.

Rules: docs/interface.md, Callers and AI clients; RFC 6750 and 9728 for the challenges. It raises the refusals of REST,
which the dispatcher answers. Cookies are never read, nor is anything in the query. The front door has read and
bounded the body.
"""

from typing import Any

from django.conf import settings
from django.http.request import split_domain_port, validate_host
from mcp.server.auth.middleware.auth_context import AuthContextMiddleware

from accounts import rate_limits as rates
from accounts.callers import Caller, caller_for_token
from accounts.oauth.connections import MCP_PATHS, find_oauth_caller
from accounts.scopes import Scope as Grant
from accounts.token_texts import TOKEN_PREFIX
from accounts.tokens import find_token, record_token_use
from mcp_server.access import CONNECT
from mcp_server.callers import build_sdk_user, format_principal
from mcp_server.threads import run_in_thread
from wire.asgi import LOG_FIELDS, ASGIApp, Receive, Scope, Send, find_header, replay_body
from wire.clock import now
from wire.error_responses import as_service_error
from wire.errors import (
    Forbidden,
    MethodNotAllowed,
    MisdirectedRequest,
    Unauthorized,
    UnsupportedMediaType,
    ValidationError,
)
from wire.input_gate import read_json

BOTH_SCOPES = f"{Grant.READ} {Grant.WRITE}"


class Gate:
    """Lets requests through to `server` with their caller; `writing_tools` are those that need `write`."""

    def __init__(self, server: ASGIApp, *, writing_tools: frozenset[str]) -> None:
        self._server = AuthContextMiddleware(server)
        self._writing_tools = writing_tools

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        check_origin(scope)
        check_content_type(scope)
        caller = await self._authenticate(scope)
        scope.get(LOG_FIELDS, {})["principal"] = format_principal(caller)
        body = await read_message(scope, receive)
        self._check_write(caller, body, path=scope["path"])
        await self._server({**scope, "user": build_sdk_user(caller)}, replay_body(body[0], receive), send)

    async def _authenticate(self, scope: Scope) -> Caller:
        """Raises a ServiceError, also where the database is away."""
        try:
            return await run_in_thread(authenticate_request, scope)
        except Exception as error:
            raise as_service_error(error) from error

    def _check_write(self, caller: Caller, body: tuple[bytes, dict[str, Any]], *, path: str) -> None:
        """A client without `write` is told so in HTTP, so that it can ask its person for more (step-up)."""
        message = body[1]
        params = message.get("params")
        tool = params.get("name") if message.get("method") == "tools/call" and isinstance(params, dict) else None
        if caller.client and not caller.holds(Grant.WRITE) and tool in self._writing_tools:
            raise build_scope_refusal(Grant.WRITE, path=path)


def check_origin(scope: Scope) -> None:
    """Only our own host, and of pages in a browser only our own: nothing else can reach a server on this network."""
    host, _ = split_domain_port(find_header(scope, b"host") or "")
    if not host or not validate_host(host, settings.ALLOWED_HOSTS):
        raise MisdirectedRequest("This host is not served here.")
    origin = find_header(scope, b"origin")
    if origin is not None and origin not in settings.CSRF_TRUSTED_ORIGINS:
        raise Forbidden("Pages of this origin may not call the MCP server.")


def check_content_type(scope: Scope) -> None:
    if scope["method"] != "POST":
        return
    if (find_header(scope, b"content-encoding") or "identity").lower() != "identity":
        raise UnsupportedMediaType("Compressed bodies are not read here.")
    if (find_header(scope, b"content-type") or "").partition(";")[0].strip().lower() != "application/json":
        raise UnsupportedMediaType("The body must be application/json.")


def authenticate_request(scope: Scope) -> Caller:
    """The caller of a request. Raises Unauthorized and Forbidden with their challenges, and RateLimited."""
    address = (scope.get("client") or ("",))[0]
    kind, _, text = (find_header(scope, b"authorization") or "").partition(" ")
    if kind.lower() != "bearer" or not text.strip():
        raise build_challenge("Connect with OAuth or an API token.", path=scope["path"])
    caller = find_caller(text.strip())
    if caller is None:
        rates.count_hit(rates.BAD_CREDENTIALS, address)
        raise build_challenge("The token is unknown, revoked or expired.", path=scope["path"], error="invalid_token")
    rates.count_hit(rates.REQUESTS, format_principal(caller))
    if CONNECT.scope and not caller.holds(CONNECT.scope):
        raise build_scope_refusal(CONNECT.scope, path=scope["path"])
    return caller


def find_caller(text: str) -> Caller | None:
    at = now()
    if not text.startswith(TOKEN_PREFIX):
        return find_oauth_caller(text, at=at)
    token = find_token(text, at=at)
    if token is None:
        return None
    record_token_use(token, at=at)
    return caller_for_token(token)


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


def build_challenge(message: str, *, path: str, error: str = "") -> Unauthorized:
    """401 that says where to get a token and to ask for both scopes: the person may leave `write` out."""
    refusal = Unauthorized(message)
    refusal.headers = {"WWW-Authenticate": _build_challenge_header(path, error=error, scope=BOTH_SCOPES)}
    return refusal


def build_scope_refusal(scope: Grant, *, path: str) -> Forbidden:
    """403 after which a client asks its person for both scopes at once."""
    refusal = Forbidden(f"The scope {scope} is needed.", scope=str(scope))
    refusal.headers = {"WWW-Authenticate": _build_challenge_header(path, error="insufficient_scope", scope=BOTH_SCOPES)}
    return refusal


def _build_challenge_header(path: str, **parameters: str) -> str:
    place = path.rstrip("/") if path.rstrip("/") in MCP_PATHS else MCP_PATHS[0]
    named = {**parameters, "resource_metadata": f"{settings.PUBLIC_URL}/.well-known/oauth-protected-resource{place}"}
    return "Bearer " + ", ".join(f'{name}="{value}"' for name, value in named.items() if value)
