"""Which services outside the workspace is connected to. Only these modules' callers ever see a secret."""

import re
from dataclasses import dataclass, field
from datetime import datetime

from accounts.callers import Caller
from accounts.models import Integration, IntegrationKind
from wire.errors import NotFound, ValidationError
from wire.outgoing.http_client import address_fault
from wire.secrets import decrypt_secret, encrypt_secret

DEFAULT_ADDRESSES = {IntegrationKind.CHAT: "https://slack.com/api/", IntegrationKind.TRACKER: "https://api.github.com"}
REPOSITORY = re.compile(r"[\w.-]{1,100}/[\w.-]{1,100}", re.ASCII)
MAX_ERROR_CHARS = 500


@dataclass(frozen=True)
class IntegrationConnection:
    """What is needed to call a service. The secret shows in no representation."""

    base_url: str
    target: str
    secret: str = field(repr=False)


@dataclass(frozen=True)
class IntegrationChange:
    """How to connect; an empty address is the vendor's own, an empty secret keeps the one that is stored."""

    base_url: str = ""
    target: str = ""
    secret: str = field(default="", repr=False)


def list_integrations() -> dict[IntegrationKind, Integration | None]:
    known = Integration.objects.select_related("changed_by").in_bulk()
    return {kind: known.get(kind.value) for kind in IntegrationKind}


def find_connection(kind: IntegrationKind) -> IntegrationConnection | None:
    """None where nothing is connected, or the secret was sealed with another SECRET_KEY."""
    row = Integration.objects.filter(pk=kind).first()
    secret = decrypt_secret(row.sealed_secret) if row else None
    return IntegrationConnection(row.base_url, row.target, secret) if row and secret else None


def connect_integration(kind: IntegrationKind, *, wanted: IntegrationChange, by: Caller, at: datetime) -> Integration:
    """Raises ValidationError. A changed address needs the secret again: it is not handed to another host."""
    base_url = wanted.base_url or DEFAULT_ADDRESSES[kind]
    known = Integration.objects.filter(pk=kind).first()
    faults = _find_faults(kind, wanted, base_url=base_url, known=known)
    if faults:
        raise ValidationError(fields=faults)
    sealed = encrypt_secret(wanted.secret) if wanted.secret or known is None else known.sealed_secret
    values = {"base_url": base_url, "target": wanted.target, "sealed_secret": sealed, "changed_by": by.user}
    fresh = {"changed_at": at, "last_ok_at": None, "last_error_at": None, "last_error": ""}
    return Integration.objects.update_or_create(kind=kind, defaults=values | fresh)[0]


def disconnect_integration(kind: IntegrationKind, *, by: Caller) -> None:
    """Forget the service and its secret. Repeating it changes nothing."""
    Integration.objects.filter(pk=kind).delete()


def record_call_result(kind: IntegrationKind, *, error: str | None, at: datetime) -> None:
    """How the last call went, as the settings show it."""
    told = (
        {"last_ok_at": at, "last_error": ""}
        if error is None
        else {"last_error_at": at, "last_error": error[:MAX_ERROR_CHARS]}
    )
    Integration.objects.filter(pk=kind).update(**told)


def parse_integration_kind(kind: str) -> IntegrationKind:
    if kind not in IntegrationKind.values:
        raise NotFound("There is no such integration.")
    return IntegrationKind(kind)


def _find_faults(
    kind: IntegrationKind, wanted: IntegrationChange, *, base_url: str, known: Integration | None
) -> dict[str, list[str]]:
    faults = {}
    if fault := address_fault(base_url):
        faults["base_url"] = [fault]
    if kind is IntegrationKind.TRACKER and not REPOSITORY.fullmatch(wanted.target):
        faults["repository"] = ["A repository such as lab/instrument-data is needed."]
    if not wanted.secret and (known is None or known.base_url != base_url):
        faults["token"] = ["The service's token is needed."]
    elif not wanted.secret.isascii() or any(sign.isspace() for sign in wanted.secret):
        faults["token"] = ["A token holds neither spaces nor signs beyond ASCII."]
    return faults
