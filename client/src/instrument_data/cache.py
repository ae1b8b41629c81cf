"""Files that were fetched once, by the SHA-256 of their bytes. Several processes may use one cache."""

from __future__ import annotations

import errno
import hashlib
import os
import re
import shutil
import sys
import tempfile
import time
import uuid
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import platformdirs

from instrument_data.credentials import APP

CACHE = "IDS_DATA_CACHE"
PIECE = 1 << 20
UNSAFE = re.compile(r'[<>:"/\\|?*\x00-\x1f]')
RESERVED = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?")  # of Windows
DAY_SECONDS = 86_400
KEPT = "[!.]*"  # no drafts


class Sums:
    """Size, SHA-256 and CRC32 of what passes through."""

    def __init__(self) -> None:
        self.size, self._crc, self._digest = 0, 0, hashlib.sha256()

    def add(self, piece: bytes) -> None:
        self.size += len(piece)
        self._crc = zlib.crc32(piece, self._crc)
        self._digest.update(piece)

    @property
    def sha256(self) -> str:
        return self._digest.hexdigest()

    @property
    def crc32(self) -> str:
        return f"{self._crc:08x}"


@dataclass(frozen=True)
class Cache:
    """`<root>/<first two>/<sha256>/<file name>`: a path keeps its file's name, for readers that look at endings."""

    root: Path

    def find(self, sha256: str, name: str, *, size: int | None) -> Path | None:
        """The kept file under this name. Bytes that are there under another one get a second name.

        Of another size it is none: a power cut leaves files without their bytes.
        """
        folder, wanted = self._folder(sha256), safe_name(name)
        place = folder / wanted
        if _is_whole(place, size):
            self._note_use(place)
            return place
        _remove(place)
        other = next((one for one in folder.glob(KEPT) if _is_whole(one, size)), None)
        return None if other is None else self._name_again(other, place)

    def keep(self, draft: Path, sha256: str, name: str) -> Path:
        """Move a complete file of these bytes into its place."""
        place = self._folder(sha256) / safe_name(name)
        place.parent.mkdir(parents=True, exist_ok=True)
        draft.chmod(0o444)  # a script that writes into it would change what others believe is verified
        try:
            draft.replace(place)
        except PermissionError:  # Windows, where another program keeps the same bytes or reads them
            if not _is_whole(place, draft.stat().st_size):
                raise
        return place

    @contextmanager
    def draft(self) -> Iterator[tuple[BinaryIO, Path]]:
        """A file to write to, which is gone afterwards unless it was kept."""
        self.root.mkdir(parents=True, exist_ok=True)
        number, name = tempfile.mkstemp(dir=self.root, prefix="draft-")
        path = Path(name)
        try:
            with os.fdopen(number, "wb") as file:
                yield file, path
        except OSError as error:
            if error.errno != errno.ENOSPC or error.filename is not None:
                raise
            raise OSError(error.errno, f"{error.strerror} in the cache", str(self.root)) from error
        finally:
            path.unlink(missing_ok=True)

    def prune(self, *, unused_days: float = 0, at: float | None = None) -> tuple[int, int]:
        """Remove what nobody asked for in so many days; answers how many files and bytes."""
        before = (time.time() if at is None else at) - unused_days * DAY_SECONDS
        files = size = 0
        for path in [one for one in self.root.rglob("*") if one.is_file()]:
            about = path.stat()
            if about.st_mtime <= before:
                _remove(path)
                files, size = files + 1, size + about.st_size
                with suppress(OSError):
                    path.parent.rmdir()
        return files, size

    def _folder(self, sha256: str) -> Path:
        return self.root / sha256[:2] / sha256

    @staticmethod
    def _note_use(place: Path) -> None:
        with suppress(OSError):  # a cache that others own is read all the same
            os.utime(place)

    @staticmethod
    def _name_again(known: Path, place: Path) -> Path:
        name = draft_beside(place)
        try:
            os.link(known, name)
        except OSError:  # a disk without links
            copy_whole(known, place)
            return place
        try:
            name.replace(place)
        finally:
            name.unlink(missing_ok=True)  # two names of one file replace each other by doing nothing
        return place


def _remove(place: Path) -> None:
    if sys.platform == "win32":  # where nothing is removed, or replaced, that may not be written
        with suppress(FileNotFoundError):
            place.chmod(0o666)
    place.unlink(missing_ok=True)


def _is_whole(place: Path, size: int | None) -> bool:
    try:
        return place.is_file() and size in (None, place.stat().st_size)
    except OSError:  # removed just now
        return False


def draft_beside(place: Path) -> Path:
    """A name of one's own: of two who write to one place the last one counts, and neither writes into the other's."""
    return place.with_name(f".draft-{uuid.uuid4().hex}")


def copy_whole(source: Path, place: Path) -> None:
    """A file that is there whole or, where the disk is full or somebody interrupts, not at all."""
    draft = draft_beside(place)
    try:
        shutil.copyfile(source, draft)
        draft.replace(place)
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        raise OSError(error.errno, error.strerror, str(place)) from error  # nobody knows the draft
    finally:
        draft.unlink(missing_ok=True)


def open_cache(place: str | Path | None = None) -> Cache:
    return Cache(Path(place or os.environ.get(CACHE) or platformdirs.user_cache_dir(APP)).expanduser())


def safe_name(name: str) -> str:
    """A file name that every system takes."""
    cleaned = UNSAFE.sub("_", name).rstrip(". ")[-150:] or "file"
    return f"_{cleaned}" if RESERVED.fullmatch(cleaned) else cleaned
