"""Reading stored bytes again and comparing them with what their row says: of scrubbing, healing and reconciling."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import BinaryIO

from files.storage.checksums import Crc32
from files.storage.interface import MIB, StoredObjects, StoreUnavailable
from files.stored.inventory import ReferencedObject

Progress = Callable[[int], object]


def ignore_progress(size_bytes: int) -> None:
    """Nobody waits for it."""


@dataclass(frozen=True)
class Checksums:
    """Of the bytes as they were read."""

    size_bytes: int
    crc32: str
    sha256: str


@dataclass(frozen=True)
class Contradiction:
    """What a row says of bytes, and what they are instead."""

    expected: str | int
    found: str | int

    @property
    def is_of_size(self) -> bool:
        return isinstance(self.expected, int)


class ChecksumReader:
    """A reader that sums up what it reads."""

    def __init__(self, source: BinaryIO) -> None:
        self.source, self.size_bytes = source, 0
        self.crc32, self.sha256 = Crc32(), hashlib.sha256()

    def read(self, size: int, /) -> bytes:
        block = self.source.read(size)
        self.crc32.update(block)
        self.sha256.update(block)
        self.size_bytes += len(block)
        return block

    def sums(self) -> Checksums:
        return Checksums(self.size_bytes, self.crc32.hex, self.sha256.hexdigest())


def compute_checksums(source: BinaryIO, *, progress: Progress = ignore_progress) -> Checksums:
    """A mebibyte at a time; `progress` is told the bytes of each step."""
    reader = ChecksumReader(source)
    while block := reader.read(MIB):
        progress(len(block))
    return reader.sums()


def read_checksums(store: StoredObjects, key: str, *, progress: Progress = ignore_progress) -> Checksums | None:
    """Of an object; None where this one object alone cannot be read. Raises ObjectMissing, StoreUnavailable."""
    try:
        with store.open_range(key) as source:
            return compute_checksums(source, progress=progress)
    except StoreUnavailable:
        store.check()
        return None


def find_contradiction(
    name: ReferencedObject, *, size_bytes: int, crc32: str | None, sha256: str | None, stored_crc32: str | None = None
) -> Contradiction | None:
    """The first of them; what is None on either side is not compared. `stored_crc32` is what the store keeps."""
    if name.size_bytes is not None and name.size_bytes != size_bytes:
        return Contradiction(name.size_bytes, size_bytes)
    for expected, found in ((name.crc32, crc32), (stored_crc32, crc32), (name.sha256, sha256)):
        if expected is not None and found is not None and expected != found:
            return Contradiction(expected, found)
    return None
