"""An object written as an upload in parts, in constant memory."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

from files.storage.interface import MAX_PARTS_PER_UPLOAD, MIB, MIN_PART_SIZE, ObjectStore, Part, StoredObject

MIN_SINK_PART_SIZE = 8 * MIB
MAX_BYTES_PER_COPY = 1024 * MIB


def choose_sink_part_size(at_most: int) -> int:
    """Whole mebibytes, so that an object of this many bytes fits into the parts that an upload may have."""
    needed = at_most // (MAX_PARTS_PER_UPLOAD - 100) + 1
    return max(MIN_SINK_PART_SIZE, -(-needed // MIB) * MIB)


class PartSink:
    """A `CopyingSink` over one upload. One part is on its way while the next fills."""

    def __init__(self, store: ObjectStore, key: str, *, content_type: str, part_size: int) -> None:
        self.store, self.key, self.part_size = store, key, part_size
        self.upload_id = store.start_multipart(key, content_type=content_type, size_bytes=None, part_size=part_size)
        self.buffer = bytearray()
        self.parts: list[Part] = []
        self.is_open = True
        self.executor = ThreadPoolExecutor(1, thread_name_prefix="parts")
        self.pending_part: Future[Part] | None = None

    @property
    def buffered_bytes(self) -> int:
        return len(self.buffer)

    def write(self, data: bytes | bytearray | memoryview, *, crc32: int | None = None) -> None:
        rest = memoryview(data)
        while len(self.buffer) + len(rest) >= self.part_size:
            taken = self.part_size - len(self.buffer)
            self.buffer += rest[:taken]
            self._submit_part()
            rest = rest[taken:]
        self.buffer += rest

    def copy(self, source_key: str, *, start: int, end: int, progress: Callable[[], None]) -> None:
        if self.buffer:
            self._submit_part()
        self._await_pending_part()
        while start < end:
            stop = end if end - start <= MAX_BYTES_PER_COPY + MIN_PART_SIZE else start + MAX_BYTES_PER_COPY
            number = len(self.parts) + 1
            self.parts.append(
                self.store.copy_part(
                    self.key, upload_id=self.upload_id, part_number=number, source_key=source_key, start=start, end=stop
                )
            )
            start = stop
            progress()

    def finish(self) -> StoredObject:
        if self.buffer:
            self._submit_part()
        self._await_pending_part()
        published = self.store.complete_multipart(self.key, upload_id=self.upload_id, parts=self.parts)
        self.is_open = False
        return published

    def discard(self) -> None:
        self.executor.shutdown(cancel_futures=True)
        if self.is_open:
            self.store.abort_multipart(self.key, upload_id=self.upload_id)

    def _submit_part(self) -> None:
        self._await_pending_part()
        number, data = len(self.parts) + 1, bytes(self.buffer)
        self.buffer.clear()
        self.pending_part = self.executor.submit(
            self.store.put_part, self.key, upload_id=self.upload_id, part_number=number, data=data
        )

    def _await_pending_part(self) -> None:
        """Wait for the part that is on its way. Raises what sending it raised."""
        if self.pending_part is not None:
            part, self.pending_part = self.pending_part.result(), None
            self.parts.append(part)
