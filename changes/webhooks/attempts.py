"""One attempt to deliver one message, what is written down of it, and what follows for its receiver."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import F

from changes.webhooks.disabling import disable_webhook
from changes.webhooks.models import DeliveryStatus, Webhook, WebhookDelivery, WebhookKind
from changes.webhooks.payloads import encode_body
from changes.webhooks.receivers import UNANSWERED, Answer, post_message
from changes.webhooks.signatures import sign_message
from wire.clock import format_timestamp
from wire.secrets import decrypt_secret

SECONDS, MINUTES, HOURS = timedelta(seconds=1), timedelta(minutes=1), timedelta(hours=1)
RETRIES = (
    *(5 * SECONDS, 5 * MINUTES, 30 * MINUTES),
    *(2 * HOURS, 5 * HOURS, 10 * HOURS, 14 * HOURS, 20 * HOURS, 24 * HOURS),
)
PATIENCE = timedelta(days=5)
MAX_ATTEMPTS_KEPT = 50  # of one message, redeliveries included
SEALED_ELSEWHERE = "The secret was sealed with another SECRET_KEY: rotate it."
USER_AGENT = f"Instrument-Data-Service/{settings.VERSION}"


@dataclass(frozen=True)
class Outcome:
    """`goes_on`: the receiver may be called again at once."""

    duration_ms: int
    goes_on: bool


def attempt_delivery(message: WebhookDelivery, *, receiver: Webhook, at: datetime) -> Outcome:
    """Call the receiver; no transaction is open meanwhile. `receiver` learns how it did."""
    answer = _call(message, receiver, at=at)
    _note_answer(message, answer, receiver=receiver, at=at)
    if answer.is_success:
        _note_success(receiver, at=at)
    else:
        _note_failure(receiver, answer, at=at)
    return Outcome(answer.duration_ms, goes_on=receiver.is_active)


def _call(message: WebhookDelivery, receiver: Webhook, *, at: datetime) -> Answer:
    keys = list_signing_keys(receiver, at=at)
    if not keys:
        return Answer(None, 0, error=SEALED_ELSEWHERE)
    body = encode_body(receiver.kind, message.payload)
    headers = {"content-type": "application/json", "user-agent": USER_AGENT}
    signed = sign_message(body, message_id=message.message_id, timestamp=int(at.timestamp()), keys=keys)
    return post_message(receiver.url, body, headers=headers | signed)


def list_signing_keys(receiver: Webhook, *, at: datetime) -> list[str]:
    """The secret and, for a day after a rotation, the one before."""
    sealed = [receiver.sealed_secret]
    if receiver.former_sealed_secret and receiver.former_until and receiver.former_until > at:
        sealed.append(receiver.former_sealed_secret)
    return [secret for one in sealed if (secret := decrypt_secret(one))]


def _note_answer(message: WebhookDelivery, answer: Answer, *, receiver: Webhook, at: datetime) -> None:
    """Success ends it, as does the last retry; a message that was deleted or sent anew meanwhile is left alone."""
    message.tries += 1
    attempts = [*message.attempts, _describe_attempt(answer, at=at)][-MAX_ATTEMPTS_KEPT:]
    is_tried_out = message.tries > len(RETRIES) or may_stand_twice(receiver, attempts[-message.tries :])
    waits = not answer.is_success and not is_tried_out
    ended = DeliveryStatus.SUCCEEDED if answer.is_success else DeliveryStatus.FAILED
    WebhookDelivery.objects.filter(pk=message.pk).update(
        tries=message.tries,
        attempts=attempts,
        status=DeliveryStatus.PENDING if waits else ended,
        next_attempt_at=at + RETRIES[message.tries - 1] if waits else None,
    )


def may_stand_twice(receiver: Webhook, attempts: Sequence[Mapping[str, Any]]) -> bool:
    """Programs know a message again by its id; a chat shows to people whatever it is sent."""
    unanswered = sum(one["error"] == UNANSWERED for one in attempts)
    return receiver.kind != WebhookKind.STANDARD and unanswered >= 2


def _describe_attempt(answer: Answer, *, at: datetime) -> dict[str, Any]:
    return {
        "at": format_timestamp(at),
        "http_status": answer.http_status,
        "duration_ms": answer.duration_ms,
        "error": answer.error or None,
        "answer": answer.text or None,
    }


def _note_success(receiver: Webhook, *, at: datetime) -> None:
    """Written at most once a second, or of a busy receiver its row would change with each message."""
    is_news = receiver.failures or receiver.last_success_at is None or receiver.last_success_at < at - SECONDS
    receiver.failures, receiver.failing_since = 0, None
    if is_news:
        receiver.last_success_at = at
        Webhook.objects.filter(pk=receiver.pk).update(failures=0, failing_since=None, last_success_at=at)


@transaction.atomic
def _note_failure(receiver: Webhook, answer: Answer, *, at: datetime) -> None:
    receiver.failures += 1
    receiver.failing_since = receiver.failing_since or at
    Webhook.objects.filter(pk=receiver.pk).update(failures=F("failures") + 1, failing_since=receiver.failing_since)
    if answer.is_gone:
        disable_webhook(receiver, reason="The receiver answered 410 Gone.", at=at)
    elif receiver.failing_since <= at - PATIENCE:
        disable_webhook(receiver, reason="Nothing could be delivered for five days.", at=at)
