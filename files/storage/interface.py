"""The object store as the service sees it: whole objects, published once, never replaced but by healing (`mend`).

Two adapters keep this promise, `local` and `s3`, and one suite checks both (tests/files/storage/test_contract.py).
Everything here blocks; nothing here belongs inside a database transaction.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import BinaryIO, Protocol

from files.storage.semantics import StoreSemantics
from wire.errors import Conflict, NotFound, ServiceError, ServiceUnavailable

MIB = 1024 * 1024
MIN_PART_SIZE = 5 * MIB  # of every part but the last; the S3 API's limit, and what zero-copy archives reckon with
MAX_PARTS_PER_UPLOAD = 10_000
SIGNED_URL_SECONDS = 900


@dataclass(frozen=True)
class StoredObject:
    """One published object. `crc32` (8 lower-case hex digits) is None where the store does not tell."""

    key: str
    size_bytes: int
    crc32: str | None
    etag: str
    content_type: str | None
    modified_at: datetime
    is_damaged: bool = False  # what the store keeps beside the bytes cannot be read, so nobody can fetch them


@dataclass(frozen=True)
class SignedRequest:
    """What a client without credentials may send once: exactly these headers, within `expires_in` seconds."""

    method: str
    url: str
    headers: dict[str, str]
    expires_in: int


@dataclass(frozen=True)
class Part:
    """One stored part. `crc32` is None where the store verified it but does not tell."""

    part_number: int
    etag: str
    size_bytes: int
    crc32: str | None = None


class StoreUnavailable(ServiceUnavailable):
    """The store is out of reach, slow or broken; nothing was changed that a retry would not repair."""

    def __init__(self, message: str = "The object store is out of reach.", *, retry_after: int = 10) -> None:
        super().__init__(message, retry_after=retry_after)


class StoreFull(StoreUnavailable):
    """No room is left. What was being written is gone, what was published is there."""

    def __init__(self) -> None:
        super().__init__("The object store is full.", retry_after=60)


class ObjectMissing(NotFound):
    def __init__(self, key: str) -> None:
        super().__init__("The object is not in the store.", key=key)


class ObjectExists(Conflict):
    """The key is taken; published bytes are never replaced."""

    def __init__(self, key: str) -> None:
        super().__init__("An object is stored under this key already.", key=key)


class UploadMissing(NotFound):
    """The multipart upload was completed, aborted or never began."""

    def __init__(self, upload_id: str) -> None:
        super().__init__("The multipart upload is not open.", upload_id=upload_id)


class PartsRefused(Conflict):
    """The parts do not make the object: one is missing, too small or changed. The message says which."""


class BytesRefused(ServiceError):
    """The bytes are not those that were announced: too few, too many, or of another CRC32."""

    status, code = 400, "BYTES_REFUSED"


class Sink(Protocol):
    """An object of the service's own making, whose bytes come in order. `discard` it in any case."""

    def write(self, data: bytes | bytearray | memoryview, *, crc32: int | None = None) -> None:
        """Take the bytes; the buffer may be used again afterwards. `crc32` is theirs, where it is known."""

    def finish(self) -> StoredObject:
        """Publish. Raises ObjectExists, StoreFull: nothing is published."""

    def discard(self) -> None:
        """Let go; what was not published is dropped."""


class CopyingSink(Sink, Protocol):
    """The sink of a store that copies parts."""

    @property
    def buffered_bytes(self) -> int:
        """Bytes that wait to fill a part."""

    def copy(self, source_key: str, *, start: int, end: int, progress: Callable[[], None]) -> None:
        """Let the store take a range of another object; what was written before must fill a part of its own.

        `progress` is called after each step. Raises ObjectMissing.
        """


class FileSink(Sink, Protocol):
    """The sink of a store on this machine's disk."""

    def copy_file(
        self, source_key: str, *, start: int, end: int, crc32: Callable[[], int], progress: Callable[[], None]
    ) -> None:
        """Take a range of another object without reading it; `crc32` tells its sum and is asked once it is copied.

        `progress` is called after each step. Raises ObjectMissing.
        """


class StoredObjects(Protocol):
    """Objects to look after: of one store, or of the hot and the cold one together (`whole_store`).

    Keys are the service's own (`keys.check_key`); ranges are half-open, `start` included and `end` not.
    """

    @property
    def bucket(self) -> str:
        """The bucket's name, or what stands for it."""

    def head(self, key: str) -> StoredObject | None:
        """The published object, or None."""

    def open_range(self, key: str, *, start: int = 0, end: int | None = None) -> AbstractContextManager[BinaryIO]:
        """A reader of the bytes from `start` to before `end`. Raises ObjectMissing; ValueError beyond the object."""

    def delete(self, key: str) -> None:
        """Remove the object; deleting what is not there succeeds."""

    def list(self, prefix: str = "", *, after: str = "") -> Iterator[StoredObject]:
        """Published objects whose key begins with `prefix` and follows `after`, in byte order of the keys.

        `crc32` and type may be None.
        """

    def check(self) -> None:
        """Raises StoreUnavailable when the store cannot be used."""


class ObjectStore(StoredObjects, Protocol):
    """One store, to be written to as well."""

    copies_files: bool  # whether `open_sink` answers a FileSink

    @property
    def copies_parts(self) -> bool:
        """Whether copy_part stays inside the store and `open_sink` answers a CopyingSink. Raises as `probe` does."""

    @property
    def checksum_mode(self) -> str:
        """`verified`, `read_back` (StoreSemantics), or `unknown` before a probe. Asks nobody."""

    def probe(self) -> StoreSemantics:
        """What the store does, tried out once a process. Raises StoreUnavailable, StoreUnsuitable."""

    def presign_get(
        self, key: str, *, filename: str, content_type: str, inline: bool = False, expires_in: int = SIGNED_URL_SECONDS
    ) -> str:
        """A URL that downloads under `filename`, or shows the object where `inline`. Answers Range, If-Range, HEAD."""

    def presign_put(
        self,
        key: str,
        *,
        size_bytes: int | None,
        content_type: str,
        crc32: str | None = None,
        expires_in: int = SIGNED_URL_SECONDS,
    ) -> SignedRequest:
        """Binds method, key, length, type, CRC32 and `If-None-Match: *`; every listed header must be sent.

        `size_bytes` is None for a trusted worker that makes the object and alone will know its length.
        """

    def address_of(self, key: str) -> str:
        """Where programs with access of their own find the object: `file:///…` or `s3://bucket/…`. Asks nobody."""

    def put(self, key: str, source: BinaryIO, *, size_bytes: int, content_type: str) -> StoredObject:
        """Publish the service's own bytes, `source` being seekable. Raises ObjectExists, BytesRefused."""

    def mend(self, key: str, source: BinaryIO, *, size_bytes: int, crc32: str, content_type: str) -> StoredObject:
        """Put the right bytes of an object in the place of damaged ones, or of none, in one step.

        What lay there is kept aside. The only way to replace bytes, for healing alone. Raises BytesRefused, StoreFull:
        nothing changed.
        """

    def open_sink(self, key: str, *, content_type: str, at_most: int) -> Sink:
        """Where the service writes an object of its own whose length only its end tells. Raises ObjectExists."""

    def start_multipart(self, key: str, *, content_type: str, size_bytes: int | None, part_size: int) -> str:
        """Open an upload and return its id. `size_bytes` is None where only the last part will tell.

        Every part but the last has `part_size` bytes; parts that `copy_part` makes may have others where
        `copies_parts` is true.
        """

    def presign_part(
        self,
        key: str,
        *,
        upload_id: str,
        part_number: int,
        size_bytes: int | None,
        crc32: str | None,
        expires_in: int = SIGNED_URL_SECONDS,
    ) -> SignedRequest:
        """As presign_put, for one part; sending a part again replaces it."""

    def put_part(self, key: str, *, upload_id: str, part_number: int, data: bytes) -> Part: ...

    def copy_part(self, key: str, *, upload_id: str, part_number: int, source_key: str, start: int, end: int) -> Part:
        """A part that is a range of another object. Raises ObjectMissing."""

    def list_parts(self, key: str, *, upload_id: str) -> Sequence[Part]:
        """What is stored so far, by part number. Raises UploadMissing."""

    def complete_multipart(self, key: str, *, upload_id: str, parts: Sequence[Part]) -> StoredObject:
        """Publish parts 1 to n as one object. Raises PartsRefused, UploadMissing, ObjectExists: nothing changed.

        A call that was cut short may have won all the same: when a repeat raises, `head` tells.
        """

    def abort_multipart(self, key: str, *, upload_id: str) -> None:
        """Drop an upload and its parts; dropping what is not there succeeds."""

    def remove_abandoned(self, *, before: datetime) -> int:
        """Drop whatever was begun, never published and not touched since `before`; how many of them."""
