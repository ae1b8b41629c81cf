"""Copying an object from one store into another under a key of its own, and reading back what came of it."""

import io
from contextlib import suppress
from dataclasses import dataclass

from files.integrity.verification import (
    ChecksumReader,
    Contradiction,
    Progress,
    find_contradiction,
    ignore_progress,
    read_checksums,
)
from files.media_types import OCTET_STREAM
from files.storage.interface import MIB, ObjectMissing, ObjectStore, StoredObjects
from files.stored.inventory import ReferencedObject
from wire.errors import ServiceError

PUT_AT_ONCE_BYTES = 8 * MIB  # what is larger goes through a sink


class NotCopied(Exception):
    """Why the bytes are where they were."""


class SourceDamaged(NotCopied):
    """The bytes are not what their row says; `contradiction` is None where they cannot be read, or are not there."""

    def __init__(self, contradiction: Contradiction | None, *, is_missing: bool = False) -> None:
        super().__init__("The stored bytes are not what the file's record says.")
        self.contradiction, self.is_missing = contradiction, is_missing


@dataclass(frozen=True)
class ObjectCopy:
    """The verified copy of an object: where it lies, and the bytes that it has."""

    store: ObjectStore
    key: str
    size_bytes: int

    def drop(self) -> None:
        """Nobody has taken it. What stays is found by the sweep, as no row names it."""
        with suppress(ServiceError):
            self.store.delete(self.key)


def copy_object(
    name: ReferencedObject,
    key: str,
    *,
    source: StoredObjects,
    target: ObjectStore,
    content_type: str | None,
    progress: Progress = ignore_progress,
) -> ObjectCopy:
    """The copy counts once it was read back from `target` with the SHA-256 of what was read from `source`.

    Raises NotCopied, StoreUnavailable: there is no copy then.
    """
    copy = ObjectCopy(target, key, name.size_bytes or 0)
    try:
        with source.open_range(name.key) as stored:
            reader = ChecksumReader(stored)
            _write(reader, target, key, size_bytes=copy.size_bytes, content_type=content_type, progress=progress)
        sums = reader.sums()
        if wrong := find_contradiction(name, size_bytes=sums.size_bytes, crc32=sums.crc32, sha256=sums.sha256):
            raise SourceDamaged(wrong)
        if read_checksums(target, key, progress=progress) != sums:
            raise NotCopied("The copy has other bytes than what was copied.")
    except ObjectMissing:
        copy.drop()
        raise SourceDamaged(None, is_missing=True) from None
    except Exception:
        copy.drop()
        raise
    return copy


def _write(
    reader: ChecksumReader,
    target: ObjectStore,
    key: str,
    *,
    size_bytes: int,
    content_type: str | None,
    progress: Progress,
) -> None:
    """In constant memory, and in one request where the object is small."""
    kind = content_type or OCTET_STREAM
    if size_bytes <= PUT_AT_ONCE_BYTES:
        data = _read_small(reader)
        target.put(key, io.BytesIO(data), size_bytes=len(data), content_type=kind)
        progress(len(data))
        return
    sink = target.open_sink(key, content_type=kind, at_most=size_bytes)
    try:
        while block := reader.read(MIB):
            sink.write(block)
            progress(len(block))
        sink.finish()
    finally:
        sink.discard()


def _read_small(reader: ChecksumReader) -> bytes:
    """One byte more than there may be tells of an object that is longer than its row says."""
    data = bytearray()
    while len(data) <= PUT_AT_ONCE_BYTES and (block := reader.read(MIB)):
        data += block
    return bytes(data)
