"""Where the pieces of an export end up: they stay in the folder, or go on to a bucket one by one."""

import hashlib
import shutil
from pathlib import Path
from typing import Protocol

from django.conf import settings

from operations.leaving.bucket import BucketPath
from operations.leaving.folder import MANIFEST, WORK, LeavingError, Piece, digest_of


class Shelf(Protocol):
    root: Path  # where pieces are written

    def find_fault(self, piece: Piece) -> str | None:
        """What is wrong with a piece that was finished before."""

    def take(self, piece: Piece) -> None:
        """A piece that is finished."""

    def take_listing(self, path: str) -> None:
        """What lists the pieces, when all are there; the manifest comes last."""

    def clear(self) -> None:
        """The export is finished."""


class FolderShelf:
    def __init__(self, root: Path) -> None:
        self.root = root

    def find_fault(self, piece: Piece) -> str | None:
        return piece.fault_in(self.root)

    def take(self, piece: Piece) -> None:
        """It is where it belongs."""

    def take_listing(self, path: str) -> None:
        """Likewise."""

    def clear(self) -> None:
        """Nothing is left over."""


class BucketShelf:
    """Tables, and one crate at a time, lie in a folder of the data directory until the export is finished."""

    def __init__(self, bucket: BucketPath) -> None:
        """Raises LeavingError, StoreUnavailable."""
        self.bucket = bucket
        name = hashlib.sha256(str(bucket).encode()).hexdigest()[:16]
        self.root = settings.IDS_DATA / "leaving" / name
        if (bucket / MANIFEST).exists():
            raise LeavingError(f"{bucket} is a finished export: look at it with --verify, or choose another place.")
        if not (self.root / WORK).exists():
            shutil.rmtree(self.root, ignore_errors=True)
            if not bucket.is_empty():
                raise LeavingError(f"{bucket} is neither empty nor an export that was begun here: choose another.")

    def find_fault(self, piece: Piece) -> str | None:
        """By what the bucket says of it: it was read back when it came there, and --verify reads it again."""
        found = (self.bucket / piece.path).find()
        if found is None:
            return "missing"
        return None if (found.st_size, found.sha256) == (piece.size_bytes, piece.sha256) else "another object"

    def take(self, piece: Piece) -> None:
        """Crates then go from here: tables are still read."""
        self._send(piece.path, piece.sha256)
        if piece.path.startswith("runs/"):
            (self.root / piece.path).unlink()

    def take_listing(self, path: str) -> None:
        self._send(path, digest_of(self.root / path))

    def clear(self) -> None:
        shutil.rmtree(self.root, ignore_errors=True)

    def _send(self, path: str, sha256: str) -> None:
        there = self.bucket / path
        there.upload(self.root / path, sha256=sha256)
        if there.digest() != sha256:
            raise LeavingError(f"{there} has other bytes than were sent: begin again.")


def open_shelf(place: Path | BucketPath) -> Shelf:
    """Raises LeavingError, StoreUnavailable."""
    return BucketShelf(place) if isinstance(place, BucketPath) else FolderShelf(place)
