"""Objects on their way into a backup's pool, and out of it. Keys are never reused, so one copy of a key is enough."""

import time
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO, cast

from files.integrity.verification import ChecksumReader, Checksums, compute_checksums
from files.media_types import OCTET_STREAM
from files.storage.bulk_import import import_object
from files.storage.interface import (
    BytesRefused,
    ObjectExists,
    ObjectMissing,
    ObjectStore,
    StoredObject,
    StoredObjects,
    StoreFull,
    StoreUnavailable,
)
from files.storage.layout import inspect_object
from files.storage.local import LocalStore
from files.stored.inventory import ReferencedObject
from operations.backup.backup_directory import BackupError
from operations.reconciliation.comparison import (
    NEVER,
    Difference,
    DifferenceKind,
    Suspect,
    list_differences,
)
from operations.reconciliation.inventory import Pair

MAX_ATTEMPTS = 3  # to read an object; stores and networks hiccup
RETRY_DELAY_SECONDS = 2.0


@dataclass(frozen=True)
class CopyResult:
    """What became of one key. `entry` is None where there was nothing to copy."""

    entry: ReferencedObject | None
    is_new: bool
    differences: tuple[Difference, ...]


class ObjectCollector:
    """Brings what rows name from the service's store into the pool."""

    def __init__(self, store: StoredObjects, pool: LocalStore, *, unsettled_marker: Path) -> None:
        self.store, self.pool = store, pool
        self.trusted_before = _read_modified_at(unsettled_marker)

    def has_copy(self, pair: Pair) -> bool:
        """Whether the pool has these bytes already: by key, size and checksum."""
        return self._is_copy(self._find_in_pool(pair.key), pair)

    def collect(self, pair: Pair) -> CopyResult:
        if pair.stored is None:
            return CopyResult(None, False, tuple(list_differences(Suspect(pair, None), orphaned_before=NEVER)))
        kept = self._find_in_pool(pair.key)
        if kept is not None and self._is_copy(kept, pair):
            return CopyResult(_build_entry(pair.key, kept.size_bytes, kept.crc32), False, ())
        try:
            if kept is not None:
                self.pool.delete(pair.key)
            sums = self._fetch(pair.stored)
        except ObjectMissing:
            return self.collect(replace(pair, stored=None))
        except (StoreUnavailable, BytesRefused) as problem:
            self.store.check()
            self._refuse_own_fault(pair.key, problem)
            unreadable = (Difference(DifferenceKind.UNREADABLE, pair.key, name.owner) for name in pair.names)
            return CopyResult(None, False, tuple(unreadable))
        wrong = tuple(list_differences(Suspect(pair, sums), orphaned_before=NEVER))
        return CopyResult(_build_entry(pair.key, sums.size_bytes, sums.crc32), True, wrong)

    def _find_in_pool(self, key: str) -> StoredObject | None:
        return inspect_object(self.pool.layout.object_directory(key), key)

    def _is_copy(self, kept: StoredObject | None, pair: Pair) -> bool:
        if kept is None or kept.is_damaged or pair.stored is None or kept.size_bytes != pair.stored.size_bytes:
            return False
        expected = {pair.stored.crc32, *(name.crc32 for name in pair.names)} - {None}
        if expected - {kept.crc32}:
            return False
        if self.trusted_before is None or kept.modified_at < self.trusted_before:
            return True
        with self.pool.open_range(pair.key) as source:
            return compute_checksums(source).crc32 == kept.crc32

    def _fetch(self, stored: StoredObject) -> Checksums:
        for attempt in range(1, MAX_ATTEMPTS + 1):
            try:
                return self._fetch_once(stored)
            except (StoreUnavailable, BytesRefused) as problem:
                if attempt == MAX_ATTEMPTS or isinstance(problem, StoreFull):
                    raise
                time.sleep(RETRY_DELAY_SECONDS)
        raise AssertionError

    def _refuse_own_fault(self, key: str, problem: Exception) -> None:
        """Raises BackupError where the object reads well, so that it is the directory that cannot be written."""
        try:
            with self.store.open_range(key) as source:
                compute_checksums(source)
        except (StoreUnavailable, ObjectMissing):
            return
        where = self.pool.layout.root.parent
        raise BackupError(f"{where} is full." if isinstance(problem, StoreFull) else f"{where}: {problem}") from None

    def _fetch_once(self, stored: StoredObject) -> Checksums:
        content_type = stored.content_type or OCTET_STREAM
        with self.store.open_range(stored.key) as source:
            summed = ChecksumReader(source)
            import_object(
                self.pool, stored.key, cast(BinaryIO, summed), size_bytes=stored.size_bytes, content_type=content_type
            )
        return summed.sums()


class ObjectRestorer:
    """Brings the objects of a backup back into the service's store."""

    def __init__(self, pool: LocalStore, store: ObjectStore) -> None:
        self.pool, self.store = pool, store

    def restore_object(self, entry: ReferencedObject) -> Difference | None:
        """The bytes are checked on the way; other bytes than the backup's list says are not brought back."""
        kept = inspect_object(self.pool.layout.object_directory(entry.key), entry.key)
        if kept is None:
            return Difference(DifferenceKind.MISSING, entry.key, entry.owner)
        try:
            with self.pool.open_data(entry.key) as source, suppress(ObjectExists):
                import_object(
                    self.store,
                    entry.key,
                    source,
                    size_bytes=entry.size_bytes or 0,
                    content_type=kept.content_type or OCTET_STREAM,
                    crc32=entry.crc32,
                )
        except BytesRefused:
            return Difference(DifferenceKind.WRONG_CHECKSUM, entry.key, entry.owner, entry.crc32)
        return None


def _build_entry(key: str, size_bytes: int, crc32: str | None) -> ReferencedObject:
    return ReferencedObject(key, "backup", True, size_bytes, crc32)


def _read_modified_at(marker: Path) -> datetime | None:
    try:
        return datetime.fromtimestamp(marker.stat().st_mtime, UTC)
    except FileNotFoundError:
        return None
