"""Entries of the ZIP and what may be wrong with the bytes behind them."""

import zipfile
from dataclasses import replace
from datetime import UTC, datetime

from archives.members import Member
from archives.zip_output import ZipOutput
from files.storage.interface import ObjectMissing, StoredObjects
from wire.errors import Conflict


class SourceChanged(Conflict):
    """A member is not what its record says. The archive fails and names it; a short ZIP is never made."""

    def __init__(self, member: Member, reason: str) -> None:
        super().__init__(f"{member.path}: {reason}", file_id=member.file_id)
        self.member = member


class MemberChecksumMismatch(SourceChanged):
    """The sender's SHA-256 is not that of the bytes."""

    def __init__(self, member: Member, found: str) -> None:
        super().__init__(member, f"the SHA-256 sent is {member.sha256}, the stored bytes have {found}.")
        self.found = found


def build_entry(name: str, *, moment: datetime) -> zipfile.ZipInfo:
    """A stored entry with a plain mode and the job's time."""
    utc = moment.astimezone(UTC)
    entry = zipfile.ZipInfo(name, date_time=(utc.year, utc.month, utc.day, utc.hour, utc.minute, utc.second))
    entry.compress_type = zipfile.ZIP_STORED
    entry.external_attr = 0o644 << 16
    return entry


def begin_entry(archive: zipfile.ZipFile, output: ZipOutput, member: Member, *, moment: datetime) -> None:
    """Write the header of a member whose size and CRC32 are known; the body follows, with no descriptor after it.

    zipfile writes such headers to seekable files only. Readers that stream, Java's among them, need them for stored
    entries; so the entry is listed here and zipfile still writes the central directory.
    """
    entry = build_entry(member.path, moment=moment)
    entry.file_size = entry.compress_size = member.size_bytes
    entry.CRC = int(member.crc32 or "0", 16)
    entry.header_offset = output.tell()
    output.write(entry.FileHeader(zip64=member.size_bytes >= zipfile.ZIP64_LIMIT))
    archive.filelist.append(entry)
    archive.NameToInfo[entry.filename] = entry


def end_entry(archive: zipfile.ZipFile, output: ZipOutput) -> None:
    """The next entry, or the central directory, begins here."""
    archive.start_dir = output.tell()


def refuse_wrong_size(member: Member, *, store: StoredObjects) -> None:
    """Raises SourceChanged, ObjectMissing."""
    stored = store.head(member.storage_key)
    if stored is None:
        raise ObjectMissing(member.storage_key)
    if stored.size_bytes != member.size_bytes:
        raise SourceChanged(member, f"{member.size_bytes} bytes were recorded, {stored.size_bytes} are stored.")


def verify_member(member: Member, *, written: int, crc32: str, sha256: str | None) -> Member:
    """The member as it was read, or SourceChanged when its record says otherwise."""
    if written != member.size_bytes:
        raise SourceChanged(member, f"{member.size_bytes} bytes were recorded, {written} are stored.")
    if member.crc32 and crc32 != member.crc32:
        raise SourceChanged(member, f"the CRC32 recorded is {member.crc32}, the stored bytes have {crc32}.")
    if sha256 and sha256 != member.sha256:
        raise MemberChecksumMismatch(member, sha256)
    return replace(member, crc32=crc32)
