"""One object on its way into the local store: staged, counted, checked, then published in one step."""

import errno
import os
import shutil
from collections.abc import Callable

from files.storage.checksums import Buffer, Crc32
from files.storage.disk import has_room, publish, store_errors
from files.storage.layout import DATA, About, Layout, describe, new_etag, write_about
from files.storage.port import MIB, BytesRefused, ObjectExists, StoredObject

STEP = 8 * MIB
CANNOT_COPY = (errno.EXDEV, errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP)  # between these two files


class Tally:
    """Counts and sums bytes as they come. Raises BytesRefused where they are not the announced ones."""

    def __init__(self, *, size_bytes: int | None, crc32: str | None) -> None:
        self._announced = crc32
        self._size_bytes = size_bytes
        self._crc32 = Crc32()
        self.counted = 0

    def add(self, data: Buffer, *, known: int | None = None) -> None:
        self._count(len(data))
        self._crc32.update(data, known=known)

    def add_unseen(self, size_bytes: int, *, crc32: int) -> None:
        self._count(size_bytes)
        self._crc32.append(crc32, size_bytes=size_bytes)

    def _count(self, size_bytes: int) -> None:
        self.counted += size_bytes
        if self._size_bytes is not None and self.counted > self._size_bytes:
            raise BytesRefused(f"More than the announced {self._size_bytes} bytes came.", size_bytes=self._size_bytes)

    def settle(self) -> str:
        """The CRC32 of all, after checking count and sum."""
        if self._size_bytes not in (None, self.counted):
            raise BytesRefused(
                f"{self.counted} of the announced {self._size_bytes} bytes came.",
                size_bytes=self._size_bytes,
                received=self.counted,
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
        self._layout, self._key, self._target, self._content_type = layout, key, layout.object(key), content_type
        self._tally = Tally(size_bytes=size_bytes, crc32=crc32)
        if self._target.exists():
            raise ObjectExists(key)
        with store_errors():
            self._staged = layout.new_staged()
            self._descriptor = os.open(self._staged / DATA, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)

    def write(self, data: Buffer, *, crc32: int | None = None) -> None:
        self._tally.add(data, known=crc32)
        with store_errors():
            write_at(self._descriptor, data, self._tally.counted - len(data))

    def copy_file(
        self, source_key: str, *, start: int, end: int, crc32: Callable[[], int], progress: Callable[[], None]
    ) -> None:
        with store_errors(), self._layout.open_data(source_key) as source:
            for begin in range(start, end, STEP):
                size = min(STEP, end - begin)
                copy_at(source.fileno(), begin, self._descriptor, self._tally.counted + begin - start, size)
                progress()
        self._tally.add_unseen(end - start, crc32=crc32())

    def finish(self) -> StoredObject:
        """Publish. Raises BytesRefused, ObjectExists, StoreFull; the staged bytes are then still to be discarded."""
        crc32 = self._tally.settle()
        about = About(self._content_type, self._tally.counted, crc32, new_etag(crc32))
        with store_errors():
            os.fsync(self._descriptor)
            write_about(self._staged, about)
            stored = describe(self._staged, self._key)
            assert stored is not None
            self._publish()
        return stored

    def discard(self) -> None:
        """Close, and remove what was staged; after `finish` there is nothing left to remove."""
        os.close(self._descriptor)
        shutil.rmtree(self._staged, ignore_errors=True)

    def _publish(self) -> None:
        try:
            publish(self._staged, self._target)
        except FileExistsError:
            raise ObjectExists(self._key) from None


def copy_at(source: int, begin: int, target: int, offset: int, size: int) -> None:
    """`size` bytes from `begin` of one file to `offset` of another; by the kernel alone, where it does that."""
    refuse_when_full(target)
    while size:
        try:
            copied = os.copy_file_range(source, target, size, begin, offset)
        except OSError as problem:
            if problem.errno not in CANNOT_COPY:
                raise
            data = os.pread(source, min(size, MIB), begin)
            write_at(target, data, offset)
            copied = len(data)
        if not copied:
            raise OSError(errno.EIO, f"the file ended {size} bytes early")
        begin, offset, size = begin + copied, offset + copied, size - copied


def write_at(descriptor: int, data: Buffer, offset: int) -> None:
    """All of `data` at `offset`, however few bytes each system call takes. The disk counts as full before it is."""
    refuse_when_full(descriptor)
    view = memoryview(data)
    while view:
        written = os.pwrite(descriptor, view, offset)
        view, offset = view[written:], offset + written


def refuse_when_full(descriptor: int) -> None:
    if not has_room(descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
