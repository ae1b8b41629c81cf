"""Where a ZIP is written: an upload in parts, in constant memory."""

from typing import Protocol

from files.storage.port import MAX_PARTS, MIB, MIN_PART_SIZE, ObjectStore, Part, StoredObject

PART_SIZE = 16 * MIB
LARGEST_COPY = 1024 * MIB


class Progress(Protocol):
    """Called after each part; raises to stop a build that lost its right."""

    def __call__(self) -> None: ...


def part_size_for(total: int) -> int:
    """Whole mebibytes, so that a ZIP of this many bytes (headers on top) fits into the parts an upload may have."""
    needed = total * 102 // 100 // (MAX_PARTS - 100) + 1
    return max(PART_SIZE, -(-needed // MIB) * MIB)


class PartSink:
    """An unseekable file whose bytes become the parts of one upload."""

    def __init__(self, store: ObjectStore, key: str, *, part_size: int, progress: Progress) -> None:
        self.store, self.key, self.part_size, self.progress = store, key, part_size, progress
        self.upload_id = store.start_multipart(
            key, content_type="application/zip", size_bytes=None, part_size=part_size
        )
        self.buffer = bytearray()
        self.parts: list[Part] = []
        self.position = 0

    def write(self, data: bytes | memoryview) -> int:
        size = len(data)
        self.buffer += data
        self.position += size
        while len(self.buffer) >= self.part_size:
            self._send(self.part_size)
        return size

    def copy(self, source_key: str, *, start: int, end: int) -> None:
        """Let the store take a range of another object. What was written before must fill a part of its own."""
        if self.buffer:
            self._send(len(self.buffer))
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

    @property
    def unsent(self) -> int:
        """Bytes that wait to fill a part."""
        return len(self.buffer)

    def tell(self) -> int:
        return self.position

    def flush(self) -> None:
        """Parts go out when they are full."""

    def publish(self) -> StoredObject:
        if self.buffer:
            self._send(len(self.buffer))
        return self.store.complete_multipart(self.key, upload_id=self.upload_id, parts=self.parts)

    def drop(self) -> None:
        self.store.abort_multipart(self.key, upload_id=self.upload_id)

    def _send(self, size: int) -> None:
        data = bytes(memoryview(self.buffer)[:size])
        del self.buffer[:size]
        number = len(self.parts) + 1
        self.parts.append(self.store.put_part(self.key, upload_id=self.upload_id, part_number=number, data=data))
        self.progress()
