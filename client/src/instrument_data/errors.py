"""What can go wrong, each named after the service's code and carrying its sentence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class InstrumentDataError(Exception):
    """The family of everything this library raises by itself."""


class ServiceError(InstrumentDataError):
    """The service refused. `str()` is its sentence; `code`, `status`, `details`, `request_id` are as it sent them."""

    def __init__(
        self,
        message: str,
        *,
        code: str,
        status: int,
        details: Mapping[str, Any] | None = None,
        request_id: str | None = None,
    ) -> None:
        self.message, self.code, self.status = message, code, status
        self.details, self.request_id = dict(details or {}), request_id
        super().__init__(message)

    def __str__(self) -> str:
        fields = self.details.get("fields")
        if not isinstance(fields, Mapping) or not fields:
            return self.message
        named = {name: " ".join(map(str, texts)) for name, texts in fields.items()}
        faults = "; ".join(f"{name}: {text}" for name, text in named.items() if text not in self.message)
        return f"{self.message} {faults}".rstrip()


class ValidationError(ServiceError):
    """400: something that was sent is not valid; `fields` names each."""

    @property
    def fields(self) -> dict[str, list[str]]:
        return dict(self.details.get("fields") or {})


class QueryTooLarge(ServiceError):
    """400: the query takes too long or too much memory; the sentence says how to narrow it."""


class Unauthorized(ServiceError):
    """401: no token, a bad one, or the wrong kind of caller for the route."""


class Forbidden(ServiceError):
    """403: the token lacks a scope (`scope`), or what was asked belongs to somebody else."""

    @property
    def scope(self) -> str | None:
        return self.details.get("scope")


class NotFound(ServiceError):
    """404."""


class MethodNotAllowed(ServiceError):
    """405."""


class NotAcceptable(ServiceError):
    """406."""


class Conflict(ServiceError):
    """409: `details` says what is in the way."""


class Gone(ServiceError):
    """410: it was here once; `details` says more."""


class PreconditionFailed(ServiceError):
    """412: it was changed meanwhile."""


class PayloadTooLarge(ServiceError):
    """413."""


class UnsupportedMediaType(ServiceError):
    """415."""


class UpgradeRequired(ServiceError):
    """426."""


class RateLimited(ServiceError):
    """429, also after waiting as long as `patience` allows."""


class InternalError(ServiceError):
    """500: a fault of the service; `request_id` finds it in its log."""


class ServiceUnavailable(ServiceError):
    """503, also after waiting as long as `patience` allows."""


class ServiceAway(InstrumentDataError):
    """No answer came: the address is wrong, or the service or the way to it is down."""


class NotTrusted(ServiceAway):
    """No trusted connection: of nobody's certificate that is believed here (`connect(ca_bundle=…)`), or without TLS."""


class NotConnected(InstrumentDataError):
    """Nobody said which service, or with which token: `ids-data login`, or IDS_URL and IDS_TOKEN."""


class UnknownName(InstrumentDataError, LookupError):
    """There is no instrument, file or dataset of this name; the sentence names those that there are."""


class AmbiguousName(InstrumentDataError, LookupError):
    """Several answer to this name; the sentence names them."""


class ChecksumMismatch(InstrumentDataError):
    """The bytes are not those that were recorded. They are not kept."""


class NotACrate(InstrumentDataError):
    """This is no RO-Crate of an Instrument Data Service, or it is not whole."""


class StoreRefused(InstrumentDataError):
    """The object store did not take or give the bytes."""


class NothingToSend(InstrumentDataError):
    """The folder holds no file: a run without any would be taken for a measurement."""


class UploadFailed(InstrumentDataError):
    """Some files were not uploaded: `report.failed` has the reason of each. Calling it again sends the missing ones."""

    def __init__(self, report: Any) -> None:
        self.report = report
        first = next(iter(report.failed.items()))
        super().__init__(
            f"{len(report.failed)} of {report.file_count} files were not uploaded. {first[0]}: {first[1]}"
            " Calling it again sends only what is missing."
        )


def reason_of(error: Exception) -> str:
    """A sentence. Of the operating system's errors without their number, and with the file that could not be written,
    not the one it was to be copied from."""
    if not isinstance(error, OSError) or error.strerror is None:
        return str(error)
    place = error.filename2 or error.filename
    return error.strerror + (f": {place}" if place else "") + "."


class MissingExtra(InstrumentDataError, ImportError):
    """A library that this result needs is not installed."""

    def __init__(self, library: str, extra: str) -> None:
        where = "--find-links https://YOUR-SERVICE/client/"  # no package index has it
        super().__init__(f'This needs {library}: pip install {where} "instrument-data[{extra}]"')


BY_CODE: dict[str, type[ServiceError]] = {
    "VALIDATION_ERROR": ValidationError,
    "QUERY_TOO_LARGE": QueryTooLarge,
    "UNAUTHORIZED": Unauthorized,
    "FORBIDDEN": Forbidden,
    "NOT_FOUND": NotFound,
    "METHOD_NOT_ALLOWED": MethodNotAllowed,
    "NOT_ACCEPTABLE": NotAcceptable,
    "CONFLICT": Conflict,
    "GONE": Gone,
    "PRECONDITION_FAILED": PreconditionFailed,
    "PAYLOAD_TOO_LARGE": PayloadTooLarge,
    "UNSUPPORTED_MEDIA_TYPE": UnsupportedMediaType,
    "UPGRADE_REQUIRED": UpgradeRequired,
    "RATE_LIMITED": RateLimited,
    "INTERNAL_ERROR": InternalError,
    "SERVICE_UNAVAILABLE": ServiceUnavailable,
}
BY_STATUS: dict[int, type[ServiceError]] = {
    400: ValidationError,
    401: Unauthorized,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    410: Gone,
    429: RateLimited,
    500: InternalError,
    503: ServiceUnavailable,
}


def not_ours(url: str, status: int) -> str:
    return (
        f"{url} answers {status}, but not as an Instrument Data Service does:"
        " it is another address, or a proxy stands between."
    )


def error_from(status: int, body: Any, *, url: str, request_id: str | None = None) -> ServiceError:
    """The exception for a refusal; a body that is no envelope (a proxy's page) is told by its status."""
    error = body.get("error") if isinstance(body, Mapping) else None
    if not isinstance(error, Mapping):
        kind = BY_STATUS.get(status, ServiceError)
        return kind(not_ours(url, status), code=f"HTTP_{status}", status=status, request_id=request_id)
    code = str(error.get("code"))
    details = error.get("details")
    return BY_CODE.get(code, BY_STATUS.get(status, ServiceError))(
        str(error.get("message")),
        code=code,
        status=status,
        details=details if isinstance(details, Mapping) else None,
        request_id=request_id,
    )
