"""What the database tells the log of watchers: never a heartbeat."""

import pgtrigger

from changes.triggers import change_trigger, record_sql


def record_watcher(kind: str) -> str:
    return record_sql(kind, instrument="NEW.instrument_id", watcher="NEW.id")


ON_WATCHERS = [
    change_trigger("record_new_watcher", operation=pgtrigger.Insert, func=record_watcher("'watcher.registered'")),
    change_trigger(
        "record_silent_watcher",
        operation=pgtrigger.UpdateOf("offline_announced_at"),
        condition="OLD.offline_announced_at IS NULL AND NEW.offline_announced_at IS NOT NULL",
        func=record_watcher("'watcher.offline'"),
    ),
    change_trigger(
        "record_watcher_back",
        operation=pgtrigger.UpdateOf("offline_announced_at"),
        condition="OLD.offline_announced_at IS NOT NULL AND NEW.offline_announced_at IS NULL"
        " AND NEW.status = 'watching' AND NEW.deleted_at IS NULL",
        func=record_watcher("'watcher.online'"),
    ),
]
