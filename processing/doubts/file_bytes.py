"""What the bytes of a file show of damage, whatever it is: an end that was never written, everything twice,
and what programs do to a binary file that take it for a text.
"""

from collections.abc import Iterator
from pathlib import Path

from processing.readings import MIB
from processing.text_encoding import detect_marked_encoding

MOST_BYTES = 64 * MIB  # of a larger file nothing is said
LEAST_END, END_SHARE = 512, 0.02  # zeros, and their share of the file
LEAST_TWICE = 64  # bytes of one half
DARK = (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+", b"\x89PNG", b"\xd0\xcf\x11\xe0", b"BM")  # may end in zeros
HDF5, HDF5_ROOM = b"\x89HDF\r\n\x1a\n", 2 * 2048 + 1  # the library fills blocks of metadata and of small data
DICOM, DICOM_AT = b"DICM", 128
REPLACED = "\ufffd".encode()
REPLACED_SHARE = 0.05  # of the file; in texts a few are what programs could not write
LEAST_LINE_FEEDS = 12


def list_byte_doubts(path: Path) -> Iterator[str]:
    """A sentence for each."""
    if path.stat().st_size > MOST_BYTES:
        return
    content = path.read_bytes()
    zeros = len(content) - len(content.rstrip(b"\0"))
    least = HDF5_ROOM if content.startswith(HDF5) else LEAST_END
    if zeros >= max(least, END_SHARE * len(content)) and not may_end_in_zeros(content):
        yield f"Its last {zeros:,} bytes are zeros: the file may not have been written to its end."
    if is_doubled(content):
        yield "All that it holds stands in it twice: two copies may have become one file."
    if content.startswith(REPLACED) or len(REPLACED) * content.count(REPLACED) > REPLACED_SHARE * len(content):
        yield "A program took it for another kind of text, and replaced what it did not know: the file is damaged."
    elif is_sent_as_text(content):
        yield "Each line feed has a carriage return before it, as in a text: a program may have changed its bytes."


def may_end_in_zeros(content: bytes) -> bool:
    """Pictures may be black at their end, and sectors are filled up."""
    return content.startswith(DARK) or content[DICOM_AT:].startswith(DICOM)


def is_doubled(content: bytes) -> bool:
    """Its second half is the same as the first, and these are not one byte throughout."""
    half = len(content) // 2
    begin = content[:LEAST_TWICE]
    if half < LEAST_TWICE or len(content) % 2 or not content.startswith(begin, half) or len(set(begin)) == 1:
        return False
    return content[:half] == content[half:]


def is_sent_as_text(content: bytes) -> bool:
    """Of a file that is none; by chance a line feed seldom stands behind a carriage return."""
    if b"\0" not in content or detect_marked_encoding(content):
        return False
    feeds = content.count(b"\n")
    return feeds >= LEAST_LINE_FEEDS and content.count(b"\r\n") == feeds
