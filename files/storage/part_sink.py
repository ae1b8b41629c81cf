"""An object written as an upload in parts, in constant memory."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

from files.storage.port import MAX_PARTS, MIB, MIN_PART_SIZE, ObjectStore, Part, StoredObject

PART_SIZE = 8 * MIB
LARGEST_COPY = 1024 * MIB


def part_size_for(at_most: int) -> int:
    """Whole mebibytes, so that an object of this many bytes fits into the parts that an upload may have."""
    needed = at_most // (MAX_PARTS - 100) + 1
    return max(PART_SIZE, -(-needed // MIB) * MIB)


class PartSink:
    """A `CopyingSink` over one upload. One part is on its way while the next fills."""

    def __init__(self, store: ObjectStore, key: str, *, content_type: str, part_size: int) -> None:
        self.store, self.key, self.part_size = store, key, part_size
        self.upload_id = store.start_multipart(key, content_type=content_type, size_bytes=None, part_size=part_size)
        self.held = bytearray()
        self.parts: list[Part] = []
        self.is_open = True
        self.carrier = ThreadPoolExecutor(1, thread_name_prefix="parts")
        self.on_its_way: Future[Part] | None = None

    @property
    def unsent(self) -> int:
        return len(self.held)

    def write(self, data: bytes | bytearray | memoryview, *, crc32: int | None = None) -> None:
        rest = memoryview(data)
        while len(self.held) + len(rest) >= self.part_size:
            taken = self.part_size - len(self.held)
            self.held += rest[:taken]
            self._send()
            rest = rest[taken:]
        self.held += rest

    def copy(self, source_key: str, *, start: int, end: int, progress: Callable[[], None]) -> None:
        if self.held:
            self._send()
        self._arrive()
        while start < end:
            stop = end if end - start <= LARGEST_COPY + MIN_PART_SIZE else start + LARGEST_COPY
            number = len(self.parts) + 1
            self.parts.append(
                self.store.copy_part(
                    self.key, upload_id=self.upload_id, part_number=number, source_key=source_key, start=start, end=stop
                )
            )
            start = stop
            progress()

    def finish(self) -> StoredObject:
        if self.held:
            self._send()
        self._arrive()
        published = self.store.complete_multipart(self.key, upload_id=self.upload_id, parts=self.parts)
        self.is_open = False
        return published

    def discard(self) -> None:
        self.carrier.shutdown(cancel_futures=True)
        if self.is_open:
            self.store.abort_multipart(self.key, upload_id=self.upload_id)

    def _send(self) -> None:
        self._arrive()
        number, data = len(self.parts) + 1, bytes(self.held)
        self.held.clear()
        self.on_its_way = self.carrier.submit(
            self.store.put_part, self.key, upload_id=self.upload_id, part_number=number, data=data
        )

    def _arrive(self) -> None:
        """Wait for the part that is on its way. Raises what sending it raised."""
        if self.on_its_way is not None:
            part, self.on_its_way = self.on_its_way.result(), None
            self.parts.append(part)
