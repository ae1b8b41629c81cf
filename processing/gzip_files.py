"""Files packed with gzip: seen as what they hold, and unpacked to a bounded size before a reader is given them."""

import gzip
import zlib
from pathlib import Path

from processing.readings import HEAD_BYTES, MIB, Unreadable

GZIP_SIGNATURE = b"\x1f\x8b\x08"
GZIP_SUFFIX = ".gz"
MAX_UNPACKED_BYTES = 250 * MIB  # below what one written file may be


def is_gzip(head: bytes) -> bool:
    return head.startswith(GZIP_SIGNATURE)


def unpack_head(head: bytes) -> bytes:
    """The first bytes of what is packed; nothing where that is damaged."""
    try:
        return zlib.decompressobj(wbits=31).decompress(head, HEAD_BYTES)
    except zlib.error:
        return b""


def unpacked_name(filename: str) -> str:
    """run.csv of run.csv.gz."""
    is_named_so = filename.lower().endswith(GZIP_SUFFIX) and len(filename) > len(GZIP_SUFFIX)
    return filename[: -len(GZIP_SUFFIX)] if is_named_so else filename


def unpack_file(path: Path, *, to: Path, max_bytes: int) -> None:
    """Raise Unreadable for what is damaged, empty, or unpacks to more than `max_bytes`."""
    size = 0
    try:
        with gzip.open(path) as packed, to.open("xb") as unpacked:
            while chunk := packed.read(MIB):
                size += len(chunk)
                if size > max_bytes:
                    raise Unreadable(f"It unpacks to more than {max_bytes // MIB} MiB.")
                unpacked.write(chunk)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise Unreadable("The gzip file is damaged, or ends too early.") from error
    if not size:
        raise Unreadable("It holds an empty file.")
