"""The object store on any S3 service.

The store must check `x-amz-checksum-crc32` and honour `If-None-Match: *` on PUT, as AWS and the stores of the contract
suite do; whether it also tells checksums afterwards does not matter.
"""

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from typing import Any, BinaryIO

from files.storage.checksums import crc32_of, from_base64, to_base64
from files.storage.headers import disposition, media_type
from files.storage.keys import check_key
from files.storage.part_sink import PartSink, part_size_for
from files.storage.port import (
    MIB,
    URL_SECONDS,
    ObjectExists,
    ObjectMissing,
    Part,
    PartsRefused,
    SignedRequest,
    StoredObject,
    StoreUnavailable,
    UploadMissing,
)
from files.storage.reading import RangeReader
from files.storage.s3_connection import Guarded, connect
from files.storage.s3_errors import s3_errors
from files.storage.s3_shapes import checked_sum, object_of_head, object_of_row, part_claim, part_of_row


class S3Store:
    """`ObjectStore` on one bucket."""

    copies_parts = True
    copies_files = False

    def __init__(
        self,
        *,
        bucket: str,
        endpoint_url: str | None = None,
        public_endpoint_url: str | None = None,
        region: str | None = None,
        access_key_id: str | None = None,
        secret_access_key: str | None = None,
    ) -> None:
        self.bucket = bucket
        clients = connect(
            endpoint_url=endpoint_url,
            public_endpoint_url=public_endpoint_url,
            region=region,
            access_key_id=access_key_id,
            secret_access_key=secret_access_key,
        )
        self._quick, self._patient, self._signer = clients.quick, clients.patient, clients.signer

    def presign_get(
        self, key: str, *, filename: str, content_type: str, inline: bool = False, expires_in: int = URL_SECONDS
    ) -> str:
        terms = self._at(key) | {
            "ResponseContentType": media_type(content_type),
            "ResponseContentDisposition": disposition(filename, inline=inline),
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
        expires_in: int = URL_SECONDS,
    ) -> SignedRequest:
        terms = self._at(key) | {"ContentType": content_type, "IfNoneMatch": "*"}
        headers = {"Content-Type": content_type, "If-None-Match": "*"}
        _bind(terms, headers, size_bytes=size_bytes, crc32=crc32)
        return self._signed("put_object", terms, headers, expires_in)

    def head(self, key: str) -> StoredObject | None:
        try:
            with s3_errors(key=key):
                return object_of_head(key, self._quick.head_object(**self._at(key), ChecksumMode="ENABLED"))
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
        with s3_errors(key=key):
            body = self._patient.get_object(**self._at(key), Range=f"bytes={start}-{end - 1}")["Body"]
        with body:
            yield io.BufferedReader(RangeReader(Guarded(body), end - start), MIB)

    def put(self, key: str, source: BinaryIO, *, size_bytes: int, content_type: str) -> StoredObject:
        crc32 = checked_sum(source, size_bytes)
        with s3_errors(key=key):
            self._patient.put_object(
                **self._at(key),
                Body=source,
                ContentLength=size_bytes,
                ContentType=content_type,
                ChecksumCRC32=to_base64(crc32),
                IfNoneMatch="*",
            )
        return self._published(key)

    def open_sink(self, key: str, *, content_type: str, at_most: int) -> PartSink:
        return PartSink(self, key, content_type=content_type, part_size=part_size_for(at_most))

    def delete(self, key: str) -> None:
        with s3_errors(key=key):
            self._quick.delete_object(**self._at(key))

    def list(self, prefix: str = "", *, after: str = "") -> Iterator[StoredObject]:
        terms = {"Bucket": self.bucket, "Prefix": prefix} | ({"StartAfter": after} if after else {})
        with s3_errors():
            for page in self._quick.get_paginator("list_objects_v2").paginate(**terms):
                for row in page.get("Contents", ()):
                    yield object_of_row(row)

    def start_multipart(self, key: str, *, content_type: str, size_bytes: int | None, part_size: int) -> str:
        with s3_errors(key=key):
            answer = self._quick.create_multipart_upload(
                **self._at(key), ContentType=content_type, ChecksumAlgorithm="CRC32", ChecksumType="FULL_OBJECT"
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
        expires_in: int = URL_SECONDS,
    ) -> SignedRequest:
        terms, headers = self._part(key, upload_id, part_number), dict[str, str]()
        _bind(terms, headers, size_bytes=size_bytes, crc32=crc32)
        return self._signed("upload_part", terms, headers, expires_in)

    def put_part(self, key: str, *, upload_id: str, part_number: int, data: bytes) -> Part:
        crc32 = crc32_of(data)
        with s3_errors(key=key, upload_id=upload_id):
            answer = self._patient.upload_part(
                **self._part(key, upload_id, part_number), Body=data, ChecksumCRC32=to_base64(crc32)
            )
        return Part(part_number, answer["ETag"].strip('"'), len(data), crc32)

    def copy_part(self, key: str, *, upload_id: str, part_number: int, source_key: str, start: int, end: int) -> Part:
        with s3_errors(key=source_key, upload_id=upload_id):
            answer = self._patient.upload_part_copy(
                **self._part(key, upload_id, part_number),
                CopySource={"Bucket": self.bucket, "Key": check_key(source_key)},
                CopySourceRange=f"bytes={start}-{end - 1}",
            )["CopyPartResult"]
        return Part(part_number, answer["ETag"].strip('"'), end - start, from_base64(answer.get("ChecksumCRC32")))

    def list_parts(self, key: str, *, upload_id: str) -> Sequence[Part]:
        with s3_errors(key=key, upload_id=upload_id):
            pages = self._quick.get_paginator("list_parts").paginate(**self._at(key), UploadId=upload_id)
            return [part_of_row(row) for page in pages for row in page.get("Parts", ())]

    def complete_multipart(self, key: str, *, upload_id: str, parts: Sequence[Part]) -> StoredObject:
        if [part.part_number for part in parts] != list(range(1, len(parts) + 1)) or not parts:
            raise PartsRefused("An object is made of parts 1 to n, without a gap.", part_count=len(parts))
        if self.head(key) is not None:
            raise ObjectExists(key)
        with s3_errors(key=key, upload_id=upload_id):
            self._patient.complete_multipart_upload(
                **self._at(key),
                UploadId=upload_id,
                IfNoneMatch="*",
                MultipartUpload={"Parts": [part_claim(part) for part in parts]},
            )
        return self._published(key)

    def abort_multipart(self, key: str, *, upload_id: str) -> None:
        with suppress(UploadMissing), s3_errors(key=key, upload_id=upload_id):
            self._quick.abort_multipart_upload(**self._at(key), UploadId=upload_id)

    def sweep_leftovers(self, *, before: datetime) -> int:
        with s3_errors():
            pages = self._quick.get_paginator("list_multipart_uploads").paginate(Bucket=self.bucket)
            rows = [row for page in pages for row in page.get("Uploads", ()) if row["Initiated"] < before]
        stale = [row for row in rows if self._is_idle(row["Key"], row["UploadId"], before)]
        for row in stale:
            self.abort_multipart(row["Key"], upload_id=row["UploadId"])
        return len(stale)

    def check(self) -> None:
        with s3_errors():
            self._quick.head_bucket(Bucket=self.bucket)

    def _at(self, key: str) -> dict[str, Any]:
        return {"Bucket": self.bucket, "Key": check_key(key)}

    def _part(self, key: str, upload_id: str, part_number: int) -> dict[str, Any]:
        return self._at(key) | {"UploadId": upload_id, "PartNumber": part_number}

    def _signed(self, operation: str, terms: dict[str, Any], headers: dict[str, str], expires_in: int) -> SignedRequest:
        url = self._signer.generate_presigned_url(operation, Params=terms, ExpiresIn=expires_in)
        return SignedRequest("PUT", url, headers, expires_in)

    def _published(self, key: str) -> StoredObject:
        stored = self.head(key)
        if stored is None:
            raise StoreUnavailable("The object store does not show what it has just accepted.")
        return stored

    def _is_idle(self, key: str, upload_id: str, before: datetime) -> bool:
        with s3_errors(key=key, upload_id=upload_id):
            pages = self._quick.get_paginator("list_parts").paginate(**self._at(key), UploadId=upload_id)
            return all(row["LastModified"] < before for page in pages for row in page.get("Parts", ()))


def _bind(terms: dict[str, Any], headers: dict[str, str], *, size_bytes: int | None, crc32: str | None) -> None:
    """What the sender announces becomes part of the signature."""
    if size_bytes is not None:
        terms["ContentLength"] = size_bytes
        headers["Content-Length"] = str(size_bytes)
    if crc32 is not None:
        headers["x-amz-checksum-crc32"] = terms["ChecksumCRC32"] = to_base64(crc32)
