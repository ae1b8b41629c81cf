"""A ZIP whose bytes pass through us: read, verified, written, in constant memory."""

import hashlib
import zipfile
import zlib
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import datetime
from io import BufferedReader
from itertools import cycle
from typing import cast

from archives.entries import SourceChanged, begin_known, end_known, entry_of, verified
from archives.members import Member
from archives.output import Output
from files.storage.checksums import Crc32
from files.storage.port import MIB, ObjectMissing, ObjectStore

CHUNK = 1 * MIB


def write_member(
    archive: zipfile.ZipFile, output: Output, member: Member, *, store: ObjectStore, moment: datetime
) -> Member:
    """One member, read whole; returns it with the CRC32 found. Raises SourceChanged."""
    read = Reading(member, store)
    if member.crc32 is None:
        _write_unknown(archive, read, moment=moment)
    else:
        begin_known(archive, output, member, moment=moment)
        for chunk, crc32 in read.chunks():
            output.write(chunk, crc32=crc32)
        end_known(archive, output)
    return read.verified()


def _write_unknown(archive: zipfile.ZipFile, read: "Reading", *, moment: datetime) -> None:
    """A member whose CRC32 nobody told: zipfile writes it after the body."""
    entry = entry_of(read.member.path, moment=moment)
    entry.file_size = read.member.size_bytes
    with archive.open(entry, "w", force_zip64=entry.file_size >= zipfile.ZIP64_LIMIT) as target:
        for chunk, _ in read.chunks():
            target.write(chunk)


class Reading:
    """The bytes of a member on their way, with what they amount to."""

    def __init__(self, member: Member, store: ObjectStore) -> None:
        self.member, self.store = member, store
        self.size = 0
        self.crc = Crc32()
        self.digest = hashlib.sha256() if member.sha256 else None

    def chunks(self) -> Iterator[tuple[memoryview, int]]:
        """Each with its CRC32; good until the next is asked for."""
        for chunk in self._hashed() if self.digest else self._read():
            crc32 = zlib.crc32(chunk)
            self.crc.update(chunk, known=crc32)
            yield chunk, crc32

    def verified(self) -> Member:
        found = self.digest.hexdigest() if self.digest else None
        return verified(self.member, written=self.size, crc32=self.crc.hex, sha256=found)

    def _hashed(self) -> Iterator[memoryview]:
        """A long member is hashed in a thread, while each chunk is summed and written and the next is read."""
        assert self.digest
        if self.member.size_bytes < CHUNK:
            for chunk in self._read():
                self.digest.update(chunk)
                yield chunk
            return
        with ThreadPoolExecutor(1, thread_name_prefix="sha256") as beside:
            hashing: Future[None] | None = None
            for chunk in self._read():
                if hashing:
                    hashing.result()
                hashing = beside.submit(self.digest.update, chunk)
                yield chunk
            if hashing:
                hashing.result()

    def _read(self) -> Iterator[memoryview]:
        """Each chunk is good until the next but one is asked for."""
        buffers = [memoryview(bytearray(min(CHUNK, self.member.size_bytes + 1))) for _ in range(2)]
        try:
            with self.store.open_range(self.member.storage_key) as source:
                for buffer in cycle(buffers):
                    size = cast(BufferedReader, source).readinto(buffer)
                    if not size:
                        return
                    self.size += size
                    yield buffer[:size]
        except ObjectMissing:
            raise SourceChanged(self.member, "its bytes are no longer in the store.") from None
