"""One object on its way into the local store: staged, counted, checked, then published in one step."""

import errno
import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime

from files.storage.checksums import Buffer, Crc32
from files.storage.disk import has_free_space, publish_directory, translate_disk_errors
from files.storage.interface import MIB, BytesRefused, ObjectExists, StoredObject
from files.storage.layout import DATA_FILE, Layout, ObjectDescription, new_etag, write_first_description

COPY_STEP_BYTES = 8 * MIB
COPY_UNSUPPORTED_ERRNOS = (errno.EXDEV, errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP)  # between these two files


class ByteVerifier:
    """Counts and sums bytes as they come. Raises BytesRefused where they are not the announced ones."""

    def __init__(self, *, size_bytes: int | None, crc32: str | None) -> None:
        self._announced = crc32
        self._size_bytes = size_bytes
        self._crc32 = Crc32()
        self.received_bytes = 0

    def add(self, data: Buffer, *, known: int | None = None) -> None:
        self._count(len(data))
        self._crc32.update(data, known=known)

    def add_copied(self, size_bytes: int, *, crc32: int) -> None:
        self._count(size_bytes)
        self._crc32.append(crc32, size_bytes=size_bytes)

    def _count(self, size_bytes: int) -> None:
        self.received_bytes += size_bytes
        if self._size_bytes is not None and self.received_bytes > self._size_bytes:
            raise BytesRefused(f"More than the announced {self._size_bytes} bytes came.", size_bytes=self._size_bytes)

    def verify(self) -> str:
        """The CRC32 of all, after checking count and sum."""
        if self._size_bytes not in (None, self.received_bytes):
            raise BytesRefused(
                f"{self.received_bytes} of the announced {self._size_bytes} bytes came.",
                size_bytes=self._size_bytes,
                received=self.received_bytes,
            )
        if self._announced not in (None, self._crc32.hex):
            raise BytesRefused(
                f"The CRC32 of the bytes is {self._crc32.hex}, not the announced {self._announced}.",
                crc32=self._announced,
                received=self._crc32.hex,
            )
        return self._crc32.hex


class ObjectWriter:
    """Takes the bytes of one new object; a `FileSink`."""

    def __init__(
        self, layout: Layout, key: str, *, size_bytes: int | None, content_type: str, crc32: str | None
    ) -> None:
        self._layout, self._key, self._target, self._content_type = (
            layout,
            key,
            layout.object_directory(key),
            content_type,
        )
        self._tally = ByteVerifier(size_bytes=size_bytes, crc32=crc32)
        self._is_published = False
        if self._target.exists():
            raise ObjectExists(key)
        with translate_disk_errors():
            self._staged = layout.make_staging_directory()
            self._descriptor = os.open(self._staged / DATA_FILE, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)

    def write(self, data: Buffer, *, crc32: int | None = None) -> None:
        self._tally.add(data, known=crc32)
        with translate_disk_errors():
            write_at(self._descriptor, data, self._tally.received_bytes - len(data))

    def copy_file(
        self, source_key: str, *, start: int, end: int, crc32: Callable[[], int], progress: Callable[[], None]
    ) -> None:
        with translate_disk_errors(), self._layout.open_data(source_key) as source:
            for begin in range(start, end, COPY_STEP_BYTES):
                size = min(COPY_STEP_BYTES, end - begin)
                copy_range(source.fileno(), begin, self._descriptor, self._tally.received_bytes + begin - start, size)
                progress()
        self._tally.add_copied(end - start, crc32=crc32())

    def finish(self) -> StoredObject:
        """Publish. Raises BytesRefused, ObjectExists, StoreFull; the staged bytes are then still to be discarded."""
        crc32 = self._tally.verify()
        about = ObjectDescription(self._content_type, self._tally.received_bytes, crc32, new_etag(crc32))
        with translate_disk_errors():
            with suppress(FileNotFoundError):  # a delete pruned them in between: publishing makes them again
                self._layout.make_parents(self._target)  # now, so that the syncs take them along
            self._layout.open_to_group(self._staged)
            write_first_description(self._staged, about)
            os.fsync(self._descriptor)
            modified_at = datetime.fromtimestamp(os.fstat(self._descriptor).st_mtime, UTC)
            self._publish()
        return StoredObject(self._key, about.size_bytes, about.crc32, about.etag, about.content_type, modified_at)

    def discard(self) -> None:
        """Close, and remove what was staged; after `finish` there is nothing left to remove."""
        os.close(self._descriptor)
        if not self._is_published:
            shutil.rmtree(self._staged, ignore_errors=True)

    def _publish(self) -> None:
        try:
            publish_directory(self._staged, self._target, root=self._layout.root, mode=self._layout.directory_mode)
        except FileExistsError:
            raise ObjectExists(self._key) from None
        self._is_published = True


def copy_range(source: int, begin: int, target: int, offset: int, size: int) -> None:
    """`size` bytes from `begin` of one file to `offset` of another; by the kernel alone, where it does that."""
    refuse_full_disk(target)
    while size:
        try:
            copied = os.copy_file_range(source, target, size, begin, offset)
        except OSError as problem:
            if problem.errno not in COPY_UNSUPPORTED_ERRNOS:
                raise
            data = os.pread(source, min(size, MIB), begin)
            write_at(target, data, offset)
            copied = len(data)
        if not copied:
            raise OSError(errno.EIO, f"the file ended {size} bytes early")
        begin, offset, size = begin + copied, offset + copied, size - copied


def write_at(descriptor: int, data: Buffer, offset: int) -> None:
    """All of `data` at `offset`, however few bytes each system call takes. The disk counts as full before it is."""
    refuse_full_disk(descriptor)
    view = memoryview(data)
    while view:
        written = os.pwrite(descriptor, view, offset)
        view, offset = view[written:], offset + written


def refuse_full_disk(descriptor: int) -> None:
    if not has_free_space(descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
