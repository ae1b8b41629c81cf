"""What JPEG shows of damage, as a file of its own or within DICOM: segments that do not follow each other, holes."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from processing.readings import MIB

MOST_BYTES, MOST_PICTURES = 64 * MIB, 2000  # that are looked at
START, DICOM, DICOM_AT = re.compile(rb"\xff\xd8(?=\xff)"), b"DICM", 128
FIRST = re.compile(rb"\xff(?:\xe0..JFIF\0|\xe1..Exif\0|\xee..Adobe|\xdb\0[\x43\x84])", re.DOTALL)  # segments
SCAN, TABLES, BASELINE, END_OF_IMAGE = 0xDA, 0xC4, (0xC0, 0xC1), b"\xff\xd9"
ALONE = range(0xD0, 0xDA)  # which stand in no head
TABLE_HEAD = 17  # bytes of a table of codes before these: its number, and how many codes are 1 to 16 bits long
USUAL_TABLE = bytes.fromhex("00 01 05 01 01 01 01 01 01 00 00 00 00 00 00 00")  # of brightness: ITU T.81, table K.3
HOLE = bytes(16)


@dataclass(frozen=True)
class Head:
    """The segments before the first scan, by their marks, and where it begins; None: something else stands there."""

    segments: list[tuple[int, bytes]]
    scan: int | None


def list_jpeg_doubts(path: Path) -> Iterator[str]:
    """One sentence, about the first picture that is damaged."""
    with path.open("rb") as file:
        begin = file.read(DICOM_AT + len(DICOM))
    if path.stat().st_size > MOST_BYTES or not (START.match(begin) or begin.endswith(DICOM)):
        return
    content = path.read_bytes()
    places = (found.end() for found in START.finditer(content) if FIRST.match(content, found.end()))
    yield from islice((said for place in islice(places, MOST_PICTURES) for said in judge(content, place)), 1)


def judge(content: bytes, place: int) -> Iterator[str]:
    head = read_head(content, place)
    if head.scan is None:
        yield "The parts of a JPEG do not follow each other: the picture may be damaged."
    elif has_hole(content, head):
        yield "Within a JPEG is a hole of zeros, which its codes never give: the picture may be damaged."


def read_head(content: bytes, place: int) -> Head:
    segments = list[tuple[int, bytes]]()
    while content[place : place + 1] == b"\xff":
        mark = content[place + 1] if place + 1 < len(content) else 0
        if mark == 0xFF:  # one may be filled with these
            place += 1
            continue
        if mark == 0 or mark in ALONE:
            break
        if mark == SCAN:
            return Head(segments, place)
        length = int.from_bytes(content[place + 2 : place + 4])
        segments.append((mark, content[place + 4 : place + 2 + length]))
        place += 2 + length
    return Head(segments, None)


def has_hole(content: bytes, head: Head) -> bool:
    """In a table of codes; or in a scan by the usual ones, which give noise for zeros, where others may give black."""
    tables = b"".join(data for mark, data in head.segments if mark == TABLES)
    place = 0
    while place + TABLE_HEAD <= len(tables):
        count = sum(tables[place + 1 : place + TABLE_HEAD])
        if not count:
            return True
        place += TABLE_HEAD + count
    scan = head.scan or 0
    coded = content[scan + 2 + int.from_bytes(content[scan + 2 : scan + 4]) : content.find(END_OF_IMAGE, scan)]
    is_usual = USUAL_TABLE in tables and any(mark in BASELINE for mark, _ in head.segments)
    return is_usual and HOLE in coded
