"""A place in an S3 bucket that a lab leaves to, or comes from: as much of a folder as an export needs, to be read.

What is written goes there whole, from a file of this machine, and counts once it was read back.
"""

import hashlib
import io
from argparse import ArgumentTypeError
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO, cast

import boto3
from boto3.exceptions import S3UploadFailedError
from botocore.config import Config
from botocore.exceptions import ClientError
from django.conf import settings

from files.storage.interface import MIB, StoreUnavailable
from files.storage.s3_errors import translate_s3_errors

SCHEME = "s3://"
READ_BYTES = 8 * MIB
CONNECT_SECONDS, READ_SECONDS = 5, 60
ABSENT = {"404", "NoSuchKey", "NotFound"}
DIGEST = "sha256"  # of the object's metadata
LOCK = "export.lock."  # and a number: operations.leaving.bucket_lock
MAX_LOCKS = 100


@cache
def bucket_client() -> Any:
    """By EXPORT_S3_…; without keys boto3's own chain finds them. Nothing is sent yet."""
    options = settings.EXPORT_S3
    return boto3.client(
        "s3",
        endpoint_url=options["endpoint_url"],
        region_name=options["region"],
        aws_access_key_id=options["access_key"],
        aws_secret_access_key=options["secret_key"],
        config=Config(
            signature_version="s3v4",
            connect_timeout=CONNECT_SECONDS,
            read_timeout=READ_SECONDS,
            retries={"mode": "standard", "total_max_attempts": 5},
            request_checksum_calculation="when_required",
            response_checksum_validation="when_required",
            s3={"addressing_style": "path" if options["endpoint_url"] else "virtual"},
        ),
    )


@dataclass(frozen=True)
class BucketStatus:
    st_size: int
    sha256: str


@dataclass(frozen=True)
class BucketPath:
    """An address in a bucket, used as a pathlib.Path is for reading. Every method raises StoreUnavailable."""

    bucket: str
    key: str

    def __truediv__(self, name: str) -> "BucketPath":
        return replace(self, key=f"{self.key}/{name}".lstrip("/"))

    def __str__(self) -> str:
        return f"{SCHEME}{self.bucket}/{self.key}"

    def find(self) -> BucketStatus | None:
        with translate_s3_errors():
            try:
                found = bucket_client().head_object(Bucket=self.bucket, Key=self.key)
            except ClientError as problem:
                if problem.response["Error"]["Code"] in ABSENT:
                    return None
                raise
        return BucketStatus(found["ContentLength"], found["Metadata"].get(DIGEST, ""))

    def exists(self) -> bool:
        return self.find() is not None

    is_file = exists

    def stat(self) -> BucketStatus:
        """Raises FileNotFoundError."""
        if (found := self.find()) is None:
            raise FileNotFoundError(str(self))
        return found

    def open(self, mode: str = "rb") -> BinaryIO:
        """Seekable, in constant memory. Raises FileNotFoundError."""
        return cast(BinaryIO, io.BufferedReader(BucketFile(self, self.stat().st_size), READ_BYTES))

    def read_text(self) -> str:
        with self.open() as file:
            return file.read().decode()

    def is_empty(self) -> bool:
        """Whether nothing but locks lies below it."""
        prefix = f"{self.key}/" if self.key else ""
        with translate_s3_errors():
            found = bucket_client().list_objects_v2(Bucket=self.bucket, Prefix=prefix, MaxKeys=MAX_LOCKS)
        return all(one["Key"].startswith(f"{prefix}{LOCK}") for one in found.get("Contents", ()))

    def upload(self, source: Path, *, sha256: str) -> None:
        """In parts where it is large; replaces what is there."""
        with translate_s3_errors():
            try:
                more = {"Metadata": {DIGEST: sha256}}
                bucket_client().upload_file(str(source), self.bucket, self.key, ExtraArgs=more)
            except S3UploadFailedError as problem:
                raise StoreUnavailable(str(problem)) from problem

    def digest(self) -> str:
        """SHA-256 of what is there, read from the bucket."""
        with self.open() as file:
            return hashlib.file_digest(cast(Any, file), "sha256").hexdigest()


class BucketFile(io.RawIOBase):
    """One object, a request for each read. Wrap it in io.BufferedReader."""

    def __init__(self, path: BucketPath, size_bytes: int) -> None:
        self._path, self._size_bytes, self._position = path, size_bytes, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._position

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        begin = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._size_bytes}[whence]
        self._position = max(0, begin + offset)
        return self._position

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        end = min(self._position + len(buffer), self._size_bytes)
        if end <= self._position:
            return 0
        asked = f"bytes={self._position}-{end - 1}"
        with translate_s3_errors():
            answer = bucket_client().get_object(Bucket=self._path.bucket, Key=self._path.key, Range=asked)
            data = answer["Body"].read()
        buffer[: len(data)] = data
        self._position += len(data)
        return len(data)


Place = Path | BucketPath


def parse_place(text: str) -> Place:
    """`s3://bucket/prefix`, else a folder; of a command's argument. Raises ArgumentTypeError without a bucket."""
    if not text.startswith(SCHEME):
        return Path(text).expanduser().resolve()
    bucket, _, prefix = text.removeprefix(SCHEME).partition("/")
    if not bucket:
        raise ArgumentTypeError(f"{text} names no bucket: s3://bucket/prefix does.")
    return BucketPath(bucket, prefix.strip("/"))
