"""A ZIP whose bytes pass through us: read, verified, written, in constant memory."""

import hashlib
import zipfile
import zlib
from collections.abc import Generator, Iterator
from datetime import datetime
from io import BufferedReader
from typing import cast

from archives.members import Member
from archives.zip_entries import SourceChanged, begin_entry, build_entry, end_entry, verify_member
from archives.zip_output import ZipOutput
from files.storage.checksums import Crc32
from files.storage.interface import MIB, ObjectMissing, StoredObjects

CHUNK_BYTES = MIB // 4


def write_member(
    archive: zipfile.ZipFile, output: ZipOutput, member: Member, *, store: StoredObjects, moment: datetime
) -> Member:
    """One member, read whole; returns it with the CRC32 found. Raises SourceChanged."""
    steps = write_in_steps(archive, output, member, store=store, moment=moment)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return cast(Member, end.value)


def write_in_steps(
    archive: zipfile.ZipFile, output: ZipOutput, member: Member, *, store: StoredObjects, moment: datetime
) -> Generator[None, None, Member]:
    """The same, giving way after each chunk, so that what was written can be sent before more is read."""
    read = MemberReader(member, store)
    if member.crc32 is None:
        yield from _write_with_descriptor(archive, read, moment=moment)
    else:
        begin_entry(archive, output, member, moment=moment)
        for chunk, crc32 in read.chunks():
            output.write(chunk, crc32=crc32)
            yield
        end_entry(archive, output)
    return read.verify()


def _write_with_descriptor(archive: zipfile.ZipFile, read: "MemberReader", *, moment: datetime) -> Iterator[None]:
    """A member of unknown CRC32: zipfile writes it after the body, in a data descriptor."""
    entry = build_entry(read.member.path, moment=moment)
    entry.file_size = read.member.size_bytes
    with archive.open(entry, "w", force_zip64=entry.file_size >= zipfile.ZIP64_LIMIT) as target:
        for chunk, _ in read.chunks():
            target.write(chunk)
            yield


class MemberReader:
    """The bytes of a member on their way, with what they amount to."""

    def __init__(self, member: Member, store: StoredObjects) -> None:
        self.member, self.store = member, store
        self.size = 0
        self.crc = Crc32()
        self.digest = hashlib.sha256() if member.sha256 else None

    def chunks(self) -> Iterator[tuple[memoryview, int]]:
        """Each with its CRC32; good until the next is asked for."""
        buffer = memoryview(bytearray(min(CHUNK_BYTES, self.member.size_bytes + 1)))
        try:
            with self.store.open_range(self.member.storage_key) as source:
                while size := cast(BufferedReader, source).readinto(buffer):
                    self.size += size
                    yield buffer[:size], self._add_to_digests(buffer[:size])
        except ObjectMissing:
            raise SourceChanged(self.member, "its bytes are no longer in the store.") from None

    def verify(self) -> Member:
        found = self.digest.hexdigest() if self.digest else None
        return verify_member(self.member, written=self.size, crc32=self.crc.hex, sha256=found)

    def _add_to_digests(self, chunk: memoryview) -> int:
        crc32 = zlib.crc32(chunk)
        self.crc.update(chunk, known=crc32)
        if self.digest:
            self.digest.update(chunk)
        return crc32
