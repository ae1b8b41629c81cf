"""Django's error handlers: the envelope under /api, a page elsewhere."""

import sys
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from wire.errors import Forbidden, NotFound, ServiceError, ValidationError
from wire.metrics import count_refusal
from wire.refusals import as_service_error, is_api, json_refusal

PAGES = {
    400: ("This address cannot be read", "Something in it is not allowed. Go back and try again."),
    403: (
        "This is not open to you",
        "Your account lacks the right to see or do this. An admin of your workspace can change that.",
    ),
    404: ("Nothing is here", "The link may be old, or what it led to lies outside what you may see."),
    429: ("Too many attempts", "Wait a minute, then go back and try again. Others at this address are not affected."),
    500: ("Something went wrong here", "It was written down with the id below. Trying again in a moment is safe."),
    503: (
        "The service is out of reach for a moment",
        "The database or the file store does not answer. Nothing is lost; reload in a few seconds.",
    ),
}


def bad_request(request: HttpRequest, exception: Any = None) -> HttpResponse:
    return refuse(request, ValidationError("The request cannot be read."))


def forbidden(request: HttpRequest, exception: Any = None) -> HttpResponse:
    return refuse(request, Forbidden("This is not allowed."))


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    return refuse(request, Forbidden(f"CSRF check failed: {reason}" if reason else "CSRF check failed."))


def not_found(request: HttpRequest, exception: Any = None) -> HttpResponse:
    return refuse(request, NotFound("There is nothing at this address."))


def crash(request: HttpRequest) -> HttpResponse:
    return refuse(request, as_service_error(sys.exc_info()[1] or RuntimeError("unknown")))


def refuse(request: HttpRequest, error: ServiceError) -> HttpResponse:
    """One refusal in the clothes its reader expects."""
    if is_api(request):
        return json_refusal(error)
    count_refusal(error)
    title, advice = PAGES.get(error.status) or ("This was refused", error.message)
    context = {
        "status": error.status,
        "title": title,
        "advice": advice,
        "request_id": request.META.get("ids.request_id", ""),
    }
    response = render(request, "error.html", context, status=error.status)
    for name, value in error.headers.items():
        response[name] = value
    return response
