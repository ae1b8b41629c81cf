"""Bringing in a whole store's objects: what a copy needs and a request does not.

A request waits until its object is on disk; here one wait at the end, `settle`, serves all. Until then a power cut may
take or cut what was brought in, so whoever copies must look at it again (config.backup.pool).
"""

import ctypes
import json
import os
import shutil
from typing import BinaryIO

from files.storage.disk import make_directory, store_errors
from files.storage.layout import ABOUT, DATA, About, Layout, new_etag
from files.storage.local import LocalStore
from files.storage.local_writing import Tally
from files.storage.port import MAX_PARTS, MIB, ObjectExists, ObjectStore, Part

LARGE = 256 * MIB  # from here on in parts, where the store limits the size of one request
PART = 64 * MIB

_libc = ctypes.CDLL(None, use_errno=True)


def bring_in(
    store: ObjectStore, key: str, source: BinaryIO, *, size_bytes: int, content_type: str, crc32: str | None = None
) -> None:
    """Publish `source` (seekable, unless the store is a local one) if it has this length and, where given, CRC32.

    Raises BytesRefused, ObjectExists, StoreUnavailable: nothing was published.
    """
    tally = Tally(size_bytes=size_bytes, crc32=crc32)
    if isinstance(store, LocalStore):
        _lay(store.layout, key, source, tally, content_type=content_type)
    elif size_bytes >= LARGE:
        _send_parts(store, key, source, tally, size_bytes=size_bytes, content_type=content_type)
    else:
        begin = source.tell()
        while block := source.read(MIB):
            tally.add(block)
        tally.settle()
        source.seek(begin)
        store.put(key, source, size_bytes=size_bytes, content_type=content_type)


def settle(store: ObjectStore) -> None:
    """What was brought in is on disk when this returns."""
    if not isinstance(store, LocalStore):
        return
    with store_errors():
        make_directory(store.layout.root)
        descriptor = os.open(store.layout.root, os.O_RDONLY | os.O_DIRECTORY)
        try:
            if _libc.syncfs(descriptor):
                raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
        finally:
            os.close(descriptor)


def _lay(layout: Layout, key: str, source: BinaryIO, tally: Tally, *, content_type: str) -> None:
    target = layout.object(key)
    if target.exists():
        raise ObjectExists(key)
    with store_errors():
        staged = layout.new_staged()
        try:
            with (staged / DATA).open("xb") as data:
                while block := source.read(MIB):
                    tally.add(block)
                    data.write(block)
            crc32 = tally.settle()
            about = About(content_type, tally.counted, crc32, new_etag(crc32))
            (staged / ABOUT).write_text(json.dumps(vars(about)))
            target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            staged.rename(target)
        except BaseException:
            shutil.rmtree(staged, ignore_errors=True)
            raise


def _send_parts(
    store: ObjectStore, key: str, source: BinaryIO, tally: Tally, *, size_bytes: int, content_type: str
) -> None:
    part_size = max(PART, -(-size_bytes // MAX_PARTS))
    upload_id = store.start_multipart(key, content_type=content_type, size_bytes=size_bytes, part_size=part_size)
    parts: list[Part] = []
    try:
        while block := source.read(part_size):
            tally.add(block)
            parts.append(store.put_part(key, upload_id=upload_id, part_number=len(parts) + 1, data=block))
        tally.settle()
        store.complete_multipart(key, upload_id=upload_id, parts=parts)
    except BaseException:
        store.abort_multipart(key, upload_id=upload_id)
        raise
