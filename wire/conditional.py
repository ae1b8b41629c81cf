"""Conditional requests (RFC 9110, section 13), judged by Django: lists of tags, weak ones, `*`, dates."""

from collections.abc import Mapping

from django.http import HttpRequest, HttpResponse, HttpResponseNotModified
from django.utils.cache import get_conditional_response
from django.utils.http import parse_http_date_safe

from wire.errors import ServiceError


class PreconditionFailed(ServiceError):
    status, code = 412, "PRECONDITION_FAILED"


def not_modified(request: HttpRequest, headers: Mapping[str, str]) -> HttpResponse | None:
    """304 where the caller has what `headers` describe (ETag, Last-Modified), None where it is to be sent.

    Raises PreconditionFailed where If-Match or If-Unmodified-Since asks for something else.
    """
    described = HttpResponse(headers=dict(headers))
    modified_at = parse_http_date_safe(headers.get("Last-Modified", ""))
    answer = get_conditional_response(request, etag=headers["ETag"], last_modified=modified_at, response=described)
    if answer is described:
        return None
    if not isinstance(answer, HttpResponseNotModified):
        raise PreconditionFailed("What is here is not what the request's conditions name.")
    return answer
