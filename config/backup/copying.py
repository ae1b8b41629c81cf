"""Objects on their way into a backup's pool, and out of it. Keys are never reused, so one copy of a key is enough."""

import time
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO, cast

from config.backup.place import BackupError
from files.inventory import NamedObject
from files.media import OCTETS
from files.storage.bulk import bring_in
from files.storage.layout import look_at
from files.storage.local import LocalStore
from files.storage.port import (
    BytesRefused,
    ObjectExists,
    ObjectMissing,
    ObjectStore,
    StoredObject,
    StoreFull,
    StoreUnavailable,
)
from overview.inventory import Pair
from overview.reconciliation import NEVER, Difference, Kind, RunningSums, Sums, Suspect, examine, sums_of

ATTEMPTS = 3  # to read an object; stores and networks hiccup
PAUSE_SECONDS = 2.0


@dataclass(frozen=True)
class Copied:
    """What became of one key. `entry` is None where there was nothing to copy."""

    entry: NamedObject | None
    is_new: bool
    differences: tuple[Difference, ...]


class Collector:
    """Brings what rows name from the service's store into the pool."""

    def __init__(self, store: ObjectStore, pool: LocalStore, *, unsettled: Path) -> None:
        self.store, self.pool = store, pool
        self.trusted_before = _time_of(unsettled)

    def has(self, pair: Pair) -> bool:
        """Whether the pool has these bytes already: by key, size and checksum."""
        return self._is_copy(self._kept(pair.key), pair)

    def collect(self, pair: Pair) -> Copied:
        if pair.stored is None:
            return Copied(None, False, tuple(examine(Suspect(pair, None), orphaned=NEVER)))
        kept = self._kept(pair.key)
        if kept is not None and self._is_copy(kept, pair):
            return Copied(_entry(pair.key, kept.size_bytes, kept.crc32), False, ())
        try:
            if kept is not None:
                self.pool.delete(pair.key)
            sums = self._fetch(pair.stored)
        except ObjectMissing:
            return self.collect(replace(pair, stored=None))
        except (StoreUnavailable, BytesRefused) as problem:
            self.store.check()
            self._refuse_own_fault(pair.key, problem)
            unreadable = (Difference(Kind.UNREADABLE, pair.key, name.owner) for name in pair.names)
            return Copied(None, False, tuple(unreadable))
        wrong = tuple(examine(Suspect(pair, sums), orphaned=NEVER))
        return Copied(_entry(pair.key, sums.size_bytes, sums.crc32), True, wrong)

    def _kept(self, key: str) -> StoredObject | None:
        return look_at(self.pool.layout.object(key), key)

    def _is_copy(self, kept: StoredObject | None, pair: Pair) -> bool:
        if kept is None or kept.is_damaged or pair.stored is None or kept.size_bytes != pair.stored.size_bytes:
            return False
        expected = {pair.stored.crc32, *(name.crc32 for name in pair.names)} - {None}
        if expected - {kept.crc32}:
            return False
        if self.trusted_before is None or kept.modified_at < self.trusted_before:
            return True
        with self.pool.open_range(pair.key) as source:
            return sums_of(source).crc32 == kept.crc32

    def _fetch(self, stored: StoredObject) -> Sums:
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return self._fetch_once(stored)
            except (StoreUnavailable, BytesRefused) as problem:
                if attempt == ATTEMPTS or isinstance(problem, StoreFull):
                    raise
                time.sleep(PAUSE_SECONDS)
        raise AssertionError

    def _refuse_own_fault(self, key: str, problem: Exception) -> None:
        """Raises BackupError where the object reads well, so that it is the directory that cannot be written."""
        try:
            with self.store.open_range(key) as source:
                sums_of(source)
        except (StoreUnavailable, ObjectMissing):
            return
        where = self.pool.layout.root.parent
        raise BackupError(f"{where} is full." if isinstance(problem, StoreFull) else f"{where}: {problem}") from None

    def _fetch_once(self, stored: StoredObject) -> Sums:
        content_type = stored.content_type or OCTETS
        with self.store.open_range(stored.key) as source:
            summed = RunningSums(source)
            bring_in(
                self.pool, stored.key, cast(BinaryIO, summed), size_bytes=stored.size_bytes, content_type=content_type
            )
        return summed.sums()


class Returner:
    """Brings the objects of a backup back into the service's store."""

    def __init__(self, pool: LocalStore, store: ObjectStore) -> None:
        self.pool, self.store = pool, store

    def bring_back(self, entry: NamedObject) -> Difference | None:
        """The bytes are checked on the way; other bytes than the backup's list says are not brought back."""
        kept = look_at(self.pool.layout.object(entry.key), entry.key)
        if kept is None:
            return Difference(Kind.MISSING, entry.key, entry.owner)
        try:
            with self.pool.open_data(entry.key) as source, suppress(ObjectExists):
                bring_in(
                    self.store,
                    entry.key,
                    source,
                    size_bytes=entry.size_bytes or 0,
                    content_type=kept.content_type or OCTETS,
                    crc32=entry.crc32,
                )
        except BytesRefused:
            return Difference(Kind.WRONG_CHECKSUM, entry.key, entry.owner, entry.crc32)
        return None


def _entry(key: str, size_bytes: int, crc32: str | None) -> NamedObject:
    return NamedObject(key, "backup", True, size_bytes, crc32)


def _time_of(marker: Path) -> datetime | None:
    try:
        return datetime.fromtimestamp(marker.stat().st_mtime, UTC)
    except FileNotFoundError:
        return None
