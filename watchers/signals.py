"""What watchers announce, inside the transaction that notes it; each transition once."""

from django.dispatch import Signal

watcher_went_offline = Signal()  # watcher: Watcher, at: datetime
watcher_came_online = Signal()  # watcher: Watcher, at: datetime
watcher_taken_over = Signal()  # watcher: Watcher as it was, hostname: str of the new computer, at: datetime
folder_went_away = Signal()  # watcher: Watcher, at: datetime
files_went_missing = Signal()  # watcher: Watcher, at: datetime
instance_conflict_noticed = Signal()  # watcher: Watcher, at: datetime
