"""Django's error handlers: the envelope under /api, a page elsewhere."""

import re
import sys
from typing import Any

from django.conf import settings
from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render

from dashboard.origins import page_before
from wire.error_responses import as_service_error, error_response, is_api_request
from wire.errors import Forbidden, NotFound, ServiceError
from wire.telemetry.metrics import count_refusal

REFUSAL_TEXTS: dict[int | str, tuple[str, str]] = {
    400: ("This cannot be read", "Something in it is not allowed. Go back and try again."),
    403: (
        "This is not open to you",
        "Your account lacks the right to see or do this. An admin of your workspace can change that.",
    ),
    404: ("Nothing is here", "The link may be old, or what it led to lies outside what you may see."),
    405: ("Nothing is shown here", "This address takes what a form sends. Go back to the page with the form, or home."),
    408: ("That took too long", "Not all of what you sent arrived in time. The connection may be slow: try again."),
    413: (
        "That is too much at once",
        "A form takes about a million characters. What you wrote is kept in this tab: go back, and send less of it.",
    ),
    429: ("Too many attempts", "Wait a minute, then go back and try again. Others at this address are not affected."),
    500: ("Something went wrong here", "It was written down with the id below. Trying again in a moment is safe."),
    503: (
        "The service is out of reach for a moment",
        "The database or the file store does not answer. Nothing is lost; reload in a few seconds.",
    ),
    "page_too_old": (
        "This page is too old",
        "You signed in again, or out, since it was opened. What you wrote is kept in this tab. Reload it, and send "
        "once more what you wanted to send.",
    ),
    "too_large_signed_out": (
        "You are no longer signed in",
        "What you sent was not taken. Its text is kept in this tab, and back in its form when you have signed in.",
    ),
    "calls_busy": (
        "Many wait for the same service",
        "What this asks of a service outside takes long just now. Go back in a few seconds and try again.",
    ),
}


PLACE_IN_LIST = re.compile(r"\.\d+$")
WITHOUT_NAVIGATION = (500, 503)  # what the navigation asks for may be what is away
LEADS_BACK = ("page_too_old", "too_large_signed_out")
CLIENT_ENDPOINTS = ("/oauth/token", "/oauth/revoke", "/oauth/register")


class PageTooOld(Forbidden):
    """Its token is not that of the browser's cookie."""


def bad_request(request: HttpRequest, exception: Any = None) -> HttpResponse:
    return render_refusal(request, as_service_error(exception or BadRequest()))


def permission_denied(request: HttpRequest, exception: Any = None) -> HttpResponse:
    return render_refusal(request, Forbidden("This is not allowed."))


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    return render_refusal(request, PageTooOld(f"CSRF check failed: {reason}" if reason else "CSRF check failed."))


def not_found(request: HttpRequest, exception: Any = None) -> HttpResponse:
    return render_refusal(request, NotFound("There is nothing at this address."))


def server_error(request: HttpRequest) -> HttpResponse:
    return render_refusal(request, as_service_error(sys.exc_info()[1] or RuntimeError("unknown")))


def render_refusal(request: HttpRequest, error: ServiceError) -> HttpResponse:
    """One refusal: the envelope under /api, RFC 6749's error (5.2) where OAuth clients call, a page elsewhere."""
    if is_api_request(request):
        return error_response(error)
    count_refusal(error)
    if error.status == 400 and request.path_info.startswith(CLIENT_ENDPOINTS):
        return JsonResponse({"error": "invalid_request", "error_description": error.message}, status=400)
    title, advice = (
        REFUSAL_TEXTS.get(error.reason) or REFUSAL_TEXTS.get(error.status) or ("This was refused", error.message)
    )
    faults = name_faults(error)
    context = {
        "status": error.status,
        "title": title,
        "advice": advise_on(error, faults) if error.status == 400 else advice,
        "faults": faults,
        "reason": error.reason,
        "came_from": page_before(request) if error.reason in LEADS_BACK else "",
        "may_be_known": settings.SESSION_COOKIE_NAME in request.COOKIES,
        "request_id": request.META.get("ids.request_id", ""),
        "layout": "base.html" if has_navigation(request, error) else "plain.html",
    }
    response = render(request, "error.html", context, status=error.status)
    for name, value in error.headers.items():
        response[name] = value
    return response


def advise_on(error: ServiceError, faults: list[str]) -> str:
    return "Go back and change what does not fit:" if faults else f"{error.message} Go back and try again."


def name_faults(error: ServiceError) -> list[str]:
    """`per_page: At most 100.`: what is wrong with which field, where the refusal knows."""
    fields = (error.details or {}).get("fields", {})
    return [f"{PLACE_IN_LIST.sub('', name)}: {' '.join(texts)}" for name, texts in fields.items()]


def has_navigation(request: HttpRequest, error: ServiceError) -> bool:
    """Where it is known already who asks: a page of refusal asks nothing of a database that may be away."""
    person = getattr(request, "_cached_user", None)
    return error.status not in WITHOUT_NAVIGATION and person is not None and person.is_authenticated
