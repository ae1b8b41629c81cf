"""What an archive says about itself, judged before any member is unpacked: bombs are refused by their directory."""

import io
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from processing.markup import refuse_declarations
from processing.readings import MIB, Unreadable

MAX_MEMBERS = 2000
MAX_UNPACKED_BYTES = 512 * MIB
MAX_COMPRESSION_RATIO = 200
ALWAYS_ALLOWED_BYTES = MIB  # below this much content no ratio is suspicious
LOCAL_HEADER = b"PK\x03\x04"
END_OF_DIRECTORY = b"PK\x05\x06"
END_RECORD_BYTES = 22


class SuspiciousArchive(Unreadable):
    """The archive would unpack to more than we are willing to hold."""


def check_archive(path: Path, *, levels: int) -> None:
    """Raise SuspiciousArchive for what unpacks too large, or holds archives more than `levels` deep."""
    with path.open("rb") as file:
        if file.read(4) == LOCAL_HEADER:
            ArchiveInspection().inspect(file, size=path.stat().st_size, levels=levels)


class ArchiveInspection:
    """Adds up what one file unpacks to, over all its inner archives."""

    def __init__(self) -> None:
        self.members = 0
        self.bytes = 0

    def inspect(self, file: IO[bytes], *, size: int, levels: int) -> None:
        archive = open_archive(file)
        if archive is None:
            return
        with archive:
            self.count_members(archive, size=size)
            for name, head, member in self.read_member_heads(archive):
                if head == LOCAL_HEADER:
                    self.inspect_inner_archive(archive, member, levels=levels)
                elif name.lower().endswith((".xml", ".rels")) or head.startswith(b"<"):
                    with archive.open(member) as markup:
                        refuse_declarations(markup)

    def count_members(self, archive: zipfile.ZipFile, *, size: int) -> None:
        members = archive.infolist()
        unpacked = sum(member.file_size for member in members)
        self.members += len(members)
        self.bytes += unpacked
        if self.members > MAX_MEMBERS:
            raise SuspiciousArchive(f"An archive may hold {MAX_MEMBERS:,} files; this one holds more.")
        if self.bytes > MAX_UNPACKED_BYTES:
            raise SuspiciousArchive(f"It would unpack to more than {MAX_UNPACKED_BYTES // MIB} MiB.")
        if unpacked > max(ALWAYS_ALLOWED_BYTES, MAX_COMPRESSION_RATIO * size):
            raise SuspiciousArchive(f"It would unpack to more than {MAX_COMPRESSION_RATIO} times its size.")

    def inspect_inner_archive(self, archive: zipfile.ZipFile, member: zipfile.ZipInfo, *, levels: int) -> None:
        if levels == 0:
            raise SuspiciousArchive("It holds archives within archives, deeper than this type of file does.")
        inner = io.BytesIO(archive.read(member))  # no longer than the directory says, which was counted
        self.inspect(inner, size=member.file_size, levels=levels - 1)

    @staticmethod
    def read_member_heads(archive: zipfile.ZipFile) -> Iterator[tuple[str, bytes, zipfile.ZipInfo]]:
        """Every readable member with its first four bytes. What cannot be read is the reader's to complain about."""
        for member in archive.infolist():
            try:
                with archive.open(member) as file:
                    yield member.filename, file.read(4), member
            except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, OSError, EOFError):
                continue


def open_archive(file: IO[bytes]) -> zipfile.ZipFile | None:
    """UNICORN pads its inner archives behind their end, where zipfile does not look for it."""
    try:
        return zipfile.ZipFile(file)
    except zipfile.BadZipFile:
        pass
    file.seek(0)
    content = file.read()
    end = content.rfind(END_OF_DIRECTORY)
    try:
        return zipfile.ZipFile(io.BytesIO(content[: end + END_RECORD_BYTES])) if end >= 0 else None
    except zipfile.BadZipFile:
        return None
