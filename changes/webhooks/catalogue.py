"""Receivers: added, changed, taken away; their secrets are shown once and rotated."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import connection, transaction
from django.db.models import QuerySet

from accounts.callers import Caller
from changes.webhooks.models import Webhook, WebhookKind
from changes.webhooks.receivers import url_fault
from changes.webhooks.signatures import generate_secret
from wire.errors import NotFound, ValidationError
from wire.secrets import encrypt_secret

BOTH_SIGN_FOR = timedelta(hours=24)
MAX_WEBHOOKS = 100


class WebhookMissing(NotFound):
    def __init__(self) -> None:
        super().__init__("There is no such webhook.")


@dataclass(frozen=True)
class WebhookSettings:
    """Where to send what. No types are all of them; None instruments are all."""

    url: str
    kind: WebhookKind = WebhookKind.STANDARD
    description: str = ""
    event_types: Sequence[str] = ()
    instrument_ids: Sequence[str] | None = None
    is_active: bool = True


@dataclass(frozen=True)
class NewWebhook:
    """A receiver with its secret, which nobody can read again."""

    webhook: Webhook
    secret: str = field(repr=False)


def list_webhooks() -> QuerySet[Webhook]:
    return Webhook.objects.order_by("-created_at", "-id")


def find_webhook(webhook_id: UUID, *, lock: bool = False) -> Webhook:
    """Raises WebhookMissing. `lock` needs a transaction."""
    rows = Webhook.objects.select_for_update(no_key=True) if lock else Webhook.objects.all()
    found = rows.filter(pk=webhook_id).first()
    if found is None:
        raise WebhookMissing
    return found


@transaction.atomic
def add_webhook(wanted: WebhookSettings, *, by: Caller, at: datetime) -> NewWebhook:
    """Raises ValidationError."""
    faults = find_faults(wanted)
    if Webhook.objects.count() >= MAX_WEBHOOKS:
        faults = {"url": [f"There can be {MAX_WEBHOOKS} webhooks."]}
    if faults:
        raise ValidationError(fields=faults)
    secret = generate_secret()
    values = _columns_of(wanted)
    webhook = Webhook.objects.create(**values, sealed_secret=encrypt_secret(secret), created_by=by.user, created_at=at)
    return NewWebhook(webhook, secret)


@transaction.atomic
def change_webhook(webhook_id: UUID, changes: dict[str, Any], *, by: Caller, at: datetime) -> Webhook:
    """Change what is named. Switching on forgives past failures, and what waits goes out. Raises ValidationError."""
    webhook = find_webhook(webhook_id, lock=True)
    wanted = replace(settings_of(webhook), **changes)
    faults = find_faults(wanted)
    if faults:
        raise ValidationError(fields=faults)
    values = _columns_of(wanted)
    if wanted.is_active:
        values |= {"disabled_reason": None}
    if (wanted.is_active and not webhook.is_active) or wanted.url != webhook.url:
        values |= {"failures": 0, "failing_since": None, "is_slow": False, "due_at": at}
    for name, value in values.items():
        setattr(webhook, name, value)
    webhook.save(update_fields=list(values))
    return webhook


def delete_webhook(webhook_id: UUID, *, by: Caller) -> None:
    """With its deliveries. Raises WebhookMissing."""
    if not find_webhook(webhook_id).delete()[0]:
        raise WebhookMissing


@transaction.atomic
def rotate_secret(webhook_id: UUID, *, by: Caller, at: datetime) -> NewWebhook:
    """A new secret; the one before signs beside it for a day, so that a receiver can change over."""
    webhook, secret = find_webhook(webhook_id, lock=True), generate_secret()
    webhook.former_sealed_secret, webhook.former_until = webhook.sealed_secret, at + BOTH_SIGN_FOR
    webhook.sealed_secret = encrypt_secret(secret)
    webhook.save(update_fields=["former_sealed_secret", "former_until", "sealed_secret"])
    return NewWebhook(webhook, secret)


def settings_of(webhook: Webhook) -> WebhookSettings:
    return WebhookSettings(
        url=webhook.url,
        kind=WebhookKind(webhook.kind),
        description=webhook.description,
        event_types=tuple(webhook.event_types),
        instrument_ids=None if webhook.instrument_ids is None else tuple(webhook.instrument_ids),
        is_active=webhook.is_active,
    )


def find_faults(wanted: WebhookSettings) -> dict[str, list[str]]:
    """By member; what is stored already may name an instrument that is there no more."""
    faults = {}
    if fault := url_fault(wanted.url):
        faults["url"] = [fault]
    if unknown := _find_unknown_instruments(wanted.instrument_ids or ()):
        faults["instrument_ids"] = [f"Unknown instrument: {name}." for name in unknown]
    return faults


def _columns_of(wanted: WebhookSettings) -> dict[str, Any]:
    ids = wanted.instrument_ids
    return {
        "url": wanted.url,
        "kind": wanted.kind,
        "description": wanted.description,
        "event_types": sorted(set(wanted.event_types)),
        "instrument_ids": None if ids is None else sorted(set(ids)),
        "is_active": wanted.is_active,
    }


def _find_unknown_instruments(names: Sequence[str]) -> list[str]:
    """Instruments are of a layer above; their table is named, not their model."""
    if not names:
        return []
    with connection.cursor() as cursor:
        cursor.execute("SELECT id FROM instruments_instrument WHERE id = ANY(%s)", [list(names)])
        known = {name for (name,) in cursor.fetchall()}
    return sorted(set(names) - known)
