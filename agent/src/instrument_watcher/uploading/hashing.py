"""One read of a file tells everything the service wants to know of its bytes."""

import hashlib
import zlib
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

from instrument_watcher.activity import Transfer
from instrument_watcher.journal.rows import Digest
from instrument_watcher.uploading.crc import crc_of_blocks, hex_of
from instrument_watcher.uploading.source import PIECE, Source

BLOCK = PIECE  # part sizes are multiples of it
LARGE = 32 * PIECE  # from here on a second thread pays for itself


def hash_source(source: Source, transfer: Transfer) -> Digest:
    """SHA-256, CRC32 and the CRC32 of every MiB. Raises Changed, Stopping, OSError."""
    pieces = _paced(source, transfer)
    crcs = BlockCrcs()
    sha256_hex = hash_beside(pieces, crcs) if transfer.size >= LARGE else hash_inline(pieces, crcs)
    blocks = crcs.blocks()
    whole = crc_of_blocks(blocks, block_size=BLOCK, size=transfer.size)
    return Digest(sha256_hex, hex_of(whole), blocks)


class BlockCrcs:
    """The CRC32 of every block of a stream that comes in pieces, none of which crosses the end of a block."""

    def __init__(self) -> None:
        self._done: list[int] = []
        self._crc, self._filled = 0, 0

    def update(self, piece: bytes) -> None:
        self._crc = zlib.crc32(piece, self._crc)
        self._filled += len(piece)
        if self._filled == BLOCK:
            self._done.append(self._crc)
            self._crc, self._filled = 0, 0

    def blocks(self) -> tuple[int, ...]:
        """An empty stream has no block."""
        return (*self._done, self._crc) if self._filled else tuple(self._done)


def hash_inline(pieces: Iterable[bytes], crcs: BlockCrcs) -> str:
    sha256 = hashlib.sha256()
    for piece in pieces:
        sha256.update(piece)
        crcs.update(piece)
    return sha256.hexdigest()


def hash_beside(pieces: Iterable[bytes], crcs: BlockCrcs) -> str:
    """The same on two cores: SHA-256 of one piece beside its CRC32 and the reading of the next."""
    sha256 = hashlib.sha256()
    with ThreadPoolExecutor(1, thread_name_prefix="sha256") as beside:
        under_way = beside.submit(lambda: None)
        for piece in pieces:
            under_way.result()
            under_way = beside.submit(sha256.update, piece)
            crcs.update(piece)
        under_way.result()
    return sha256.hexdigest()


def _paced(source: Source, transfer: Transfer) -> Iterable[bytes]:
    for piece in source.pieces(start=0, size=transfer.size):
        yield piece
        transfer.done += len(piece)
