"""What watchers announce, inside the transaction that notes it; each transition once."""

from django.dispatch import Signal

watcher_went_offline = Signal()  # watcher: Watcher, at: datetime
watcher_came_online = Signal()  # watcher: Watcher, at: datetime
