"""Bringing in a whole store's objects: what a copy needs and a request does not.

A request waits until its object is on disk; here one wait at the end, `flush_to_disk`, serves all. Until then a power
cut may take or cut what was brought in, so whoever copies must look at it again (operations.backup.copying).
"""

import ctypes
import json
import os
import shutil
from pathlib import Path
from typing import BinaryIO

from files.storage.disk import ALREADY_EXISTS_ERRNOS, make_directory, translate_disk_errors
from files.storage.interface import MAX_PARTS_PER_UPLOAD, MIB, ObjectExists, ObjectStore, Part
from files.storage.layout import DATA_FILE, DESCRIPTION_FILE, Layout, ObjectDescription, new_etag
from files.storage.local import LocalStore
from files.storage.local_writer import ByteVerifier

IMPORT_IN_PARTS_FROM_BYTES = 256 * MIB  # from here on in parts, where the store limits the size of one request
PART_SIZE = 64 * MIB

_libc = ctypes.CDLL(None, use_errno=True)


def import_object(
    store: ObjectStore, key: str, source: BinaryIO, *, size_bytes: int, content_type: str, crc32: str | None = None
) -> None:
    """Publish `source` (seekable, unless the store is a local one) if it has this length and, where given, CRC32.

    Raises BytesRefused, ObjectExists, StoreUnavailable: nothing was published.
    """
    tally = ByteVerifier(size_bytes=size_bytes, crc32=crc32)
    if isinstance(store, LocalStore):
        _write_local_object(store.layout, key, source, tally, content_type=content_type)
    elif size_bytes >= IMPORT_IN_PARTS_FROM_BYTES:
        _upload_parts(store, key, source, tally, size_bytes=size_bytes, content_type=content_type)
    else:
        begin = source.tell()
        while block := source.read(MIB):
            tally.add(block)
        tally.verify()
        source.seek(begin)
        store.put(key, source, size_bytes=size_bytes, content_type=content_type)


def flush_to_disk(store: ObjectStore) -> None:
    """What was brought in is on disk when this returns."""
    if not isinstance(store, LocalStore):
        return
    with translate_disk_errors():
        make_directory(store.layout.root, root=store.layout.root)
        descriptor = os.open(store.layout.root, os.O_RDONLY | os.O_DIRECTORY)
        try:
            if _libc.syncfs(descriptor):
                raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
        finally:
            os.close(descriptor)


def _write_local_object(layout: Layout, key: str, source: BinaryIO, tally: ByteVerifier, *, content_type: str) -> None:
    target = layout.object_directory(key)
    if target.exists():
        raise ObjectExists(key)
    with translate_disk_errors():
        staged = layout.make_staging_directory()
        try:
            with (staged / DATA_FILE).open("xb") as data:
                while block := source.read(MIB):
                    tally.add(block)
                    data.write(block)
            crc32 = tally.verify()
            about = ObjectDescription(content_type, tally.received_bytes, crc32, new_etag(crc32))
            (staged / DESCRIPTION_FILE).write_text(json.dumps(vars(about)))
            layout.open_to_group(staged)
            layout.make_parents(target)
            _rename_unless_there(staged, target, key)
        except BaseException:
            shutil.rmtree(staged, ignore_errors=True)
            raise


def _rename_unless_there(staged: Path, target: Path, key: str) -> None:
    """Of two that bring the same object at once, the later one finds it there."""
    try:
        staged.rename(target)
    except OSError as problem:
        if problem.errno in ALREADY_EXISTS_ERRNOS:
            raise ObjectExists(key) from None
        raise


def _upload_parts(
    store: ObjectStore, key: str, source: BinaryIO, tally: ByteVerifier, *, size_bytes: int, content_type: str
) -> None:
    part_size = max(PART_SIZE, -(-size_bytes // MAX_PARTS_PER_UPLOAD))
    upload_id = store.start_multipart(key, content_type=content_type, size_bytes=size_bytes, part_size=part_size)
    parts: list[Part] = []
    try:
        while block := source.read(part_size):
            tally.add(block)
            parts.append(store.put_part(key, upload_id=upload_id, part_number=len(parts) + 1, data=block))
        tally.verify()
        store.complete_multipart(key, upload_id=upload_id, parts=parts)
    except BaseException:
        store.abort_multipart(key, upload_id=upload_id)
        raise
