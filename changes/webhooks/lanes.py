"""One lane for each receiver: whoever holds its lease calls it, one message after another, for some seconds.

A receiver that is dead is asked at growing intervals with one message, not with each that waits; one that is slow gives
its thread back after each call, and few of them are called at once. So neither costs anybody else anything.
"""

import time
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import uuid4

from django.db import transaction
from django.db.models import Min, Q, QuerySet

from changes.webhooks.attempts import Outcome, attempt_delivery
from changes.webhooks.models import DeliveryStatus, Webhook, WebhookDelivery
from wire.queries.compiled import CompiledQuery

LEASE = timedelta(minutes=1)  # longer than a turn and the call it ends with
TURN_SECONDS = 5.0
MESSAGES_AT_ONCE = 50
SLOW_MS = 2_000
MAX_SLOW_LANES = 4  # at once, of the whole installation
PATIENT_FAILURES = 2  # in a row, that may be the message's fault
FIRST_PAUSE, LONGEST_PAUSE = timedelta(seconds=5), timedelta(minutes=5)


@dataclass
class Turn:
    """Time at one lane."""

    lane: Webhook
    at: datetime
    started: float

    @property
    def now(self) -> datetime:
        return self.at + timedelta(seconds=self.elapsed)

    @property
    def elapsed(self) -> float:
        return time.monotonic() - self.started

    @property
    def is_over(self) -> bool:
        return self.elapsed > TURN_SECONDS


def serve_lane(*, at: datetime) -> bool:
    """Take the lane that is due longest and send what is due there. False: none is due that nobody serves."""
    lane = lease_lane(at=at)
    if lane is None:
        return False
    turn = Turn(lane, at, time.monotonic())
    try:
        _send_due(turn)
    finally:
        release_lane(lane, at=turn.now)
    return True


def count_due_lanes(*, at: datetime) -> int:
    """How many receivers could be called now."""
    return _free_lanes(at=at).count()


def has_due_lanes(*, at: datetime) -> bool:
    """Whether a receiver could be called now."""
    return bool(_find_free_lane(at))


@transaction.atomic
def lease_lane(*, at: datetime) -> Webhook | None:
    """The right to call one receiver. Slow ones wait while many of them are called."""
    due = _free_lanes(at=at)
    if Webhook.objects.filter(is_slow=True, lease_until__gt=at).count() >= MAX_SLOW_LANES:
        due = due.filter(is_slow=False)
    lane = due.order_by("due_at", "pk").select_for_update(skip_locked=True, no_key=True).first()
    if lane is not None:
        lane.lease_id, lane.lease_until = uuid4(), at + LEASE
        lane.save(update_fields=["lease_id", "lease_until"])
    return lane


@transaction.atomic
def release_lane(lane: Webhook, *, at: datetime) -> None:
    """Give it back with the time of its next message. The lock comes first: who writes deliveries holds it, too."""
    held = Webhook.objects.select_for_update(no_key=True).filter(pk=lane.pk, lease_id=lane.lease_id).first()
    if held is None:
        return
    waiting = WebhookDelivery.objects.filter(webhook=held, status=DeliveryStatus.PENDING)
    due_at = waiting.aggregate(first=Min("next_attempt_at"))["first"]
    if due_at is not None and held.failures > PATIENT_FAILURES:
        due_at = max(due_at, at + pause_after(held.failures))
    Webhook.objects.filter(pk=held.pk).update(lease_id=None, lease_until=None, due_at=due_at)


def pause_after(failures: int) -> timedelta:
    """How long a receiver that fails and fails is left alone: 5 s, doubling, at most 5 minutes."""
    doublings = min(max(failures - PATIENT_FAILURES - 1, 0), 16)
    return min(FIRST_PAUSE * 2**doublings, LONGEST_PAUSE)


def _free_lanes(*, at: datetime) -> QuerySet[Webhook]:
    free = Q(lease_until__isnull=True) | Q(lease_until__lte=at)
    return Webhook.objects.filter(free, is_active=True, due_at__lte=at)


_find_free_lane = CompiledQuery(lambda at: _free_lanes(at=at).values_list("pk")[:1])


def _send_due(turn: Turn) -> None:
    while not turn.is_over:
        messages = _find_due(turn)
        if not messages:
            return
        for message in messages:
            if turn.is_over or not _send(turn, message):
                return


def _send(turn: Turn, message: WebhookDelivery) -> bool:
    """False: this receiver is done with for now."""
    outcome: Outcome = attempt_delivery(message, receiver=turn.lane, at=turn.now)
    slow = outcome.duration_ms > SLOW_MS
    if slow != turn.lane.is_slow:
        turn.lane.is_slow = slow
        Webhook.objects.filter(pk=turn.lane.pk).update(is_slow=slow)
    return outcome.goes_on and not slow and turn.lane.failures <= PATIENT_FAILURES


def _find_due(turn: Turn) -> list[WebhookDelivery]:
    due = WebhookDelivery.objects.filter(
        webhook=turn.lane, status=DeliveryStatus.PENDING, next_attempt_at__lte=turn.now
    )
    return list(due.order_by("next_attempt_at", "id")[:MESSAGES_AT_ONCE])
