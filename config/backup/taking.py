"""Taking a backup while the service works.

First nothing may be removed from the store (files.removal), then one moment of the database is dumped and its list of
objects written down, then the objects are copied. Objects are never changed, so all that the moment knew are there.
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

from config.backup import database
from config.backup.copying import Collector, Copied
from config.backup.place import DUMP, OBJECTS, SECRET, Backup, BackupError, Place, write_manifest
from config.backup.side_by_side import side_by_side
from files.inventory import NamedObject
from files.removal import hold_removals
from files.storage.bulk import settle
from files.storage.disk import write_file
from files.storage.port import ObjectStore
from overview.inventory import by_key, count_named, named_objects, pair_up
from overview.reconciliation import Difference
from wire.clock import stamp
from wire.progress import Progress

MOST_DIFFERENCES = 1_000  # are written down


@dataclass
class Taken:
    """`copied` of the objects were new to the directory."""

    name: str = ""
    objects: int = 0
    size_bytes: int = 0
    copied: int = 0
    copied_bytes: int = 0
    differences: list[Difference] = field(default_factory=list)

    def add(self, copied: Copied) -> None:
        self.differences += copied.differences
        if copied.entry is not None:
            size_bytes = copied.entry.size_bytes or 0
            self.objects += 1
            self.size_bytes += size_bytes
            self.copied += copied.is_new
            self.copied_bytes += size_bytes * copied.is_new


def take_backup(place: Place, store: ObjectStore, *, at: datetime) -> Taken:
    """Raises BackupError, StoreUnavailable; what was copied by then is not copied again the next time."""
    with place.prepared(), place.new_backup(at) as backup:
        named = backup.path / "named.gz"
        with hold_removals() as holds:
            with database.snapshot() as moment:
                about = database.describe()
                database.dump_database(backup.path / DUMP, snapshot=moment)
                _write_named(named)
            taken = _copy_objects(place, backup, store, named)
            if not holds():
                raise BackupError("The connection to the database was lost, so objects may have gone: begin again.")
        named.unlink()
        taken.name = backup.name.removesuffix(".part")
        _write_secret(backup)
        write_manifest(backup, made_at=stamp(at), **about, **_described(taken, store))
    return taken


def plan_backup(place: Place, store: ObjectStore) -> Taken:
    """What a backup would copy now; nothing is written."""
    collector, taken = Collector(store, place.pool(), unsettled=place.unsettled), Taken()
    with Progress("objects", total=count_named()) as progress:
        for pair in pair_up(named_objects(), store.list()):
            if pair.names and pair.stored:
                entry = NamedObject(pair.key, "", True, pair.stored.size_bytes)
                taken.add(Copied(entry, not collector.has(pair), ()))
                progress.add(size_bytes=pair.stored.size_bytes)
    return taken


def prune(place: Place, *, keep: int) -> list[str]:
    """Remove all but the newest backups and the objects that none of those has; the names of the removed ones."""
    with place.prepared():
        gone = place.backups()[:-keep]
        for backup in gone:
            shutil.rmtree(backup.path)
        pool = place.pool()
        kept = heapq.merge(*(backup.objects() for backup in place.backups()), key=by_key)
        for pair in pair_up(kept, pool.list()) if gone else ():
            if not pair.names:
                pool.delete(pair.key)
    return [backup.name for backup in gone]


def _copy_objects(place: Place, backup: Backup, store: ObjectStore, named: Path) -> Taken:
    pool, taken = place.pool(), Taken()
    collector = Collector(store, pool, unsettled=place.unsettled)
    if not place.unsettled.exists():
        write_file(place.unsettled, b"")
    pairs = (pair for pair in pair_up(_read_named(named), store.list()) if pair.names)
    with (
        Progress("objects", total=count_named()) as progress,
        gzip.open(backup.path / OBJECTS, "wt", compresslevel=1) as lines,
    ):
        for copied in side_by_side(collector.collect, pairs):
            taken.add(copied)
            if copied.entry is not None:
                entry = copied.entry
                print(json.dumps([entry.key, entry.size_bytes, entry.crc32]), file=lines)
            progress.set(taken.objects, size_bytes=taken.size_bytes)
    settle(pool)
    place.unsettled.unlink()
    return taken


def _write_named(path: Path) -> None:
    """The moment's rows, written down: its transaction must not last as long as the copying."""
    with gzip.open(path, "wt", compresslevel=1) as lines:
        for one in named_objects():
            print(json.dumps(astuple(one)), file=lines)


def _read_named(path: Path) -> Iterator[NamedObject]:
    with gzip.open(path, "rt") as lines:
        for line in lines:
            yield NamedObject(*json.loads(line))


def _write_secret(backup: Backup) -> None:
    secret = backup.path / SECRET
    secret.touch(mode=0o600)
    secret.write_text(settings.SECRET_KEY)


def _described(taken: Taken, store: ObjectStore) -> dict[str, Any]:
    differences = [[one.kind, one.key, one.owner] for one in taken.differences[:MOST_DIFFERENCES]]
    return {
        "version": settings.VERSION,
        "bucket": store.bucket,
        "objects": taken.objects,
        "size_bytes": taken.size_bytes,
        "copied": taken.copied,
        "copied_bytes": taken.copied_bytes,
        "differences": differences,
    }
