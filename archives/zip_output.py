"""The file that zipfile writes to."""

from collections.abc import Callable
from typing import Protocol, cast

from files.storage.interface import CopyingSink, FileSink, Sink


class ProgressCallback(Protocol):
    """Called at each step; raises to stop a build that lost its right."""

    def __call__(self) -> None: ...


class ZipOutput:
    """A sink as an unseekable file."""

    def __init__(self, sink: Sink, *, progress: ProgressCallback) -> None:
        self.sink, self.progress = sink, progress
        self.position = 0

    def write(self, data: bytes | memoryview, *, crc32: int | None = None) -> int:
        self.sink.write(data, crc32=crc32)
        self.position += len(data)
        self.progress()
        return len(data)

    def copy(self, source_key: str, *, start: int, end: int) -> None:
        """A range of another object, of a store that copies parts. Raises ObjectMissing."""
        cast(CopyingSink, self.sink).copy(source_key, start=start, end=end, progress=self.progress)
        self.position += end - start

    def copy_file(self, source_key: str, *, start: int, end: int, crc32: Callable[[], int]) -> None:
        """A range of another object, in a store that copies files; `crc32` is asked once it is copied."""
        cast(FileSink, self.sink).copy_file(source_key, start=start, end=end, crc32=crc32, progress=self.progress)
        self.position += end - start

    @property
    def buffered_bytes(self) -> int:
        """Bytes that wait to fill a part, in a store that copies parts."""
        return cast(CopyingSink, self.sink).buffered_bytes

    def tell(self) -> int:
        return self.position

    def flush(self) -> None:
        """The sink sends when it sees fit."""
