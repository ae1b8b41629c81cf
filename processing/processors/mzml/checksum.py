"""The SHA-1 that an indexed mzML holds of itself, up to and with the tag in which it stands."""

import hashlib
import re
from pathlib import Path

from processing.readings import MIB

TAIL_BYTES = 4096
CHECKSUM = re.compile(rb"<fileChecksum>\s*([0-9a-fA-F]{40})\s*</fileChecksum>")
OPENING_TAG = b"<fileChecksum>"


def is_as_summed(path: Path) -> bool:
    """True also of what holds no checksum, and of packed files, which have one of their own."""
    size = path.stat().st_size
    with path.open("rb") as file:
        file.seek(max(0, size - TAIL_BYTES))
        tail = file.read()
        stated = CHECKSUM.search(tail)
        if stated is None:
            return True
        left = size - len(tail) + stated.start() + len(OPENING_TAG)
        digest = hashlib.sha1(usedforsecurity=False)
        file.seek(0)
        while left > 0 and (block := file.read(min(MIB, left))):
            digest.update(block)
            left -= len(block)
    return digest.hexdigest() == stated[1].decode().lower()
