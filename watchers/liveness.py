"""Who fell silent and who came back: found by a sweep, told once."""

import logging
from datetime import datetime

from django.db import transaction
from django.dispatch import Signal

from watchers.models import Watcher, WatcherQuerySet
from watchers.signals import watcher_came_online, watcher_went_offline
from watchers.vocabulary import OFFLINE_AFTER, WatcherStatus

log = logging.getLogger(__name__)


def sweep(*, at: datetime, listening_since: datetime | None = None) -> int:
    """Announce every watcher whose liveness is not what was told of it; how many those are.

    `listening_since` is when the service itself came up: until it has listened for as long as a silence must last,
    nobody is called silent.
    """
    Watcher.objects.filter(offline_announced_at__isnull=False).exclude(status=WatcherStatus.WATCHING).update(
        offline_announced_at=None
    )  # these said goodbye: neither silent nor back
    back = Watcher.objects.online(at).filter(offline_announced_at__isnull=False)
    told = _announce(back, watcher_came_online, mark=None, at=at)
    if listening_since is None or at - listening_since >= OFFLINE_AFTER:
        silent = Watcher.objects.offline(at).filter(offline_announced_at__isnull=True)
        told += _announce(silent, watcher_went_offline, mark=at, at=at)
    return told


def _announce(watchers: WatcherQuerySet, signal: Signal, *, mark: datetime | None, at: datetime) -> int:
    """Each in a transaction of its own: one that fails is tried again by the next sweep and holds up no other."""
    told = 0
    for watcher_id in watchers.values_list("pk", flat=True):
        try:
            with transaction.atomic():
                if watchers.filter(pk=watcher_id).update(offline_announced_at=mark):
                    signal.send(Watcher, watcher=Watcher.objects.described().get(pk=watcher_id), at=at)
                    told += 1
        except Exception:
            log.exception("a transition could not be announced", extra={"watcher_id": str(watcher_id)})
    return told
