"""A directory of backups, and what one backup is.

DIR/objects/…               the objects of all of them, laid out as the local store lays them out
DIR/20260101T020000Z/       one backup: whole, or not there under this name
    manifest.json           what it is of, and the SHA-256 of the other files
    database.dump           pg_dump's custom format
    objects.jsonl.gz        [key, size, CRC32] of every object, in byte order of the keys
    secret_key              what seals integrations and signs sessions
DIR/unsettled               objects younger than this file may have been cut by a power failure
"""

import fcntl
import gzip
import hashlib
import json
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from files.storage.disk import sync_directory, write_file
from files.storage.local import LocalStore
from files.stored.inventory import ReferencedObject

FORMAT = "ids-backup/1"
MANIFEST_FILE, DUMP_FILE, OBJECTS_FILE, SECRET_FILE = "manifest.json", "database.dump", "objects.jsonl.gz", "secret_key"
BACKUP_NAME = re.compile(r"\d{8}T\d{6}Z")


class BackupError(Exception):
    """Its text is for the person at the terminal: what is wrong, and what to do."""


@dataclass(frozen=True)
class Backup:
    path: Path

    @property
    def name(self) -> str:
        return self.path.name

    def read_manifest(self) -> dict[str, Any]:
        try:
            found: dict[str, Any] = json.loads((self.path / MANIFEST_FILE).read_text())
        except (OSError, ValueError) as problem:
            raise BackupError(f"{self.path / MANIFEST_FILE} cannot be read: {problem}") from None
        if found.get("format") != FORMAT:
            raise BackupError(f"{self.path} is of the format {found.get('format')!r}; this version reads {FORMAT}.")
        return found

    @property
    def is_database_only(self) -> bool:
        return bool(self.read_manifest().get("database_only"))

    def objects(self) -> Iterator[ReferencedObject]:
        with gzip.open(self.path / OBJECTS_FILE, "rt") as lines:
            for line in lines:
                key, size_bytes, crc32 = json.loads(line)
                yield ReferencedObject(key, f"backup {self.name}", True, size_bytes, crc32)

    def find_damaged_file(self) -> str | None:
        """The first of its own files that is not what the manifest says."""
        for name, sha256 in self.read_manifest()["sha256"].items():
            path = self.path / name
            if not path.exists() or digest_of(path) != sha256:
                return name
        return None


@dataclass(frozen=True)
class BackupDirectory:
    path: Path

    @property
    def unsettled_marker(self) -> Path:
        return self.path / "unsettled"

    def open_pool(self) -> LocalStore:
        return LocalStore(root=self.path / "objects", bucket="backup", secret="", base_url="")

    def backups(self) -> list[Backup]:
        """The whole ones, oldest first."""
        found = self.path.iterdir() if self.path.is_dir() else ()
        return [
            Backup(path)
            for path in sorted(found)
            if BACKUP_NAME.fullmatch(path.name) and (path / MANIFEST_FILE).exists()
        ]

    def find_backup(self, name: str | None) -> Backup:
        """The one of this name, else the newest. Raises BackupError."""
        known = {backup.name: backup for backup in self.backups()}
        if not known:
            raise BackupError(f"There is no backup in {self.path}.")
        if name is not None and name not in known:
            raise BackupError(f"There is no backup {name} in {self.path}; there are {', '.join(known)}.")
        return known[name] if name else list(known.values())[-1]

    @contextmanager
    def lock_for_writing(self) -> Iterator[None]:
        """Within it the directory is there, ours, and nobody else writes to it. Raises BackupError."""
        if self.path.is_dir() and any(self.path.iterdir()) and not (self.path / "objects").is_dir():
            raise BackupError(f"{self.path} is neither empty nor a directory of backups: choose another.")
        try:
            (self.path / "objects").mkdir(mode=0o700, parents=True, exist_ok=True)
            self.path.chmod(0o700)
            with (self.path / "lock").open("w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                yield
        except BlockingIOError:
            raise BackupError(f"Another backup is being written to {self.path}.") from None
        except PermissionError as problem:
            raise BackupError(f"{problem.filename} cannot be written: {problem.strerror}.") from None

    @contextmanager
    def new_backup(self, at: datetime) -> Iterator[Backup]:
        """A directory to fill; it becomes a backup when the block ends well, and is gone otherwise."""
        name = at.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")
        part = Backup(self.path / f"{name}.part")
        for left in self.path.glob("*.part"):
            shutil.rmtree(left)
        if (self.path / name).exists():
            raise BackupError(f"There is a backup {name} already: wait a second.")
        part.path.mkdir(mode=0o700)
        try:
            yield part
            part.path.rename(self.path / name)
            sync_directory(self.path)
        except BaseException:
            shutil.rmtree(part.path, ignore_errors=True)
            raise


def write_manifest(backup: Backup, **about: Any) -> None:
    """Last of all: the other files are on disk by then."""
    sums = {}
    for path in sorted(backup.path.iterdir()):
        path.chmod(0o600)
        sums[path.name] = digest_of(path)
        with path.open("rb") as file:
            os.fsync(file.fileno())
    text = json.dumps({"format": FORMAT, **about, "sha256": sums}, indent=1)
    write_file(backup.path / MANIFEST_FILE, text.encode())
    (backup.path / MANIFEST_FILE).chmod(0o600)


def digest_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
