"""A ZIP on the disk where the files are: the kernel copies them, and beside it they are read for their sums."""

import hashlib
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import datetime
from typing import Any, cast

from archives import streaming as streamed
from archives.members import Member
from archives.zip_entries import SourceChanged, begin_entry, end_entry, refuse_wrong_size, verify_member
from archives.zip_output import ZipOutput
from files.storage.checksums import Crc32
from files.storage.interface import MIB, ObjectMissing, ObjectStore

MIN_BYTES_PER_COPY = MIB
PIECE_BYTES = 64 * MIB


def write_member(
    archive: zipfile.ZipFile, output: ZipOutput, member: Member, *, store: ObjectStore, moment: datetime
) -> Member:
    """One member of known CRC32; what was read beside the copy must agree with its record. Raises SourceChanged."""
    if member.crc32 is None or member.size_bytes < MIN_BYTES_PER_COPY:
        return streamed.write_member(archive, output, member, store=store, moment=moment)
    begin_entry(archive, output, member, moment=moment)
    try:
        refuse_wrong_size(member, store=store)
        found = _copy_member(member, output, store=store)
    except ObjectMissing:
        raise SourceChanged(member, "its bytes are no longer in the store.") from None
    end_entry(archive, output)
    return found


def _copy_member(member: Member, output: ZipOutput, *, store: ObjectStore) -> Member:
    key, crc, digest = member.storage_key, Crc32(), hashlib.sha256() if member.sha256 else None

    def crc_of(start: int, end: int) -> int:
        piece = Crc32()
        _feed_digest(piece, key, start, end, store=store)
        crc.append(piece.value, size_bytes=end - start)
        return piece.value

    pieces = [
        (start, min(start + PIECE_BYTES, member.size_bytes)) for start in range(0, member.size_bytes, PIECE_BYTES)
    ]
    with _single_thread("crc32") as summing, _single_thread("sha256") as digesting:
        digests = [digesting.submit(_feed_digest, digest, key, *piece, store=store) for piece in pieces if digest]
        for start, end in pieces:
            output.copy_file(key, start=start, end=end, crc32=summing.submit(crc_of, start, end).result)
        for done in digests:
            done.result()
            output.progress()
    sha256 = digest.hexdigest() if digest else None
    return verify_member(member, written=member.size_bytes, crc32=crc.hex, sha256=sha256)


@contextmanager
def _single_thread(name: str) -> Iterator[ThreadPoolExecutor]:
    """What it was given is dropped when the block is left early."""
    pool = ThreadPoolExecutor(1, thread_name_prefix=name)
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


def _feed_digest(sum_of: Any, key: str, start: int, end: int, *, store: ObjectStore) -> None:
    """What has `update` reads a range of an object."""
    with store.open_range(key, start=start, end=end) as source:
        hashlib.file_digest(cast(Any, source), lambda: sum_of)
