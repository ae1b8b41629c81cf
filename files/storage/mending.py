"""Putting right bytes in the place of damaged ones, in the local store.

The damaged bytes stay below <root>/.damaged, by a second name for the same bytes: at no moment is there nothing.
"""

import os
from contextlib import suppress
from typing import BinaryIO

from files.storage.disk import make_directory, sync_directory, translate_disk_errors
from files.storage.interface import MIB, StoredObject
from files.storage.layout import (
    DATA_FILE,
    DESCRIPTION_FILE,
    Layout,
    ObjectDescription,
    new_etag,
    read_object,
    write_description,
)
from files.storage.local_writer import ByteVerifier, write_at


def mend_object(
    layout: Layout, key: str, source: BinaryIO, *, size_bytes: int, crc32: str, content_type: str
) -> StoredObject:
    """What readers find at any moment is either the old bytes or all of the new. Raises BytesRefused, StoreFull."""
    target, staged = layout.object_directory(key), layout.make_staging_directory()
    fresh = staged / DATA_FILE
    try:
        with translate_disk_errors():
            _write_verified(fresh.as_posix(), source, size_bytes=size_bytes, crc32=crc32)
            layout.open_to_group(staged)
            make_directory(target, root=layout.root, mode=layout.directory_mode)
            _keep_aside(layout, key)
            fresh.replace(target / DATA_FILE)
            sync_directory(target)
            write_description(target, ObjectDescription(content_type, size_bytes, crc32, new_etag(crc32)))
            stored = read_object(target, key)
    finally:
        fresh.unlink(missing_ok=True)
        staged.rmdir()
    assert stored is not None
    return stored


def _write_verified(path: str, source: BinaryIO, *, size_bytes: int, crc32: str) -> None:
    tally = ByteVerifier(size_bytes=size_bytes, crc32=crc32)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        while block := source.read(MIB):
            tally.add(block)
            write_at(descriptor, block, tally.received_bytes - len(block))
        tally.verify()
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _keep_aside(layout: Layout, key: str) -> None:
    aside = layout.damaged / f"{key}-{os.urandom(4).hex()}"
    make_directory(aside, root=layout.root)
    for name in (DATA_FILE, DESCRIPTION_FILE):
        with suppress(FileNotFoundError):
            os.link(layout.object_directory(key) / name, aside / name)
    sync_directory(aside)
