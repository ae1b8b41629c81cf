"""Taking a backup while the service works.

First nothing may be removed from the store (files.removing.lock), then one moment of the database is dumped and its
list of objects written down, then the objects are copied. Objects are never changed, so all that the moment knew are
there.
"""

import gzip
import heapq
import json
import shutil
from collections.abc import Iterator
from dataclasses import astuple, dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from django.conf import settings

from files.removing.lock import hold_removals
from files.storage import object_store
from files.storage.bulk_import import flush_to_disk
from files.storage.disk import write_file
from files.storage.interface import StoredObjects
from files.stored.inventory import ReferencedObject
from operations.backup import database
from operations.backup.backup_directory import (
    DUMP_FILE,
    OBJECTS_FILE,
    SECRET_FILE,
    Backup,
    BackupDirectory,
    BackupError,
    write_manifest,
)
from operations.backup.copying import CopyResult, ObjectCollector
from operations.backup.parallel import map_in_parallel
from operations.progress import Progress
from operations.reconciliation.comparison import Difference
from operations.reconciliation.inventory import by_key, count_named_objects, list_named_objects, pair_objects
from wire.clock import format_timestamp

MAX_DIFFERENCES_KEPT = 1_000  # are written down


@dataclass
class BackupResult:
    """`copied` of the objects were new to the directory."""

    name: str = ""
    objects: int = 0
    size_bytes: int = 0
    copied: int = 0
    copied_bytes: int = 0
    differences: list[Difference] = field(default_factory=list)

    def add(self, copied: CopyResult) -> None:
        self.differences += copied.differences
        if copied.entry is not None:
            size_bytes = copied.entry.size_bytes or 0
            self.objects += 1
            self.size_bytes += size_bytes
            self.copied += copied.is_new
            self.copied_bytes += size_bytes * copied.is_new


def take_backup(place: BackupDirectory, store: StoredObjects, *, at: datetime) -> BackupResult:
    """Raises BackupError, StoreUnavailable; what was copied by then is not copied again the next time."""
    with place.lock_for_writing(), place.new_backup(at) as backup:
        named = backup.path / "named.gz"
        with hold_removals() as holds:
            with database.export_snapshot() as moment:
                about = database.describe_database()
                database.dump_database(backup.path / DUMP_FILE, snapshot=moment)
                _write_named_objects(named)
            taken = _copy_objects(place, backup, store, named)
            if not holds():
                raise BackupError("The connection to the database was lost, so objects may have gone: begin again.")
        named.unlink()
        taken.name = backup.name.removesuffix(".part")
        _write_secret(backup)
        write_manifest(backup, made_at=format_timestamp(at), **about, **_describe_result(taken, bucket=store.bucket))
    return taken


def take_database_backup(place: BackupDirectory, *, at: datetime) -> BackupResult:
    """For stores that are copied by other means, versions or a replica. Raises BackupError."""
    with place.lock_for_writing(), place.new_backup(at) as backup:
        with database.export_snapshot() as moment:
            about = database.describe_database()
            database.dump_database(backup.path / DUMP_FILE, snapshot=moment)
        with gzip.open(backup.path / OBJECTS_FILE, "wt"):
            pass
        taken = BackupResult(name=backup.name.removesuffix(".part"))
        _write_secret(backup)
        described = _describe_result(taken, bucket=object_store().bucket)
        write_manifest(backup, made_at=format_timestamp(at), **about, **described, database_only=True)
    return taken


def plan_backup(place: BackupDirectory, store: StoredObjects) -> BackupResult:
    """What a backup would copy now; nothing is written."""
    collector, taken = (
        ObjectCollector(store, place.open_pool(), unsettled_marker=place.unsettled_marker),
        BackupResult(),
    )
    with Progress("objects", total=count_named_objects()) as progress:
        for pair in pair_objects(list_named_objects(), store.list()):
            if pair.names and pair.stored:
                entry = ReferencedObject(pair.key, "", True, pair.stored.size_bytes)
                taken.add(CopyResult(entry, not collector.has_copy(pair), ()))
                progress.add(size_bytes=pair.stored.size_bytes)
    return taken


def prune_backups(place: BackupDirectory, *, keep: int) -> list[str]:
    """Remove all but the newest backups and the objects that none of those has; the names of the removed ones."""
    with place.lock_for_writing():
        gone = place.backups()[:-keep]
        for backup in gone:
            shutil.rmtree(backup.path)
        pool = place.open_pool()
        kept = heapq.merge(*(backup.objects() for backup in place.backups()), key=by_key)
        for pair in pair_objects(kept, pool.list()) if gone else ():
            if not pair.names:
                pool.delete(pair.key)
    return [backup.name for backup in gone]


def _copy_objects(place: BackupDirectory, backup: Backup, store: StoredObjects, named: Path) -> BackupResult:
    pool, taken = place.open_pool(), BackupResult()
    collector = ObjectCollector(store, pool, unsettled_marker=place.unsettled_marker)
    if not place.unsettled_marker.exists():
        write_file(place.unsettled_marker, b"")
    pairs = (pair for pair in pair_objects(_read_named_objects(named), store.list()) if pair.names)
    with (
        Progress("objects", total=count_named_objects()) as progress,
        gzip.open(backup.path / OBJECTS_FILE, "wt", compresslevel=1) as lines,
    ):
        for copied in map_in_parallel(collector.collect, pairs):
            taken.add(copied)
            if copied.entry is not None:
                entry = copied.entry
                print(json.dumps([entry.key, entry.size_bytes, entry.crc32]), file=lines)
            progress.set(taken.objects, size_bytes=taken.size_bytes)
    flush_to_disk(pool)
    place.unsettled_marker.unlink()
    return taken


def _write_named_objects(path: Path) -> None:
    """The moment's rows, written down: its transaction must not last as long as the copying."""
    with gzip.open(path, "wt", compresslevel=1) as lines:
        for one in list_named_objects():
            print(json.dumps(astuple(one)), file=lines)


def _read_named_objects(path: Path) -> Iterator[ReferencedObject]:
    with gzip.open(path, "rt") as lines:
        for line in lines:
            yield ReferencedObject(*json.loads(line))


def _write_secret(backup: Backup) -> None:
    secret = backup.path / SECRET_FILE
    secret.touch(mode=0o600)
    secret.write_text(settings.SECRET_KEY)


def _describe_result(taken: BackupResult, *, bucket: str) -> dict[str, Any]:
    differences = [[one.kind, one.key, one.owner] for one in taken.differences[:MAX_DIFFERENCES_KEPT]]
    return {
        "version": settings.VERSION,
        "bucket": bucket,
        "objects": taken.objects,
        "size_bytes": taken.size_bytes,
        "copied": taken.copied,
        "copied_bytes": taken.copied_bytes,
        "differences": differences,
    }
