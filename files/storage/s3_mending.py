"""Putting right bytes in the place of damaged ones, in a bucket: one PUT, or one completed upload, replaces them."""

import os
from contextlib import suppress
from typing import Any, BinaryIO

from boto3.s3.transfer import TransferConfig

from files.storage.interface import MAX_PARTS_PER_UPLOAD, MIB
from files.storage.local_writer import ByteVerifier
from files.storage.s3_errors import translate_s3_errors
from wire.errors import ServiceError

DAMAGED_PREFIX = "damaged/"
PART_BYTES, CONCURRENT_PARTS = 16 * MIB, 2


class VerifiedSource:
    """A reader that breaks off at the end of bytes that are not the announced ones: an upload of them is dropped."""

    def __init__(self, source: BinaryIO, *, size_bytes: int, crc32: str) -> None:
        self.source, self.tally = source, ByteVerifier(size_bytes=size_bytes, crc32=crc32)
        self.size_bytes = size_bytes

    def read(self, size: int = -1) -> bytes:
        block = self.source.read(size)
        self.tally.add(block)
        if not block or self.tally.received_bytes == self.size_bytes:
            self.tally.verify()
        return block


def mend_s3_object(
    client: Any, bucket: str, key: str, source: BinaryIO, *, size_bytes: int, crc32: str, content_type: str
) -> None:
    """What lay there is copied aside where the store can still read it. Raises BytesRefused: nothing changed."""
    part_bytes = max(PART_BYTES, 2 * size_bytes // MAX_PARTS_PER_UPLOAD)
    terms = TransferConfig(
        multipart_threshold=part_bytes, multipart_chunksize=part_bytes, max_concurrency=CONCURRENT_PARTS
    )
    with suppress(ServiceError), translate_s3_errors(key=key):
        aside = f"{DAMAGED_PREFIX}{key}-{os.urandom(4).hex()}"
        client.copy({"Bucket": bucket, "Key": key}, bucket, aside, Config=terms)
    verified = VerifiedSource(source, size_bytes=size_bytes, crc32=crc32)
    with translate_s3_errors(key=key):
        client.upload_fileobj(verified, bucket, key, ExtraArgs={"ContentType": content_type}, Config=terms)
