"""Where the pieces of an export end up: they stay in the folder, or go on to a bucket one by one."""

import hashlib
import shutil
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Protocol

from django.conf import settings

from operations.leaving.bucket import BucketPath
from operations.leaving.bucket_lock import HeldPlace, hold_place, refuse_taken
from operations.leaving.folder import HOLDER, MANIFEST, WORK, Journal, LeavingError, Piece, digest_of
from wire.ids import new_id


class Shelf(Protocol):
    root: Path  # where pieces are written

    def hold(self, journal: Journal) -> AbstractContextManager[None]:
        """Within it nobody else writes there. Raises LeavingError, StoreUnavailable."""

    def find_fault(self, piece: Piece) -> str | None:
        """What is wrong with a piece that was finished before."""

    def count_room(self, crates: Iterable[int]) -> int:
        """How much of the disk crates of these sizes take at once."""

    def take(self, piece: Piece) -> None:
        """A piece that is finished."""

    def take_listing(self, path: str) -> None:
        """What lists the pieces, when all are there; the manifest comes last."""

    def clear(self) -> None:
        """The export is finished."""


class FolderShelf:
    def __init__(self, root: Path) -> None:
        self.root = root

    def hold(self, journal: Journal) -> AbstractContextManager[None]:
        """The folder is locked with its journal."""
        return nullcontext()

    def find_fault(self, piece: Piece) -> str | None:
        return piece.fault_in(self.root)

    def count_room(self, crates: Iterable[int]) -> int:
        """All of them stay."""
        return sum(crates)

    def take(self, piece: Piece) -> None:
        """It is where it belongs."""

    def take_listing(self, path: str) -> None:
        """Likewise."""

    def clear(self) -> None:
        """Nothing is left over."""


class BucketShelf:
    """Tables, and one crate at a time, lie in a folder of the data directory until the export is finished."""

    held: HeldPlace

    def __init__(self, bucket: BucketPath) -> None:
        """Raises LeavingError, StoreUnavailable."""
        self.bucket = bucket
        name = hashlib.sha256(str(bucket).encode()).hexdigest()[:16]
        self.root = settings.IDS_DATA / "leaving" / name
        if (bucket / MANIFEST).exists():
            raise LeavingError(f"{bucket} is a finished export: look at it with --verify, or choose another place.")
        if not (self.root / WORK).exists():
            shutil.rmtree(self.root, ignore_errors=True)
            self._require_empty()

    @contextmanager
    def hold(self, journal: Journal) -> Iterator[None]:
        """Whose export it is stands in the journal: cut off, it goes on at once."""
        known = journal.read(HOLDER)
        holder = known or str(new_id())
        with hold_place(self.bucket, holder=holder) as self.held:
            if known is None:
                self._require_empty(holder=holder)
                journal.note(**{HOLDER: holder})
            yield

    def find_fault(self, piece: Piece) -> str | None:
        """By what the bucket says of it: it was read back when it came there, and --verify reads it again."""
        found = (self.bucket / piece.path).find()
        if found is None:
            return "missing"
        return None if (found.st_size, found.sha256) == (piece.size_bytes, piece.sha256) else "another object"

    def count_room(self, crates: Iterable[int]) -> int:
        """One lies here at a time."""
        return max(crates, default=0)

    def take(self, piece: Piece) -> None:
        """Crates then go from here: tables are still read."""
        self._send(piece.path, piece.sha256)
        if piece.path.startswith("runs/"):
            (self.root / piece.path).unlink()

    def take_listing(self, path: str) -> None:
        self._send(path, digest_of(self.root / path))

    def clear(self) -> None:
        shutil.rmtree(self.root, ignore_errors=True)

    def _require_empty(self, *, holder: str | None = None) -> None:
        if not self.bucket.is_empty():
            refuse_taken(self.bucket, holder=holder)
            raise LeavingError(f"{self.bucket} is neither empty nor an export that was begun here: choose another.")

    def _send(self, path: str, sha256: str) -> None:
        self.held.check()
        there = self.bucket / path
        there.upload(self.root / path, sha256=sha256)
        if there.digest() != sha256:
            raise LeavingError(f"{there} has other bytes than were sent: begin again.")


def open_shelf(place: Path | BucketPath) -> Shelf:
    """Raises LeavingError, StoreUnavailable."""
    return BucketShelf(place) if isinstance(place, BucketPath) else FolderShelf(place)
