"""Every way a request can fail, turned into the envelope: DRF's exceptions, Django's, the database's, crashes."""

import logging
from typing import Any

from django.conf import settings
from django.core.exceptions import (
    BadRequest,
    PermissionDenied,
    RequestDataTooBig,
    SuspiciousOperation,
    TooManyFieldsSent,
)
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, JsonResponse
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import set_rollback

from wire import errors
from wire.inputs import flatten_errors
from wire.settings.database import NoAnswerInTime
from wire.telemetry.metrics import count_refusal

log = logging.getLogger(__name__)


def handle_exception(exception: Exception, context: dict[str, Any]) -> Response:
    """DRF's EXCEPTION_HANDLER: whatever a view raised, answered in the envelope."""
    set_rollback()
    error = as_service_error(exception)
    count_refusal(error)
    response = Response(errors.build_envelope(error), status=error.status, headers=error.headers)
    allowed = context["view"].allowed_methods if error.status == 405 else None
    if allowed:
        response["Allow"] = ", ".join(allowed)
    return response


def error_response(error: errors.ServiceError) -> JsonResponse:
    """The envelope outside DRF: middleware and Django's error handlers."""
    count_refusal(error)
    return JsonResponse(errors.build_envelope(error), status=error.status, headers=error.headers)


def as_service_error(exception: BaseException) -> errors.ServiceError:
    """The family's member for any exception. What nobody foresaw is logged and says nothing of its inside."""
    match exception:
        case errors.ServiceError():
            return exception
        case exceptions.ValidationError():
            return errors.ValidationError(fields=flatten_errors(exception.detail))
        case exceptions.ParseError():
            return errors.ValidationError("The body is not valid JSON.")
        case exceptions.NotAuthenticated() | exceptions.AuthenticationFailed():
            return errors.Unauthorized(str(exception.detail))
        case exceptions.MethodNotAllowed():
            return errors.MethodNotAllowed(str(exception.detail))
        case exceptions.NotAcceptable():
            return errors.NotAcceptable(str(exception.detail))
        case exceptions.UnsupportedMediaType():
            return errors.UnsupportedMediaType(str(exception.detail))
        case exceptions.PermissionDenied():
            return errors.Forbidden(str(exception.detail))
        case PermissionDenied():
            return errors.Forbidden("This is not allowed.")
        case Http404() | exceptions.NotFound():
            return errors.NotFound()
        case RequestDataTooBig():
            return errors.PayloadTooLarge("The body is too large.")
        case TooManyFieldsSent():
            most = settings.DATA_UPLOAD_MAX_NUMBER_FIELDS
            return errors.ValidationError(f"These are too many parameters: at most {most:,} are read.")
        case SuspiciousOperation() | BadRequest():
            return errors.ValidationError("The request cannot be read.")
        case OperationalError() if isinstance(exception.__cause__, NoAnswerInTime):
            log.warning("the database gave no answer in time", exc_info=exception)
            return errors.ServiceUnavailable(
                "The database gave no answer in time: it is busy, or this is too much at once. Ask again, or for less."
            )
        case OperationalError() | InterfaceError():
            log.warning("the database is out of reach", exc_info=exception)
            return errors.ServiceUnavailable("The database is out of reach for a moment.")
    log.error("unhandled", exc_info=exception)
    return errors.ServiceError("Something went wrong here. The request id helps to find out what.")


def is_api_request(request: HttpRequest) -> bool:
    return request.path_info == "/api" or request.path_info.startswith("/api/")
