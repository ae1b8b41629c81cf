"""The object store on any S3 service that honours `If-None-Match: *`; what else it does is tried out (`semantics`)."""

import io
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from typing import Any, BinaryIO

from storages.backends.s3 import S3Storage

from files.storage.checksums import crc32_from_base64, crc32_of, crc32_to_base64
from files.storage.headers import format_content_disposition, safe_media_type
from files.storage.interface import (
    MIB,
    SIGNED_URL_SECONDS,
    ObjectExists,
    ObjectMissing,
    Part,
    PartsRefused,
    SignedRequest,
    StoredObject,
    StoreUnavailable,
    UploadMissing,
)
from files.storage.keys import check_key
from files.storage.part_sink import PartSink, choose_sink_part_size
from files.storage.range_reader import RangeReader
from files.storage.s3_connection import TranslatedBody, create_clients
from files.storage.s3_conversions import (
    bind_to_signature,
    checksum_source,
    object_from_head,
    object_from_listing,
    part_for_completion,
    part_from_listing,
)
from files.storage.s3_errors import translate_s3_errors
from files.storage.s3_mending import mend_s3_object
from files.storage.s3_probe import probe_s3
from files.storage.semantics import UNKNOWN, StoreSemantics, refuse_unsuitable


class S3Store:
    """`ObjectStore` on one bucket."""

    copies_files = False

    def __init__(
        self, storage: S3Storage, *, public_endpoint_url: str | None = None, storage_class: str | None = None
    ) -> None:
        """`storage` says where the bucket is and who asks; what it cannot do itself is done here, on its client.

        `storage_class` is that of the objects which the service writes itself; None is the bucket's default.
        """
        self.bucket: str = storage.bucket_name
        self._class: dict[str, str] = {"StorageClass": storage_class} if storage_class else {}
        self.storage = storage
        clients = create_clients(storage, public_endpoint_url=public_endpoint_url)
        self._quick, self._patient, self._signer = clients.quick, clients.patient, clients.signer
        self._probed: StoreSemantics | None = None
        self._probe_lock = threading.Lock()

    @property
    def checksum_mode(self) -> str:
        return self._probed.checksum_mode if self._probed else UNKNOWN

    @property
    def copies_parts(self) -> bool:
        return self.probe().copies_parts

    def probe(self) -> StoreSemantics:
        with self._probe_lock:
            if self._probed is None:
                self._probed = probe_s3(self._quick, self.bucket)
        refuse_unsuitable(self._probed)
        return self._probed

    def presign_get(
        self, key: str, *, filename: str, content_type: str, inline: bool = False, expires_in: int = SIGNED_URL_SECONDS
    ) -> str:
        terms = self._object_parameters(key) | {
            "ResponseContentType": safe_media_type(content_type),
            "ResponseContentDisposition": format_content_disposition(filename, inline=inline),
            "ResponseCacheControl": "private, no-store",
        }
        return self._signer.generate_presigned_url("get_object", Params=terms, ExpiresIn=expires_in)

    def presign_put(
        self,
        key: str,
        *,
        size_bytes: int | None,
        content_type: str,
        crc32: str | None = None,
        expires_in: int = SIGNED_URL_SECONDS,
    ) -> SignedRequest:
        terms = self._object_parameters(key) | {"ContentType": content_type, "IfNoneMatch": "*"}
        headers = {"Content-Type": content_type, "If-None-Match": "*"}
        bind_to_signature(terms, headers, size_bytes=size_bytes, crc32=crc32)
        return self._sign_request("put_object", terms, headers, expires_in)

    def address_of(self, key: str) -> str:
        return f"s3://{self.bucket}/{check_key(key)}"

    def head(self, key: str) -> StoredObject | None:
        try:
            with translate_s3_errors(key=key):
                return object_from_head(
                    key, self._quick.head_object(**self._object_parameters(key), ChecksumMode="ENABLED")
                )
        except ObjectMissing:
            return None

    @contextmanager
    def open_range(self, key: str, *, start: int = 0, end: int | None = None) -> Iterator[BinaryIO]:
        stored = self.head(key)
        if stored is None:
            raise ObjectMissing(key)
        end = stored.size_bytes if end is None else end
        if not 0 <= start <= end <= stored.size_bytes:
            raise ValueError(f"{start} to {end} lies beyond the {stored.size_bytes} bytes of {key}")
        if start == end:
            yield io.BytesIO()
            return
        with translate_s3_errors(key=key):
            body = self._patient.get_object(**self._object_parameters(key), Range=f"bytes={start}-{end - 1}")["Body"]
        with body:
            yield io.BufferedReader(RangeReader(TranslatedBody(body), end - start), MIB)

    def put(self, key: str, source: BinaryIO, *, size_bytes: int, content_type: str) -> StoredObject:
        crc32 = checksum_source(source, size_bytes)
        with translate_s3_errors(key=key):
            self._patient.put_object(
                **self._object_parameters(key),
                **self._class,
                Body=source,
                ContentLength=size_bytes,
                ContentType=content_type,
                ChecksumCRC32=crc32_to_base64(crc32),
                IfNoneMatch="*",
            )
        return self._head_published(key)

    def mend(self, key: str, source: BinaryIO, *, size_bytes: int, crc32: str, content_type: str) -> StoredObject:
        mend_s3_object(
            self._patient, self.bucket, key, source, size_bytes=size_bytes, crc32=crc32, content_type=content_type
        )
        return self._head_published(key)

    def open_sink(self, key: str, *, content_type: str, at_most: int) -> PartSink:
        return PartSink(self, key, content_type=content_type, part_size=choose_sink_part_size(at_most))

    def delete(self, key: str) -> None:
        with translate_s3_errors(key=key):
            self._quick.delete_object(**self._object_parameters(key))

    def list(self, prefix: str = "", *, after: str = "") -> Iterator[StoredObject]:
        terms = {"Bucket": self.bucket, "Prefix": prefix} | ({"StartAfter": after} if after else {})
        for page in self._pages("list_objects_v2", terms):
            yield from map(object_from_listing, page.get("Contents", ()))

    def start_multipart(self, key: str, *, content_type: str, size_bytes: int | None, part_size: int) -> str:
        with translate_s3_errors(key=key):
            answer = self._quick.create_multipart_upload(
                **self._object_parameters(key),
                **self._class,
                ContentType=content_type,
                ChecksumAlgorithm="CRC32",
                ChecksumType="FULL_OBJECT",
            )
        return answer["UploadId"]

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
        terms, headers = self._part_parameters(key, upload_id, part_number), dict[str, str]()
        bind_to_signature(terms, headers, size_bytes=size_bytes, crc32=crc32)
        return self._sign_request("upload_part", terms, headers, expires_in)

    def put_part(self, key: str, *, upload_id: str, part_number: int, data: bytes) -> Part:
        crc32 = crc32_of(data)
        with translate_s3_errors(key=key, upload_id=upload_id):
            answer = self._patient.upload_part(
                **self._part_parameters(key, upload_id, part_number), Body=data, ChecksumCRC32=crc32_to_base64(crc32)
            )
        return Part(part_number, answer["ETag"].strip('"'), len(data), crc32)

    def copy_part(self, key: str, *, upload_id: str, part_number: int, source_key: str, start: int, end: int) -> Part:
        with translate_s3_errors(key=key, upload_id=upload_id, source_key=source_key):
            answer = self._patient.upload_part_copy(
                **self._part_parameters(key, upload_id, part_number),
                CopySource={"Bucket": self.bucket, "Key": check_key(source_key)},
                CopySourceRange=f"bytes={start}-{end - 1}",
            )["CopyPartResult"]
        return Part(part_number, answer["ETag"].strip('"'), end - start, crc32_from_base64(answer.get("ChecksumCRC32")))

    def list_parts(self, key: str, *, upload_id: str) -> Sequence[Part]:
        return [part_from_listing(row) for page in self._part_pages(key, upload_id) for row in page.get("Parts", ())]

    def complete_multipart(self, key: str, *, upload_id: str, parts: Sequence[Part]) -> StoredObject:
        if [part.part_number for part in parts] != list(range(1, len(parts) + 1)) or not parts:
            raise PartsRefused("An object is made of parts 1 to n, without a gap.", part_count=len(parts))
        if self.head(key) is not None:
            raise ObjectExists(key)
        with translate_s3_errors(key=key, upload_id=upload_id):
            self._patient.complete_multipart_upload(
                **self._object_parameters(key),
                UploadId=upload_id,
                IfNoneMatch="*",
                MultipartUpload={"Parts": [part_for_completion(part) for part in parts]},
            )
        return self._head_published(key)

    def abort_multipart(self, key: str, *, upload_id: str) -> None:
        with suppress(UploadMissing), translate_s3_errors(key=key, upload_id=upload_id):
            self._quick.abort_multipart_upload(**self._object_parameters(key), UploadId=upload_id)

    def remove_abandoned(self, *, before: datetime) -> int:
        pages = self._pages("list_multipart_uploads", {"Bucket": self.bucket})
        rows = [row for page in pages for row in page.get("Uploads", ()) if row["Initiated"] < before]
        stale = [row for row in rows if self._is_idle(row["Key"], row["UploadId"], before)]
        for row in stale:
            self.abort_multipart(row["Key"], upload_id=row["UploadId"])
        return len(stale)

    def check(self) -> None:
        with translate_s3_errors():
            self._quick.head_bucket(Bucket=self.bucket)

    def _object_parameters(self, key: str) -> dict[str, Any]:
        return {"Bucket": self.bucket, "Key": check_key(key)}

    def _part_parameters(self, key: str, upload_id: str, part_number: int) -> dict[str, Any]:
        return self._object_parameters(key) | {"UploadId": upload_id, "PartNumber": part_number}

    def _sign_request(
        self, operation: str, terms: dict[str, Any], headers: dict[str, str], expires_in: int
    ) -> SignedRequest:
        url = self._signer.generate_presigned_url(operation, Params=terms, ExpiresIn=expires_in)
        return SignedRequest("PUT", url, headers, expires_in)

    def _head_published(self, key: str) -> StoredObject:
        stored = self.head(key)
        if stored is None:
            raise StoreUnavailable("The object store does not show what it has just accepted.")
        return stored

    def _is_idle(self, key: str, upload_id: str, before: datetime) -> bool:
        pages = self._part_pages(key, upload_id)
        return all(row["LastModified"] < before for page in pages for row in page.get("Parts", ()))

    def _part_pages(self, key: str, upload_id: str) -> Iterator[dict[str, Any]]:
        return self._pages(
            "list_parts", self._object_parameters(key) | {"UploadId": upload_id}, key=key, upload_id=upload_id
        )

    def _pages(
        self, operation: str, terms: dict[str, Any], *, key: str = "", upload_id: str = ""
    ) -> Iterator[dict[str, Any]]:
        """Page by page, so that whoever works long on one holds up nobody."""
        pages = iter(self._quick.get_paginator(operation).paginate(**terms))
        while True:
            with translate_s3_errors(key=key, upload_id=upload_id):
                page = next(pages, None)
            if page is None:
                return
            yield page
