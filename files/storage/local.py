"""The object store on a directory of this machine; its signed URLs are answered by `serving.ObjectServer`.

Any number of processes may share one root: all state is on disk, and every change becomes visible by one rename.
"""

import io
import os
import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import BinaryIO

from files.storage.checksums import crc32_to_base64
from files.storage.disk import has_free_space, make_directory, remove_published, translate_disk_errors
from files.storage.headers import format_content_disposition, safe_media_type
from files.storage.interface import (
    MIB,
    SIGNED_URL_SECONDS,
    Part,
    SignedRequest,
    StoredObject,
    StoreFull,
    UploadMissing,
)
from files.storage.layout import DATA_FILE, Layout, inspect_object, last_modified_at, read_object
from files.storage.local_uploads import LocalUpload, PartWriter, UploadTerms, refuse_part, start_upload
from files.storage.local_writer import ObjectWriter
from files.storage.measuring import measured
from files.storage.mending import mend_object
from files.storage.range_reader import RangeReader
from files.storage.semantics import KEEPS_EVERY_PROMISE, VERIFIED, StoreSemantics
from files.storage.signing import Grant, UrlSigner


class LocalStore:
    """`ObjectStore` in files and directories below `root`."""

    checksum_mode = VERIFIED
    copies_parts = False
    copies_files = True

    def __init__(self, *, root: Path, bucket: str, secret: str, base_url: str, group_reads: bool = False) -> None:
        self.bucket = bucket
        self.layout = Layout(root, group_reads)
        self.signer = UrlSigner(secret=secret, base_url=base_url)

    def probe(self) -> StoreSemantics:
        return KEEPS_EVERY_PROMISE

    def presign_get(
        self, key: str, *, filename: str, content_type: str, inline: bool = False, expires_in: int = SIGNED_URL_SECONDS
    ) -> str:
        shown = format_content_disposition(filename, inline=inline)
        return self.signer.sign(
            Grant("GET", key, _expires_at(expires_in), type=safe_media_type(content_type), disposition=shown)
        )

    def presign_put(
        self,
        key: str,
        *,
        size_bytes: int | None,
        content_type: str,
        crc32: str | None = None,
        expires_in: int = SIGNED_URL_SECONDS,
    ) -> SignedRequest:
        grant = Grant("PUT", key, _expires_at(expires_in), size=size_bytes, type=content_type, crc32=crc32)
        return SignedRequest("PUT", self.signer.sign(grant), list_signed_headers(grant), expires_in)

    @measured("HeadObject")
    def head(self, key: str) -> StoredObject | None:
        with translate_disk_errors():
            return read_object(self.layout.object_directory(key), key)

    @contextmanager
    def open_range(self, key: str, *, start: int = 0, end: int | None = None) -> Iterator[BinaryIO]:
        with self.open_data(key) as data:
            size_bytes = os.fstat(data.fileno()).st_size
            end = size_bytes if end is None else end
            if not 0 <= start <= end <= size_bytes:
                raise ValueError(f"{start} to {end} lies beyond the {size_bytes} bytes of {key}")
            data.seek(start)
            yield io.BufferedReader(RangeReader(data, end - start), MIB)

    def address_of(self, key: str) -> str:
        return f"file://{self.layout.object_directory(key) / DATA_FILE}"

    @measured("PutObject")
    def put(self, key: str, source: BinaryIO, *, size_bytes: int, content_type: str) -> StoredObject:
        writer = ObjectWriter(self.layout, key, size_bytes=size_bytes, content_type=content_type, crc32=None)
        try:
            while block := source.read(MIB):
                writer.write(block)
            return writer.finish()
        finally:
            writer.discard()

    def mend(self, key: str, source: BinaryIO, *, size_bytes: int, crc32: str, content_type: str) -> StoredObject:
        return mend_object(self.layout, key, source, size_bytes=size_bytes, crc32=crc32, content_type=content_type)

    def open_sink(self, key: str, *, content_type: str, at_most: int) -> ObjectWriter:
        return ObjectWriter(self.layout, key, size_bytes=None, content_type=content_type, crc32=None)

    @measured("DeleteObject")
    def delete(self, key: str) -> None:
        with translate_disk_errors():
            remove_published(
                self.layout.object_directory(key),
                aside=self.layout.new_staging_path(),
                root=self.layout.root,
            )

    def list(self, prefix: str = "", *, after: str = "") -> Iterator[StoredObject]:
        with translate_disk_errors():
            for key in self.layout.keys(prefix, after=after):
                if stored := inspect_object(self.layout.object_directory(key), key):
                    yield stored

    def start_multipart(self, key: str, *, content_type: str, size_bytes: int | None, part_size: int) -> str:
        self.layout.object_directory(key)
        return start_upload(self.layout, UploadTerms(key, content_type, size_bytes, part_size))

    def presign_part(
        self,
        key: str,
        *,
        upload_id: str,
        part_number: int,
        size_bytes: int | None,
        crc32: str | None,
        expires_in: int = SIGNED_URL_SECONDS,
    ) -> SignedRequest:
        terms = LocalUpload(self.layout, key, upload_id).terms
        refuse_part(part_number, terms.part_size if size_bytes is None else size_bytes, terms)
        grant = Grant(
            "PUT", key, _expires_at(expires_in), size=size_bytes, crc32=crc32, upload=upload_id, part=part_number
        )
        return SignedRequest("PUT", self.signer.sign(grant), list_signed_headers(grant), expires_in)

    def put_part(self, key: str, *, upload_id: str, part_number: int, data: bytes) -> Part:
        upload = LocalUpload(self.layout, key, upload_id)
        writer = PartWriter(upload, part_number, size_bytes=len(data), crc32=None, sync=False)
        try:
            writer.write(data)
            return writer.finish()
        finally:
            writer.discard()

    def copy_part(self, key: str, *, upload_id: str, part_number: int, source_key: str, start: int, end: int) -> Part:
        upload = LocalUpload(self.layout, key, upload_id)
        with self.open_range(source_key, start=start, end=end) as source:
            writer = PartWriter(upload, part_number, size_bytes=end - start, crc32=None, sync=False)
            try:
                while block := source.read(MIB):
                    writer.write(block)
                return writer.finish()
            finally:
                writer.discard()

    def list_parts(self, key: str, *, upload_id: str) -> Sequence[Part]:
        return LocalUpload(self.layout, key, upload_id).parts()

    @measured("CompleteMultipartUpload")
    def complete_multipart(self, key: str, *, upload_id: str, parts: Sequence[Part]) -> StoredObject:
        return LocalUpload(self.layout, key, upload_id).complete(parts)

    def abort_multipart(self, key: str, *, upload_id: str) -> None:
        with suppress(UploadMissing):
            LocalUpload(self.layout, key, upload_id).abort()

    def remove_abandoned(self, *, before: datetime) -> int:
        with translate_disk_errors():
            staged = [directory for directory in _list_entries(self.layout.staging) if _is_stale(directory, before)]
            uploads = [directory for directory in _list_entries(self.layout.uploads) if _is_stale(directory, before)]
            for directory in uploads:
                staged.append(directory.rename(self.layout.new_staging_path()))
            for directory in staged:
                shutil.rmtree(directory, ignore_errors=True)
        return len(staged)

    def check(self) -> None:
        with translate_disk_errors():
            make_directory(self.layout.staging, root=self.layout.root, mode=self.layout.directory_mode)
            if not has_free_space(self.layout.root):
                raise StoreFull

    def open_writer(self, grant: Grant, size_bytes: int) -> ObjectWriter | PartWriter:
        """What takes the bytes that a signed PUT brings. Raises ObjectExists, UploadMissing, StoreUnavailable."""
        if grant.upload is None or grant.part is None:
            content_type = grant.type or ""
            return ObjectWriter(
                self.layout, grant.key, size_bytes=size_bytes, content_type=content_type, crc32=grant.crc32
            )
        upload = LocalUpload(self.layout, grant.key, grant.upload)
        return PartWriter(upload, grant.part, size_bytes=size_bytes, crc32=grant.crc32)

    def open_data(self, key: str) -> io.FileIO:
        """The file with the object's bytes. Raises ObjectMissing."""
        with translate_disk_errors():
            return self.layout.open_data(key)


def list_signed_headers(grant: Grant) -> dict[str, str]:
    """The headers that a signed PUT must carry, exactly so; the same names as on S3."""
    headers = {} if grant.size is None else {"Content-Length": str(grant.size)}
    if grant.type is not None:
        headers["Content-Type"] = grant.type
    if grant.upload is None:
        headers["If-None-Match"] = "*"
    if grant.crc32 is not None:
        headers["x-amz-checksum-crc32"] = crc32_to_base64(grant.crc32)
    return headers


def _expires_at(expires_in: int) -> int:
    return int(time.time()) + expires_in


def _list_entries(directory: Path) -> list[Path]:
    return list(directory.iterdir()) if directory.exists() else []


def _is_stale(directory: Path, before: datetime) -> bool:
    try:
        return last_modified_at(directory) < before
    except FileNotFoundError:
        return False
