"""What every request passes through: its id and log line, and the envelope around whatever goes wrong under /api;
and who gets past it."""

import logging
import re
import time
from collections.abc import Callable
from typing import Any

import structlog
from django.conf import settings
from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.http.response import HttpResponseBase

from accounts.access import AccessUndeclared
from accounts.authentication import principal_of
from accounts.callers import Caller
from accounts.rate_limits import REQUESTS, read_room
from dashboard.fragments import is_fragment_request
from dashboard.guard import SAFE_METHODS
from dashboard.origins import page_before
from files.storage.disk_guard import disk_guard
from web.refusal_pages import render_refusal
from web.routes import access_faults, is_page, is_rest
from web.telemetry.request_log import choose_request_id, log_request
from wire import change_reason
from wire.audit_context import audit_context
from wire.error_responses import error_response, is_api_request
from wire.errors import MethodNotAllowed, NotFound, ServiceError, UnsupportedMediaType, ValidationError
from wire.telemetry.current_work import working_on
from wire.telemetry.tracing import annotate

log = logging.getLogger(__name__)
BODY_METHODS = {"POST", "PUT", "PATCH", "DELETE"}
SERVED_METHODS = BODY_METHODS | {"GET", "HEAD", "OPTIONS"}
PICTURE_ROUTE = re.compile(r"/api/v1/instruments/[^/]+/runs/[^/]+/comment-pictures")
PICTURE_TYPES = {"image/png", "image/jpeg"}
Handler = Callable[[HttpRequest], HttpResponse]


class RequestLog:
    """Gives each request an id (the caller's, when it is a plain token), returns it, and writes one log line."""

    def __init__(self, handler: Handler) -> None:
        self.handler = handler

    def __call__(self, request: HttpRequest) -> HttpResponse:
        started = time.perf_counter()
        request_id = choose_request_id(request.META.get("HTTP_X_REQUEST_ID", ""))
        request.META["ids.request_id"] = request_id  # read by error pages and the trail
        annotate(**{"ids.request_id": request_id})
        with (
            structlog.contextvars.bound_contextvars(request_id=request_id),
            audit_context(lambda: principal_of(request), request_id=request_id),
            working_on(lambda: route_of(request)),
        ):
            response = self.handler(request)
            response["X-Request-ID"] = request_id
            if "Cache-Control" not in response and is_private(request):
                response["Cache-Control"] = "no-store"
            log_request(
                method=request.method or "",
                route=route_of(request),
                status=response.status_code,
                started=started,
                principal=format_principal(request),
            )
        return response


class StatedReason:
    """Takes from whoever changes something why they do (wire/change_reason.py)."""

    def __init__(self, handler: Handler) -> None:
        self.handler = handler

    def __call__(self, request: HttpRequest) -> HttpResponse:
        said = request.headers.get(change_reason.HEADER, "")
        if not said or request.method not in BODY_METHODS:
            return self.handler(request)
        try:
            reason = change_reason.read_header(said)
        except ValidationError as refused:
            return render_refusal(request, refused)
        with audit_context(reason=reason or None):
            return self.handler(request)


class RateTold:
    """Tells a token what is left of its rate (draft-ietf-httpapi-ratelimit-headers-10), in each answer of the API."""

    def __init__(self, handler: Handler) -> None:
        self.handler = handler

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.handler(request)
        caller = request.META.get("ids.caller")
        if isinstance(caller, Caller) and caller.token is not None:
            room = read_room(REQUESTS, f"token:{caller.token.pk}")
            if room is not None:
                name, rate = room.rate.name, room.rate
                response["RateLimit-Policy"] = f'"{name}";q={rate.max_hits};w={rate.seconds}'
                response["RateLimit"] = f'"{name}";r={room.hits};t={room.seconds}'
        return response


class ApiEnvelope:
    """Refuses in the envelope what Django would answer in HTML: bad hosts, odd methods, unread media types."""

    def __init__(self, handler: Handler) -> None:
        self.handler = handler

    def __call__(self, request: HttpRequest) -> HttpResponse:
        try:
            request.get_host()
        except DisallowedHost:
            return render_refusal(request, ValidationError("This host is not served here."))
        if request.method not in SERVED_METHODS:
            refused = render_refusal(request, MethodNotAllowed(f"{request.method} is not served here."))
            refused["Allow"] = ", ".join(sorted(SERVED_METHODS))
            return refused
        if is_api_request(request) and (refusal := media_refusal(request)):
            return refusal
        if is_api_request(request) and request.path_info.endswith("/"):
            return error_response(NotFound("There is nothing at this address."))
        response = self.handler(request)
        return _say_what_is_served(request, response) if isinstance(response, HttpResponseNotAllowed) else response

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """A page that refuses raises what REST raises; DRF has answered its own before this."""
        return render_refusal(request, exception) if isinstance(exception, ServiceError) else None


def _say_what_is_served(request: HttpRequest, response: HttpResponseNotAllowed) -> HttpResponse:
    """Django's own answer is empty: who follows an old address of a form would see a blank page."""
    told = render_refusal(request, MethodNotAllowed(f"{request.method} is not served here."))
    told["Allow"] = response["Allow"]
    return told


class DiskGuard:
    """Refuses what changes data while the disk that the service keeps it on is nearly full."""

    def __init__(self, handler: Handler) -> None:
        self.handler = handler

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.method in BODY_METHODS:
            try:
                disk_guard.refuse_when_full()
            except ServiceError as full:
                return render_refusal(request, full)
        return self.handler(request)


class DeclaredAccessRequired(LoginRequiredMiddleware):
    """Asks people to sign in before a page, and lets nobody reach what does not say who may."""

    def process_view(self, request: HttpRequest, view_func: Any, view_args: Any, view_kwargs: Any) -> Any:
        path = request.resolver_match.route if request.resolver_match else ""
        if faults := access_faults(path, view_func):
            return self._refuse(request, view_func, faults)
        asks = super().process_view(request, view_func, view_args, view_kwargs) if is_page(view_func) else None
        return lead_back(request, asks) if asks else None

    def _refuse(self, request: HttpRequest, view: Any, faults: list[str]) -> HttpResponse:
        log.error("%s", " ".join(faults))
        if is_rest(view) or is_api_request(request) or request.user.is_authenticated:
            return render_refusal(request, AccessUndeclared())
        return self.handle_no_permission(request, view)


def lead_back(request: HttpRequest, sign_in: HttpResponseBase) -> HttpResponseBase:
    """To the sign-in, and back to the page one was on: what only takes forms, or is a part of a page, is none."""
    is_part = is_fragment_request(request)
    if request.method in SAFE_METHODS and not is_part:
        return sign_in
    address = redirect_to_login(page_before(request) or "/", settings.LOGIN_URL)
    return HttpResponse(headers={"HX-Redirect": address.url}) if is_part else address


def route_of(request: HttpRequest) -> str:
    """The pattern of ours that the request matched; empty before that, or where it matched none."""
    return request.resolver_match.route if request.resolver_match else ""


def is_private(request: HttpRequest) -> bool:
    return "HTTP_AUTHORIZATION" in request.META or settings.SESSION_COOKIE_NAME in request.COOKIES


def media_refusal(request: HttpRequest) -> HttpResponse | None:
    """415 comes before any question of who asks (docs/interface.md, Order of checks)."""
    if request.method not in BODY_METHODS:
        return None
    if request.META.get("HTTP_CONTENT_ENCODING", "identity").lower() not in ("", "identity"):
        return error_response(UnsupportedMediaType("Compressed bodies are not read here."))
    has_body = request.META.get("CONTENT_LENGTH") not in (None, "", "0")
    is_picture = request.content_type in PICTURE_TYPES and PICTURE_ROUTE.fullmatch(request.path)
    if has_body and request.content_type != "application/json" and not is_picture:
        return error_response(UnsupportedMediaType("The body must be application/json."))
    return None


def format_principal(request: HttpRequest) -> str:
    """Who it was, as `token:<id>` or `person:<id>`; never a name or a secret."""
    known = principal_of(request)
    return f"{known.kind}:{known.id}" if known.id else ""
