"""Where a ZIP is written: an upload in parts, in constant memory."""

from concurrent.futures import Future, ThreadPoolExecutor
from typing import Protocol

from files.storage.port import MAX_PARTS, MIB, MIN_PART_SIZE, ObjectStore, Part, StoredObject

PART_SIZE = 8 * MIB
LARGEST_COPY = 1024 * MIB


class Progress(Protocol):
    """Called after each part; raises to stop a build that lost its right."""

    def __call__(self) -> None: ...


def part_size_for(total: int) -> int:
    """Whole mebibytes, so that a ZIP of this many bytes (headers on top) fits into the parts an upload may have."""
    needed = total * 102 // 100 // (MAX_PARTS - 100) + 1
    return max(PART_SIZE, -(-needed // MIB) * MIB)


class PartSink:
    """An unseekable file whose bytes become the parts of one upload. One part is on its way while the next fills."""

    def __init__(self, store: ObjectStore, key: str, *, part_size: int, progress: Progress) -> None:
        self.store, self.key, self.part_size, self.progress = store, key, part_size, progress
        self.upload_id = store.start_multipart(
            key, content_type="application/zip", size_bytes=None, part_size=part_size
        )
        self.held: list[memoryview] = []
        self.unsent = 0  # bytes that wait to fill a part
        self.parts: list[Part] = []
        self.position = 0
        self.carrier = ThreadPoolExecutor(1, thread_name_prefix="parts")
        self.on_its_way: Future[Part] | None = None

    def write(self, data: bytes | memoryview) -> int:
        self.position += len(data)
        rest = memoryview(data)
        while self.unsent + len(rest) >= self.part_size:
            taken = self.part_size - self.unsent
            self._hold(rest[:taken])
            self._send()
            rest = rest[taken:]
        if rest:
            self._hold(rest)
        return len(data)

    def copy(self, source_key: str, *, start: int, end: int) -> None:
        """Let the store take a range of another object. What was written before must fill a part of its own."""
        if self.unsent:
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
            self.position += stop - start
            start = stop
            self.progress()

    def tell(self) -> int:
        return self.position

    def flush(self) -> None:
        """Parts go out when they are full."""

    def publish(self) -> StoredObject:
        if self.unsent:
            self._send()
        self._arrive()
        self.carrier.shutdown()
        return self.store.complete_multipart(self.key, upload_id=self.upload_id, parts=self.parts)

    def drop(self) -> None:
        self.carrier.shutdown(cancel_futures=True)
        self.store.abort_multipart(self.key, upload_id=self.upload_id)

    def _hold(self, data: memoryview) -> None:
        self.held.append(data)
        self.unsent += len(data)

    def _send(self) -> None:
        self._arrive()
        number, data = len(self.parts) + 1, b"".join(self.held)
        self.held, self.unsent = [], 0
        self.on_its_way = self.carrier.submit(
            self.store.put_part, self.key, upload_id=self.upload_id, part_number=number, data=data
        )
        self.progress()

    def _arrive(self) -> None:
        """Wait for the part that is on its way. Raises what sending it raised."""
        if self.on_its_way is not None:
            part, self.on_its_way = self.on_its_way.result(), None
            self.parts.append(part)
