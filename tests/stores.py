"""Object stores that several tests use, one after the other."""

from datetime import UTC, datetime, timedelta

from files.storage.port import ObjectStore


def empty(store: ObjectStore) -> None:
    store.sweep_leftovers(before=datetime.now(UTC) + timedelta(days=1))
    for stored in list(store.list()):
        store.delete(stored.key)
