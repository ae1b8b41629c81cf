"""A part of a stream as a stream of its own."""

import errno
import io
from typing import Protocol

from files.storage.disk import translate_disk_errors


class Readable(Protocol):
    def readinto(self, buffer: memoryview, /) -> int | None: ...


class RangeReader(io.RawIOBase):
    """The next `size_bytes` of `source`, all of them or StoreUnavailable. Wrap it in io.BufferedReader."""

    def __init__(self, source: Readable, size_bytes: int) -> None:
        self._source, self._left = source, size_bytes

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        with translate_disk_errors():
            size = self._source.readinto(memoryview(buffer)[: self._left]) or 0
            if self._left and not size:
                raise OSError(errno.EIO, f"it ended {self._left} bytes early")
        self._left -= size
        return size
