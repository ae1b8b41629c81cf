"""Trying out what an S3 store does, with a few small objects below `probe/` that are removed again."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import requests
from botocore.exceptions import ClientError

from files.storage.checksums import crc32_of, crc32_to_base64
from files.storage.interface import StoreUnavailable
from files.storage.s3_conversions import part_for_completion, part_from_listing
from files.storage.s3_errors import EXISTS_CODES, translate_s3_errors
from files.storage.semantics import StoreSemantics
from wire.errors import ServiceError

PREFIX = "probe/"
DATA, OTHER_DATA = b"hello world", b"HELLO WORLD"
ABSENT = {"IfNoneMatch": "*"}
SECONDS = 10
NOT_IMPLEMENTED = 501


def probe_s3(client: Any, bucket: str) -> StoreSemantics:
    """Raises StoreUnavailable: nothing can be said. Some twenty small requests."""
    probe = Probe(client, bucket)
    try:
        return probe.run()
    finally:
        probe.clean_up()


class Probe:
    """Sends what senders send, by signed URLs, and what the service sends, by the client; one folder a probe."""

    def __init__(self, client: Any, bucket: str) -> None:
        self.client, self.bucket = client, bucket
        self.folder = f"{PREFIX}{secrets.token_hex(8)}/"
        self.uploads: list[dict[str, Any]] = []

    def run(self) -> StoreSemantics:
        if not self._takes("put_object", self._object("aB") | ABSENT, DATA):
            raise StoreUnavailable("The object store refuses a signed upload: are the keys of the service right?")
        refuses_overwrite = not self._takes("put_object", self._object("aB") | ABSENT, OTHER_DATA)
        verifies_objects = not self._takes("put_object", self._object("a") | ABSENT, DATA, announced=OTHER_DATA)
        upload = self._open_upload("a/b")
        verifies_parts = not self._takes("upload_part", upload | {"PartNumber": 1}, DATA[:5], announced=OTHER_DATA)
        copies_parts = self._copies_part(upload, source=self._object("aB"))
        self._complete(upload)
        again = self._open_upload("aB")
        self._takes("upload_part", again | {"PartNumber": 1}, OTHER_DATA)
        return StoreSemantics(
            verifies_checksums=verifies_objects and verifies_parts,
            refuses_overwrite=refuses_overwrite,
            refuses_overwrite_by_parts=not self._completes(again),
            reads_ranges=self._reads_ranges("a/b"),
            copies_parts=copies_parts,
            lists_in_order=self._lists_in_order(),
        )

    def clean_up(self) -> None:
        """Also after a probe that broke off; what cannot be removed is a few bytes."""
        with suppress(ServiceError):
            for upload in self.uploads:
                with suppress(ClientError), self._asking():
                    self.client.abort_multipart_upload(**upload)
            for key in self._list_keys():
                with self._asking():
                    self.client.delete_object(Bucket=self.bucket, Key=key)

    def _object(self, name: str) -> dict[str, Any]:
        return {"Bucket": self.bucket, "Key": f"{self.folder}{name}"}

    @contextmanager
    def _asking(self) -> Iterator[None]:
        """A refusal is an answer and passes as ClientError; everything else is StoreUnavailable."""
        refusal = None
        with translate_s3_errors():
            try:
                yield
            except ClientError as answer:
                if not is_refusal(answer.response["ResponseMetadata"]["HTTPStatusCode"]):
                    raise
                refusal = answer
        if refusal is not None:
            raise refusal

    def _takes(self, operation: str, terms: dict[str, Any], data: bytes, *, announced: bytes | None = None) -> bool:
        """Whether a signed request with this body, and the checksum of `announced`, is taken."""
        checksum = crc32_to_base64(crc32_of(data if announced is None else announced))
        bound = {"ContentLength": len(data), "ChecksumCRC32": checksum}
        headers = {"Content-Length": str(len(data)), "x-amz-checksum-crc32": checksum}
        headers |= {"If-None-Match": "*"} if "IfNoneMatch" in terms else {}
        url = self.client.generate_presigned_url(operation, Params=terms | bound)
        with translate_s3_errors():
            answer = requests.put(url, data=data, headers=headers, timeout=SECONDS)
        if answer.ok:
            return True
        if is_refusal(answer.status_code):
            return False
        raise StoreUnavailable(f"The object store answers {answer.status_code}.")

    def _open_upload(self, name: str) -> dict[str, Any]:
        with translate_s3_errors():
            answer = self.client.create_multipart_upload(
                **self._object(name), ChecksumAlgorithm="CRC32", ChecksumType="FULL_OBJECT"
            )
        self.uploads.append(self._object(name) | {"UploadId": answer["UploadId"]})
        return self.uploads[-1]

    def _copies_part(self, upload: dict[str, Any], *, source: dict[str, Any]) -> bool:
        """Leaves a part in any case. A store that does not know the header makes an empty one."""
        terms = {"PartNumber": 1, "CopySource": source, "CopySourceRange": f"bytes=0-{len(DATA) - 1}"}
        with suppress(ClientError), self._asking():
            self.client.upload_part_copy(**upload, **terms)
        if [part["Size"] for part in self._list_parts(upload)] == [len(DATA)]:
            return True
        with translate_s3_errors():
            self.client.upload_part(**upload, PartNumber=1, Body=DATA)
        return False

    def _list_parts(self, upload: dict[str, Any]) -> list[dict[str, Any]]:
        with translate_s3_errors():
            return list(self.client.list_parts(**upload).get("Parts", ()))

    def _complete(self, upload: dict[str, Any]) -> None:
        parts = [part_for_completion(part_from_listing(row)) for row in self._list_parts(upload)]
        with translate_s3_errors():
            self.client.complete_multipart_upload(**upload, **ABSENT, MultipartUpload={"Parts": parts})

    def _completes(self, upload: dict[str, Any]) -> bool:
        """Whether parts are completed though the key is taken."""
        try:
            self._complete(upload)
        except StoreUnavailable as refusal:
            cause = refusal.__cause__
            if isinstance(cause, ClientError) and cause.response["Error"]["Code"] in EXISTS_CODES:
                return False
            raise
        return True

    def _reads_ranges(self, name: str) -> bool:
        with translate_s3_errors():
            body = self.client.get_object(**self._object(name), Range="bytes=2-4")["Body"]
            return bool(body.read() in (DATA[2:5], OTHER_DATA[2:5]))

    def _lists_in_order(self) -> bool:
        keys = self._list_keys()
        return len(keys) > 1 and keys == sorted(keys) and self._list_keys(StartAfter=keys[0]) == keys[1:]

    def _list_keys(self, **more: str) -> list[str]:
        with translate_s3_errors():
            answer = self.client.list_objects_v2(Bucket=self.bucket, Prefix=self.folder, **more)
        return [row["Key"] for row in answer.get("Contents", ())]


def is_refusal(status: int) -> bool:
    """An answer about the request, not about the state of the store."""
    return 400 <= status < 500 or status == NOT_IMPLEMENTED
