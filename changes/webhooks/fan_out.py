"""From the log to deliveries: each change once for each receiver that wants it.

The position up to which this was done is moved in the transaction that writes the deliveries, so a kill loses nothing
and nothing is written twice.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import QuerySet, Subquery
from django.db.models.functions import Coalesce

from changes.log import lock_state, read_end
from changes.models import Change, LogState
from changes.webhooks.models import Webhook, WebhookDelivery
from changes.webhooks.payloads import build_payload
from wire.queries.compiled import CompiledQuery

CHANGES_AT_ONCE = 500


def _query_unsent() -> QuerySet[Any, Any]:
    """The position of one change that webhooks have no delivery of yet."""
    sent_to = Coalesce(Subquery(LogState.objects.values("sent_to")[:1]), 0)
    return Change.objects.filter(position__gt=sent_to).order_by("position").values_list("position")[:1]


_find_unsent = CompiledQuery(_query_unsent)


def fan_out_changes(*, at: datetime) -> int:
    """Write the deliveries of all that is new in the log; how many they are."""
    written = 0
    while True:
        changes, deliveries = _fan_out_some(at=at)
        written += deliveries
        if changes < CHANGES_AT_ONCE:
            return written


def has_unsent_changes() -> bool:
    return bool(_find_unsent())


@transaction.atomic
def _fan_out_some(*, at: datetime) -> tuple[int, int]:
    """How many changes were looked at, and how many deliveries they made."""
    if not has_unsent_changes():
        return 0, 0
    state = lock_state()
    receivers = list(lock_receivers())
    if not receivers:
        LogState.objects.filter(pk=state.pk).update(sent_to=read_end())
        return 0, 0
    changes = list(Change.objects.filter(position__gt=state.sent_to).order_by("position")[:CHANGES_AT_ONCE])
    if not changes:
        return 0, 0
    deliveries = [one for receiver in receivers for one in _build_deliveries(receiver, changes, at=at)]
    WebhookDelivery.objects.bulk_create(deliveries, ignore_conflicts=True)
    LogState.objects.filter(pk=state.pk).update(sent_to=changes[-1].position)
    _ring({delivery.webhook_id for delivery in deliveries}, receivers, at=at)
    return len(changes), len(deliveries)


def lock_receivers() -> QuerySet[Webhook]:
    """Before deliveries are written: who leaves a lane then sees them (changes/webhooks/lanes.py)."""
    return Webhook.objects.filter(is_active=True).order_by("id").select_for_update(no_key=True)


def wants(receiver: Webhook, change: Change) -> bool:
    """What happened before a receiver was added is not told."""
    return (
        change.at >= receiver.created_at
        and (not receiver.event_types or change.type in receiver.event_types)
        and (receiver.instrument_ids is None or change.instrument_id in receiver.instrument_ids)
    )


def _build_deliveries(receiver: Webhook, changes: Sequence[Change], *, at: datetime) -> list[WebhookDelivery]:
    return [
        WebhookDelivery(
            webhook=receiver,
            position=change.position,
            event_type=change.type,
            payload=build_payload(change),
            next_attempt_at=at,
            created_at=at,
        )
        for change in changes
        if wants(receiver, change)
    ]


def _ring(told: set[object], receivers: Sequence[Webhook], *, at: datetime) -> None:
    """A lane that has nothing to do, or only later, has something now; one that pauses goes on pausing."""
    idle = [one.pk for one in receivers if one.pk in told and (one.due_at is None or not one.failures)]
    Webhook.objects.filter(pk__in=idle).update(due_at=at)
