"""What every request passes through: its id and log line, and the envelope around whatever goes wrong under /api."""

import time
from collections.abc import Callable

import structlog
from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, HttpResponse

from accounts.authentication import principal_of
from config.refusal_pages import refuse
from config.request_ids import request_id_of
from config.request_log import note_request
from files.room import room
from wire.acting import acting
from wire.errors import MethodNotAllowed, NotFound, ServiceError, UnsupportedMediaType, ValidationError
from wire.refusals import is_api, json_refusal

BODY_METHODS = {"POST", "PUT", "PATCH", "DELETE"}
METHODS = BODY_METHODS | {"GET", "HEAD", "OPTIONS"}
Handler = Callable[[HttpRequest], HttpResponse]


class RequestLog:
    """Gives each request an id (the caller's, when it is a plain token), returns it, and writes one log line."""

    def __init__(self, handler: Handler) -> None:
        self.handler = handler

    def __call__(self, request: HttpRequest) -> HttpResponse:
        started = time.perf_counter()
        request_id = request_id_of(request.META.get("HTTP_X_REQUEST_ID", ""))
        request.META["ids.request_id"] = request_id  # read by error pages and the trail
        with (
            structlog.contextvars.bound_contextvars(request_id=request_id),
            acting(lambda: principal_of(request), request_id=request_id),
        ):
            response = self.handler(request)
            response["X-Request-ID"] = request_id
            if "Cache-Control" not in response and is_private(request):
                response["Cache-Control"] = "no-store"
            match = request.resolver_match
            note_request(
                method=request.method or "",
                route=match.route if match else "",
                status=response.status_code,
                started=started,
                principal=principal(request),
            )
        return response


class ApiEnvelope:
    """Refuses in the envelope what Django would answer in HTML: bad hosts, odd methods, unread media types."""

    def __init__(self, handler: Handler) -> None:
        self.handler = handler

    def __call__(self, request: HttpRequest) -> HttpResponse:
        try:
            request.get_host()
        except DisallowedHost:
            return refuse(request, ValidationError("This host is not served here."))
        if request.method not in METHODS:
            return refuse(request, MethodNotAllowed(f"{request.method} is not served here."))
        if is_api(request) and (refusal := media_refusal(request)):
            return refusal
        if is_api(request) and request.path_info.endswith("/"):
            return json_refusal(NotFound("There is nothing at this address."))
        return self.handler(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """A page that refuses raises what REST raises; DRF has answered its own before this."""
        return refuse(request, exception) if isinstance(exception, ServiceError) else None


class RoomForWrites:
    """Refuses what changes data while the disk that the service keeps it on is nearly full."""

    def __init__(self, handler: Handler) -> None:
        self.handler = handler

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.method in BODY_METHODS:
            try:
                room.refuse_when_full()
            except ServiceError as full:
                return refuse(request, full)
        return self.handler(request)


def is_private(request: HttpRequest) -> bool:
    return "HTTP_AUTHORIZATION" in request.META or settings.SESSION_COOKIE_NAME in request.COOKIES


def media_refusal(request: HttpRequest) -> HttpResponse | None:
    """415 comes before any question of who asks (contract section 1, order of checks)."""
    if request.method not in BODY_METHODS:
        return None
    if request.META.get("HTTP_CONTENT_ENCODING", "identity").lower() not in ("", "identity"):
        return json_refusal(UnsupportedMediaType("Compressed bodies are not read here."))
    has_body = request.META.get("CONTENT_LENGTH") not in (None, "", "0")
    if has_body and request.content_type != "application/json":
        return json_refusal(UnsupportedMediaType("The body must be application/json."))
    return None


def principal(request: HttpRequest) -> str:
    """Who it was, as `token:<id>` or `person:<id>`; never a name or a secret."""
    known = principal_of(request)
    return f"{known.kind}:{known.id}" if known.id else ""
