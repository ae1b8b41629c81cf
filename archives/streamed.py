"""A ZIP whose bytes pass through us: read, verified, written, in constant memory."""

import hashlib
import zipfile
import zlib
from collections.abc import Iterator
from datetime import datetime

from archives.entries import SourceChanged, begin_known, end_known, entry_of, verified
from archives.members import Member
from archives.sink import PartSink
from files.storage.port import MIB, ObjectMissing, ObjectStore

CHUNK = 1 * MIB


def write_member(
    archive: zipfile.ZipFile, sink: PartSink, member: Member, *, store: ObjectStore, moment: datetime
) -> Member:
    """One member, read whole; returns it with the CRC32 found. Raises SourceChanged."""
    if member.crc32 is None:
        return _write_unknown(archive, member, store=store, moment=moment)
    begin_known(archive, sink, member, moment=moment)
    read = Reading(member, store)
    for chunk in read.chunks():
        sink.write(chunk)
    end_known(archive, sink)
    return read.verified()


def _write_unknown(archive: zipfile.ZipFile, member: Member, *, store: ObjectStore, moment: datetime) -> Member:
    """A member whose CRC32 nobody told: zipfile writes it after the body."""
    read = Reading(member, store)
    entry = entry_of(member.path, moment=moment)
    entry.file_size = member.size_bytes
    with archive.open(entry, "w", force_zip64=member.size_bytes >= zipfile.ZIP64_LIMIT) as target:
        for chunk in read.chunks():
            target.write(chunk)
    return read.verified()


class Reading:
    """The bytes of a member on their way, with what they amount to."""

    def __init__(self, member: Member, store: ObjectStore) -> None:
        self.member, self.store = member, store
        self.size = self.crc = 0
        self.digest = hashlib.sha256() if member.sha256 else None

    def chunks(self) -> Iterator[bytes]:
        try:
            with self.store.open_range(self.member.storage_key) as source:
                while chunk := source.read(CHUNK):
                    self.size += len(chunk)
                    self.crc = zlib.crc32(chunk, self.crc)
                    if self.digest:
                        self.digest.update(chunk)
                    yield chunk
        except ObjectMissing:
            raise SourceChanged(self.member, "its bytes are no longer in the store.") from None

    def verified(self) -> Member:
        found = self.digest.hexdigest() if self.digest else None
        return verified(self.member, written=self.size, crc32=f"{self.crc:08x}", sha256=found)
