"""Bringing a backup back into an empty service: the objects first, the database last and in one transaction.

A restore that was cut off leaves a database without tables and is simply begun again.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from files.integrity.verification import compute_checksums
from files.storage.bulk_import import flush_to_disk
from files.storage.interface import ObjectMissing, ObjectStore, StoreUnavailable
from operations.backup import database
from operations.backup.backup_directory import DUMP_FILE, SECRET_FILE, Backup, BackupDirectory, BackupError
from operations.backup.copying import ObjectRestorer
from operations.backup.parallel import map_in_parallel
from operations.progress import Progress
from operations.reconciliation.comparison import (
    NEVER,
    Difference,
    DifferenceKind,
    Suspect,
    list_differences,
)
from operations.reconciliation.inventory import Pair, pair_objects


@dataclass
class RestoreResult:
    objects: int = 0
    size_bytes: int = 0
    differences: list[Difference] = field(default_factory=list)


def check_backup(place: BackupDirectory, backup: Backup) -> RestoreResult:
    """Read all of it and compare with its own list; nothing is written."""
    refuse_damaged(backup)
    pool, seen = place.open_pool(), RestoreResult()
    pairs = (pair for pair in pair_objects(backup.objects(), pool.list()) if pair.names)

    def look_at(pair: Pair) -> tuple[Pair, list[Difference]]:
        if pair.stored is None or pair.stored.is_damaged:
            return pair, list(list_differences(Suspect(pair, None), orphaned_before=NEVER))
        try:
            with pool.open_range(pair.key) as source:
                return pair, list(list_differences(Suspect(pair, compute_checksums(source)), orphaned_before=NEVER))
        except (StoreUnavailable, ObjectMissing):
            return pair, [Difference(DifferenceKind.UNREADABLE, pair.key, pair.names[0].owner)]

    with Progress("reading", total=backup.read_manifest()["objects"]) as progress:
        for pair, differences in map_in_parallel(look_at, pairs):
            seen.objects += 1
            seen.size_bytes += pair.stored.size_bytes if pair.stored else 0
            seen.differences += differences
            progress.set(seen.objects, size_bytes=seen.size_bytes)
    return seen


def restore_backup(
    place: BackupDirectory, backup: Backup, store: ObjectStore, *, secret: Path, privileges: bool, keep_objects: bool
) -> RestoreResult:
    """Raises BackupError before anything is written where the backup or the service it goes to is not fit."""
    refuse_damaged(backup)
    refuse_unfit(backup.read_manifest(), privileges=privileges)
    refuse_other_objects(backup, store, keep_objects=keep_objects)
    done, returner = RestoreResult(), ObjectRestorer(place.open_pool(), store)
    _write_secret(secret, (backup.path / SECRET_FILE).read_text())
    with Progress("objects", total=backup.read_manifest()["objects"]) as progress:
        for entry, difference in map_in_parallel(lambda one: (one, returner.restore_object(one)), backup.objects()):
            done.objects += difference is None
            done.size_bytes += (entry.size_bytes or 0) * (difference is None)
            done.differences += [difference] if difference else []
            progress.set(done.objects, size_bytes=done.size_bytes)
    flush_to_disk(store)
    database.restore_database(backup.path / DUMP_FILE, privileges=privileges)
    return done


def refuse_damaged(backup: Backup) -> None:
    if damaged := backup.find_damaged_file():
        raise BackupError(f"{backup.path / damaged} is not what was backed up: use another backup (--backup NAME).")


def refuse_unfit(manifest: dict[str, Any], *, privileges: bool) -> None:
    """Raises BackupError where the database here is not empty, too old, or lacks roles; or this service is too old."""
    if not database.is_empty():
        raise BackupError("The database is not empty. Restore into a new data directory (--data) or an empty database.")
    if manifest["postgres"] // 10_000 > database.server_version() // 10_000:
        major = manifest["postgres"] // 10_000
        raise BackupError(f"The backup is of PostgreSQL {major}; this server is older.")
    if unknown := database.list_unknown_migrations(manifest["migrations"]):
        raise BackupError(f"The backup is of a newer version of the service, which knows {unknown[0]}: upgrade first.")
    if privileges and (missing := database.list_missing_roles(manifest["roles"])):
        roles = ", ".join(missing)
        raise BackupError(f"These roles are not there: {roles}. Create them, or restore with --no-privileges.")


def refuse_other_objects(backup: Backup, store: ObjectStore, *, keep_objects: bool) -> None:
    """Raises BackupError where the store has objects that the backup does not, or other bytes under its keys."""
    if next(islice(store.list(), 1), None) is None or backup.is_database_only:
        return
    for pair in pair_objects(backup.objects(), store.list()):
        if pair.names and pair.stored and any(_find_differences(pair)):
            raise BackupError(f"The store has other bytes under {pair.key} than the backup: restore into an empty one.")
        if not pair.names and not keep_objects:
            raise BackupError(
                f"The store is not empty: {pair.key} is not in the backup. Restore into an empty one, or keep what is "
                "there with --keep-objects."
            )


def _find_differences(pair: Pair) -> Iterator[Difference]:
    return list_differences(Suspect(pair, None), orphaned_before=NEVER)


def _write_secret(path: Path, secret: str) -> None:
    """For the service that starts here next; where SECRET_KEY is set, that one counts."""
    part = path.with_name(f"{path.name}.{os.getpid()}")
    part.touch(mode=0o600)
    part.write_text(secret)
    part.replace(path)
