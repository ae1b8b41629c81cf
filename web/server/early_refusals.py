"""What is refused before Django has the request: the envelope to programs, a page to whoever sent a form.

MCP clients get it as the answer to their message.
"""

from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, HttpResponse
from django.utils.http import parse_header_parameters

from files.storage.signing import URL_PREFIX
from mcp_server.refusals import build_rpc_error, is_message
from web.page_policy import list_script_places, write_policy
from web.refusal_pages import render_refusal
from wire.asgi import RequestBody, Scope, Send, find_header, send_error, send_whole
from wire.errors import ServiceError

FORM_TYPES = ("application/x-www-form-urlencoded", "multipart/form-data")
OF_PROGRAMS = ("/api/", "/mcp", "/oauth/", URL_PREFIX)


async def send_early_refusal(
    send: Send, scope: Scope, error: ServiceError, inbound: RequestBody, *, body: bytes = b""
) -> None:
    """At once, even while the body still comes in; `body` is what there is of it."""
    if is_message(scope):
        await send_error(send, error, inbound, envelope=build_rpc_error(error, body))
        return
    page = render_page(scope, error) if is_form_of_page(scope) else None
    if page is None:
        await send_error(send, error, inbound)
    else:
        await send_whole(send, error.status, dict(page.items()), page.content, inbound)


def is_form_of_page(scope: Scope) -> bool:
    """Whether a browser shows what is answered."""
    kind, _ = parse_header_parameters(find_header(scope, b"content-type") or "")
    return kind in FORM_TYPES and not scope["path"].startswith(OF_PROGRAMS)


def render_page(scope: Scope, error: ServiceError) -> HttpResponse | None:
    """None where the request is of a host that is not served here. It asks nothing of the session or the database."""
    request = HttpRequest()
    request.method, request.path, request.path_info = scope["method"], scope["path"], scope["path"]
    for name in ("host", "referer", "hx-current-url"):
        request.META[f"HTTP_{name.upper().replace('-', '_')}"] = find_header(scope, name.encode()) or ""
    try:
        host = request.get_host()
    except DisallowedHost:
        return None
    answer = render_refusal(request, error)
    answer["Cache-Control"] = "no-store"
    answer["Content-Security-Policy"] = write_policy(host, settings.PUBLIC_URL, list_script_places(request.path))
    return answer
