"""Whether a watcher is there, by the server's clock."""

from datetime import datetime

from watchers.choices import OFFLINE_AFTER, WatcherStatus
from watchers.models import Watcher

OFFLINE, ONLINE = "offline", "online"
DISPLAY_STATUSES = [*WatcherStatus.values, OFFLINE]


def is_online(watcher: Watcher, *, at: datetime) -> bool:
    """Active, said to be watching, and heard of within the last five minutes."""
    heard = watcher.last_heartbeat_at is not None and at - watcher.last_heartbeat_at < OFFLINE_AFTER
    return heard and is_expected_online(watcher)


def display_status(watcher: Watcher, *, at: datetime) -> str:
    """What people see: the stored status, or `offline` when it should be watching and is not heard."""
    return OFFLINE if is_expected_online(watcher) and not is_online(watcher, at=at) else watcher.status


def health_status(watcher: Watcher, *, at: datetime) -> str:
    """The shown status in the dashboard's words: one that watches and is heard is `online`."""
    shown = display_status(watcher, at=at)
    return ONLINE if shown == WatcherStatus.WATCHING else shown


def is_expected_online(watcher: Watcher) -> bool:
    return watcher.deleted_at is None and watcher.status == WatcherStatus.WATCHING
