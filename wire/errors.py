"""What the service says when it refuses: one family, one envelope.

Topic modules raise subclasses defined beside the function that refuses. The codes and statuses are those of the
table of docs/interface.md, Errors; `details` is an object or null.
"""

import re
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any, ClassVar

FieldErrors = Mapping[str, Sequence[str]]
MAX_FIELDS_TOLD = 30  # of one body, each of whose members may be at fault
MAX_CHARACTERS_TOLD = 500  # of a field's name and of each text, which may repeat what came


class ServiceError(Exception):
    """A refusal with a status, a code and a sentence for the caller."""

    status: ClassVar[int] = 500
    code: ClassVar[str] = "INTERNAL_ERROR"

    def __init__(self, message: str, **details: Any) -> None:
        super().__init__(message)
        self.message = message
        self.details: dict[str, Any] | None = details or None
        self.headers: dict[str, str] = {}

    @property
    def reason(self) -> str:
        """What refused, in a word for metrics: `run_is_deleted`."""
        return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", type(self).__name__).lower()


class ValidationError(ServiceError):
    """400. `fields` names each bad input: {"name": ["This field is required."]}."""

    status, code = 400, "VALIDATION_ERROR"

    def __init__(self, message: str = "", *, fields: FieldErrors | None = None) -> None:
        if fields:
            told = {
                _cut(name): [_cut(text) for text in texts] for name, texts in islice(fields.items(), MAX_FIELDS_TOLD)
            }
            more = len(fields) - MAX_FIELDS_TOLD
            rest = f" And {more:,} more are not valid." if more > 0 else ""
            super().__init__((message or _first_sentence(told)) + rest, fields=told)
        else:
            super().__init__(message)


class Unauthorized(ServiceError):
    status, code = 401, "UNAUTHORIZED"

    def __init__(self, message: str = "Authentication is required.") -> None:
        super().__init__(message)
        self.headers = {"WWW-Authenticate": "Bearer"}


class Forbidden(ServiceError):
    status, code = 403, "FORBIDDEN"


class NotFound(ServiceError):
    status, code = 404, "NOT_FOUND"

    def __init__(self, message: str = "Nothing is here.", **details: Any) -> None:
        super().__init__(message, **details)


class MethodNotAllowed(ServiceError):
    status, code = 405, "METHOD_NOT_ALLOWED"


class NotAcceptable(ServiceError):
    status, code = 406, "NOT_ACCEPTABLE"


class RequestTimeout(ServiceError):
    """408. The body did not arrive in time."""

    status, code = 408, "REQUEST_TIMEOUT"


class Conflict(ServiceError):
    status, code = 409, "CONFLICT"


class Gone(ServiceError):
    """410. It was here, and will not be again."""

    status, code = 410, "GONE"


class PayloadTooLarge(ServiceError):
    status, code = 413, "PAYLOAD_TOO_LARGE"


class UnsupportedMediaType(ServiceError):
    status, code = 415, "UNSUPPORTED_MEDIA_TYPE"


class MisdirectedRequest(ServiceError):
    """421. The host of the request is not one that answers it."""

    status, code = 421, "VALIDATION_ERROR"


class UpgradeRequired(ServiceError):
    status, code = 426, "UPGRADE_REQUIRED"


class RateLimited(ServiceError):
    status, code = 429, "RATE_LIMITED"

    def __init__(self, message: str = "Too many requests.", *, retry_after: int) -> None:
        super().__init__(message)
        self.retry_after = retry_after
        self.headers = {"Retry-After": str(retry_after)}


class ServiceUnavailable(ServiceError):
    """503. Something the service stands on is out of reach; trying again later is right."""

    status, code = 503, "SERVICE_UNAVAILABLE"

    def __init__(self, message: str = "The service is out of reach for a moment.", *, retry_after: int = 5) -> None:
        super().__init__(message)
        self.headers = {"Retry-After": str(retry_after)}


def build_envelope(error: ServiceError) -> dict[str, Any]:
    """{"error": {"code", "message", "details"}}: the body of every error under /api."""
    return {"error": {"code": error.code, "message": error.message, "details": error.details}}


def _cut(text: str) -> str:
    return text if len(text) <= MAX_CHARACTERS_TOLD else f"{text[:MAX_CHARACTERS_TOLD]}…"


def _first_sentence(fields: FieldErrors) -> str:
    name, texts = next(iter(fields.items()))
    return f"{name}: {texts[0]}" if texts else f"{name} is not valid."
