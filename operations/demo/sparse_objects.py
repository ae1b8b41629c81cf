"""Objects of any size that take no room: files of zeros, for demonstration runs that nobody measured."""

import json
import zlib
from dataclasses import asdict
from functools import cache

from files.storage.checksums import combine_crc32s
from files.storage.interface import MIB
from files.storage.layout import DATA_FILE, DESCRIPTION_FILE, ObjectDescription, new_etag
from files.storage.local import LocalStore


def store_zeros(store: LocalStore, key: str, *, size_bytes: int, content_type: str) -> str:
    """Publish so many zeros as a sparse file, in time that does not depend on their number; their CRC32."""
    crc32 = crc32_of_zeros(size_bytes)
    staged = store.layout.make_staging_directory()
    with (staged / DATA_FILE).open("xb") as data:
        data.truncate(size_bytes)
    about = ObjectDescription(content_type, size_bytes, crc32, new_etag(crc32))
    (staged / DESCRIPTION_FILE).write_text(json.dumps(asdict(about)))
    target = store.layout.object_directory(key)
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    staged.rename(target)
    return crc32


@cache
def crc32_of_zeros(size_bytes: int) -> str:
    block, rest = f"{zlib.crc32(bytes(MIB)):08x}", size_bytes % MIB
    blocks = [(block, MIB)] * (size_bytes // MIB)
    return combine_crc32s([*blocks, (f"{zlib.crc32(bytes(rest)):08x}", rest)])
