"""A ZIP whose bytes pass through us: read, verified, written, in constant memory."""

import hashlib
import zipfile
import zlib
from collections.abc import Iterator
from datetime import datetime
from io import BufferedReader
from typing import cast

from archives.entries import SourceChanged, begin_known, end_known, entry_of, verified
from archives.members import Member
from archives.output import Output
from files.storage.checksums import Crc32
from files.storage.port import MIB, ObjectMissing, ObjectStore

CHUNK = MIB // 4


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
        buffer = memoryview(bytearray(min(CHUNK, self.member.size_bytes + 1)))
        try:
            with self.store.open_range(self.member.storage_key) as source:
                while size := cast(BufferedReader, source).readinto(buffer):
                    self.size += size
                    yield buffer[:size], self._sum(buffer[:size])
        except ObjectMissing:
            raise SourceChanged(self.member, "its bytes are no longer in the store.") from None

    def verified(self) -> Member:
        found = self.digest.hexdigest() if self.digest else None
        return verified(self.member, written=self.size, crc32=self.crc.hex, sha256=found)

    def _sum(self, chunk: memoryview) -> int:
        crc32 = zlib.crc32(chunk)
        self.crc.update(chunk, known=crc32)
        if self.digest:
            self.digest.update(chunk)
        return crc32
