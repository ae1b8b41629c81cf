"""What can come back instead of an answer."""

from typing import Any

from instrument_watcher.errors import AgentError, ExitCode


class ServiceAway(AgentError):
    """The service does not answer now, or asks to wait; the same call may succeed later."""

    def __init__(self, why: str, *, retry_after: float = 0.0) -> None:
        super().__init__(
            why,
            remedy="Check the address, the network and whether the service runs.",
            code=ExitCode.UNREACHABLE,
        )
        self.retry_after = retry_after


class SlowDown(ServiceAway):
    """429: it is there, and asks to wait."""


class Refused(AgentError):
    """The service understood the call and said no."""

    def __init__(
        self,
        message: str,
        *,
        status: int,
        error_code: str = "",
        details: dict[str, Any] | None = None,
        remedy: str = "",
        code: ExitCode = ExitCode.CRASH,
    ) -> None:
        super().__init__(message, remedy=remedy, code=code)
        self.status, self.error_code, self.details = status, error_code, details or {}

    @property
    def is_final(self) -> bool:
        """The same call would be refused again."""
        return self.status in (400, 413) and bool(self.error_code)

    @property
    def is_about_deletion(self) -> bool:
        """A deleted run, a dismissed file or a deregistered watcher is in the way."""
        return self.status == 409 and self.details.get("deleted_at") is not None

    @property
    def is_about_other_bytes(self) -> bool:
        """The path is taken: stored bytes are never replaced."""
        return self.status == 409 and "sha256" in self.details


class TokenRefused(Refused):
    """401 or 403: nothing works until somebody mends the token."""


class AgentTooOld(Refused):
    """426: the service does not listen to this version any more."""


def is_envelope(body: Any) -> bool:
    """Whether the service itself said no, and not something that stands before it."""
    return isinstance(body, dict) and isinstance(body.get("error"), dict)


def refusal(status: int, body: Any) -> Refused:
    """From the service's error envelope; an answer without one is shown by its status."""
    error = body["error"] if is_envelope(body) else {}
    details = error.get("details")
    details = details if isinstance(details, dict) else {}
    message = _with_fields(str(error.get("message") or f"The service answered {status}."), details)
    kind, remedy, code = _KINDS.get(status, (Refused, "", ExitCode.CRASH))
    return kind(
        message, status=status, error_code=str(error.get("code", "")), details=details, remedy=remedy, code=code
    )


def _with_fields(message: str, details: dict[str, Any]) -> str:
    fields = details.get("fields")
    if not isinstance(fields, dict):
        return message
    faults = "; ".join(f"{name}: {' '.join(map(str, texts))}" for name, texts in fields.items())
    return f"{message} ({faults})" if faults not in message else message


_KINDS: dict[int, tuple[type[Refused], str, ExitCode]] = {
    401: (
        TokenRefused,
        "Ask an admin for a token (dashboard, Settings, Access tokens), then: instrument-watcher init",
        ExitCode.TOKEN,
    ),
    403: (
        TokenRefused,
        "The preset “Watcher” of the dashboard's access tokens holds every scope that an agent needs.",
        ExitCode.TOKEN,
    ),
    426: (AgentTooOld, "Run: instrument-watcher update", ExitCode.UPDATE),
}
