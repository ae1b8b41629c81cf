"""Whether a watcher is there, by the server's clock."""

from datetime import datetime

from watchers.models import Watcher
from watchers.vocabulary import OFFLINE_AFTER, WatcherStatus

OFFLINE, ONLINE = "offline", "online"
SHOWN_STATUSES = [*WatcherStatus.values, OFFLINE]


def is_online(watcher: Watcher, *, at: datetime) -> bool:
    """Active, said to be watching, and heard of within the last five minutes."""
    heard = watcher.last_heartbeat_at is not None and at - watcher.last_heartbeat_at < OFFLINE_AFTER
    return heard and should_watch(watcher)


def shown_status(watcher: Watcher, *, at: datetime) -> str:
    """What people see: the stored status, or `offline` when it should be watching and is not heard."""
    return OFFLINE if should_watch(watcher) and not is_online(watcher, at=at) else watcher.status


def health_of(watcher: Watcher, *, at: datetime) -> str:
    """The shown status in the dashboard's words: one that watches and is heard is `online`."""
    shown = shown_status(watcher, at=at)
    return ONLINE if shown == WatcherStatus.WATCHING else shown


def should_watch(watcher: Watcher) -> bool:
    return watcher.deleted_at is None and watcher.status == WatcherStatus.WATCHING
