"""Watchers that went offline or came back online: found by a sweep, announced once."""

import logging
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.dispatch import Signal

from watchers.choices import OFFLINE_AFTER, WatcherStatus
from watchers.models import Watcher, WatcherQuerySet
from watchers.signals import watcher_came_online, watcher_went_offline

log = logging.getLogger(__name__)


def announce_transitions(*, at: datetime, listening_since: datetime | None = None) -> int:
    """Announce every watcher whose liveness differs from what was announced last; how many those are.

    `listening_since` is when the service itself came up: until it has listened for as long as a silence must last,
    nobody is called silent.
    """
    Watcher.objects.filter(offline_announced_at__isnull=False).exclude(status=WatcherStatus.WATCHING).update(
        offline_announced_at=None
    )  # these stopped on purpose: neither offline nor back
    back = Watcher.objects.online(at).filter(offline_announced_at__isnull=False)
    told = announce_each(back, watcher_came_online, mark={"offline_announced_at": None}, at=at)
    if listening_since is None or at - listening_since >= OFFLINE_AFTER:
        silent = Watcher.objects.offline(at).filter(offline_announced_at__isnull=True)
        told += announce_each(silent, watcher_went_offline, mark={"offline_announced_at": at}, at=at)
    return told


def announce_each(watchers: WatcherQuerySet, signal: Signal, *, mark: dict[str, datetime | None], at: datetime) -> int:
    """Each in a transaction of its own, marked so that it is found once; how many those were.

    One that fails is tried again by the next sweep and holds up no other.
    """
    told = 0
    for watcher_id in watchers.values_list("pk", flat=True):
        try:
            told += _announce_one(watchers, watcher_id, signal, mark=mark, at=at)
        except Exception:
            log.exception("a transition could not be announced", extra={"watcher_id": str(watcher_id)})
    return told


@transaction.atomic
def _announce_one(
    watchers: WatcherQuerySet, watcher_id: UUID, signal: Signal, *, mark: dict[str, datetime | None], at: datetime
) -> bool:
    """False where another sweep was first, or where it is not so any more."""
    if watchers.select_for_update(no_key=True, of=("self",)).filter(pk=watcher_id).first() is None:
        return False
    Watcher.objects.filter(pk=watcher_id).update(**mark)
    signal.send(Watcher, watcher=Watcher.objects.with_details().get(pk=watcher_id), at=at)
    return True
