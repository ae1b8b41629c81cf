"""What containers say of themselves: OLE documents that are cut off, objects and streams of PDF that are broken."""

import base64
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

import olefile

from processing.readings import MIB

OLE_MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
ZIP_MAGIC, WORKBOOK_PART = b"PK\x03\x04", "[Content_Types].xml"
XLS_STREAMS, BEGINNING = ("Workbook", "Book"), 0x0809  # of a workbook's records, whose numbers are never 0
FREE_SECTOR = 0xFFFFFFFF
LISTED_IN_HEADER = 109  # sectors of the table of sectors; what lies beyond is not followed
MOST_BYTES = 64 * MIB
MOST_UNPACKED = 8 * MIB  # of one stream
FLATE_STREAM = re.compile(rb"/Filter\s*\[?\s*(/ASCII85Decode\s*)?/FlateDecode\s*\]?[^<>]*>>\s*stream\r?\n")
STARTXREF, OBJECT = re.compile(rb"startxref\s+(\d{1,12})\s"), re.compile(rb"\s*\d+\s+\d+\s+obj")
STRINGS, NO_TEXT = re.compile(rb"\((\\.|[^\\()])*\)", re.DOTALL), re.compile(rb"[\x01-\x08\x0e-\x1f]")
ENTRY = re.compile(rb"(\d{10}) \d{5} n")


def list_container_doubts(path: Path) -> Iterator[str]:
    """A sentence for each; nothing of what is neither, or too large to be held."""
    if path.stat().st_size > MOST_BYTES:
        return
    with path.open("rb") as file:
        head = file.read(8)
    if head == OLE_MAGIC and is_short_of_sectors(path.read_bytes()):
        yield "It announces more sectors than it has: the file is cut off."
    elif head == OLE_MAGIC and has_hole(read_records(path)):
        yield "Between the records of its workbook is a hole: parts of its sheets may be missing."
    if head.startswith(b"%PDF") and has_lost_its_index(path.read_bytes()):
        yield "Objects are not where its table says: the document is damaged."
    if head.startswith(b"%PDF") and (broken := count_broken_streams(path.read_bytes())):
        yield f"{broken:,} of its compressed streams cannot be unpacked: the document is damaged."
    if head.startswith(ZIP_MAGIC) and (member := find_broken_member(path)):
        yield f"The part {member} is not what its checksum was made of: the file is damaged."


def find_broken_member(path: Path) -> str:
    """The first part of a workbook that does not unpack, or to something else than its checksum was made of.

    Parsers leave out such parts, styles among them.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            is_workbook = WORKBOOK_PART in archive.namelist()
            is_small = sum(member.file_size for member in archive.infolist()) <= MOST_BYTES
            parts = archive.namelist() if is_workbook and is_small else []
            return next((part for part in parts if is_broken(archive, part)), "")
    except (zipfile.BadZipFile, OSError):
        return ""


def is_broken(archive: zipfile.ZipFile, part: str) -> bool:
    try:
        archive.read(part)
    except (NotImplementedError, RuntimeError):  # packed in another way, or encrypted
        return False
    except (zipfile.BadZipFile, zlib.error, EOFError):
        return True
    return False


def is_short_of_sectors(content: bytes) -> bool:
    """Whether the last sector in use lies beyond the end; the file may leave out the rest of that one."""
    if len(content) < 512:
        return True
    shift, tables = struct.unpack_from("<H", content, 30)[0], struct.unpack_from("<I", content, 44)[0]
    if shift not in (9, 12):
        return False
    size, last = 1 << shift, -1
    places = struct.unpack_from(f"<{LISTED_IN_HEADER}I", content, 76)[: min(tables, LISTED_IN_HEADER)]
    for number, place in enumerate(places):
        table = content[(place + 1) * size : (place + 2) * size]
        if len(table) < size:
            return True
        used = [at for at, entry in enumerate(struct.unpack(f"<{size // 4}I", table)) if entry != FREE_SECTOR]
        last = max(last, number * (size // 4) + used[-1]) if used else last
    return len(content) <= (last + 1) * size


def read_records(path: Path) -> bytes:
    """Of the workbook in an OLE document; nothing where it has none."""
    try:
        with olefile.OleFileIO(path) as document:
            name = next((name for name in XLS_STREAMS if document.exists(name)), "")
            return bytes(document.openstream(name).read()) if name else b""
    except OSError:
        return b""


def has_hole(records: bytes) -> bool:
    """Whether there is nothing where a record would begin, and more of them behind it."""
    place = 0
    while place + 4 <= len(records):
        kind, length = struct.unpack_from("<HH", records, place)
        if place == 0 and kind != BEGINNING:
            return False
        if kind == 0:
            return bool(records[place:].strip(b"\0"))
        place += 4 + length
    return False


def count_broken_streams(content: bytes) -> int:
    """Of those that are packed, as they are or as text; none where the document is encrypted."""
    if b"/Encrypt" in content:
        return 0
    return sum(not unpacks(content, place.end(), place[1] or b"") for place in FLATE_STREAM.finditer(content))


def unpacks(content: bytes, start: int, before: bytes) -> bool:
    end = content.find(b"endstream", start)
    packed = content[start : end if end > 0 else len(content)]
    unpacking = zlib.decompressobj()
    try:
        unpacking.decompress(b85_text(packed) if b"ASCII85" in before else packed, MOST_UNPACKED)
    except (zlib.error, ValueError):
        return False
    return unpacking.eof or bool(unpacking.unconsumed_tail)


def b85_text(packed: bytes) -> bytes:
    return base64.a85decode(packed.strip().removeprefix(b"<~").removesuffix(b"~>"))


def has_lost_its_index(content: bytes) -> bool:
    """Whether the last table of objects, or an object of it, is not what it is said to be."""
    places = STARTXREF.findall(content)
    if not places:
        return True
    at = int(places[-1])
    if OBJECT.match(content, at):
        return False  # a table of its own kind, packed
    objects = (int(place) for place in ENTRY.findall(content, at))
    return content[at : at + 4] != b"xref" or not all(is_object(content, place) for place in objects)


def is_object(content: bytes, place: int) -> bool:
    """Whether it begins there and is text up to its stream, strings aside."""
    end = content.find(b"endobj", place)
    said = STRINGS.sub(b"", content[place : end if end > 0 else None].partition(b"stream")[0])
    return OBJECT.match(said) is not None and not NO_TEXT.search(said)
