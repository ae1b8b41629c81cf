"""Uploads of large files in parts: opening, signing, aborting (contract section 3, upload).

The store is always asked outside transactions, and the row looked at again afterwards.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from django.db import transaction

from accounts.callers import Caller
from files.announcement import forget_upload
from files.confirmation import UploadReplaced
from files.media import OCTETS
from files.models import File
from files.part_checksums import part_count, remember_issued, size_of_part
from files.records import FileIsStored, NewFile, lock_active_file
from files.storage import object_store
from files.storage.port import MAX_PARTS, MIB, SignedRequest, UploadMissing
from wire.errors import Conflict, ValidationError

LARGE = 100 * MIB
PART_SIZE = 64 * MIB
LARGEST = MAX_PARTS * 5 * 1024 * MIB  # the S3 API's largest part
COLUMNS = ("storage_bucket", "storage_key", "upload_id", "multipart_upload_id", "part_size")


class UploadNotCurrent(Conflict):
    def __init__(self, file: File) -> None:
        super().__init__(
            "This is not the open multipart upload of the file.", file_id=file.pk, upload_id=file.multipart_upload_id
        )


@dataclass(frozen=True)
class PartSum:
    """A part that is going to be sent."""

    part_number: int
    crc32: str


@dataclass(frozen=True)
class SignedPart:
    part_number: int
    signed: SignedRequest


def is_large(file: File) -> bool:
    return (file.size_bytes or 0) >= LARGE


def part_size_for(size_bytes: int) -> int:
    """64 MiB, doubled until 10,000 parts suffice."""
    part_size = PART_SIZE
    while part_size * MAX_PARTS < size_bytes:
        part_size *= 2
    return part_size


def refuse_unfit(new: NewFile) -> None:
    """Raises ValidationError for bytes that cannot be uploaded as they are announced."""
    size_bytes = new.size_bytes or 0
    if size_bytes > LARGEST:
        raise ValidationError(fields={"size_bytes": [f"At most {LARGEST} bytes can be stored."]})
    if size_bytes >= LARGE and new.crc32 is None:
        raise ValidationError(fields={"crc32": [f"Needed from {LARGE} bytes on, where uploads go in parts."]})


def ensure_multipart(file: File, *, by: Caller) -> File:
    """The file with an open multipart upload: the one it has, unless the store has lost it. Of two, one wins."""
    store, key = object_store(), file.storage_key or ""
    if file.multipart_upload_id is not None:
        with suppress(UploadMissing):
            store.list_parts(key, upload_id=file.multipart_upload_id)
            return file
    size_bytes = file.size_bytes or 0
    part_size = part_size_for(size_bytes)
    opened = store.start_multipart(
        key, content_type=file.content_type or OCTETS, size_bytes=size_bytes, part_size=part_size
    )
    with transaction.atomic():
        current = lock_active_file(file.pk, by=by)
        if current.uploaded_at is not None or current.storage_key != key:
            raise UploadReplaced(current)
        wins = current.multipart_upload_id == file.multipart_upload_id
        if wins:
            current.multipart_upload_id, current.part_size = opened, part_size
            current.save(update_fields=COLUMNS)
    if not wins:
        store.abort_multipart(key, upload_id=opened)
    return current


def sign_parts(file_id: int, *, upload_id: str, parts: Sequence[PartSum], by: Caller) -> list[SignedPart]:
    """A signed URL for each part, bound to its length and CRC32. A part may be asked for again.

    Raises ValidationError for parts that the upload does not have, UploadNotCurrent, FileIsStored.
    """
    with transaction.atomic():
        file = lock_current_upload(file_id, upload_id=upload_id, by=by)
        if file.uploaded_at is not None:
            raise FileIsStored(file)
        _refuse_odd_numbers(file, parts)
        remember_issued(file, [(part.part_number, part.crc32) for part in parts])
    try:
        return [SignedPart(part.part_number, _sign(file, part)) for part in parts]
    except UploadMissing:
        raise UploadNotCurrent(file) from None


def abort_upload(file_id: int, *, upload_id: str, by: Caller) -> bool:
    """Drop an open multipart upload; False where none is open."""
    with transaction.atomic():
        file = lock_active_file(file_id, by=by)
        if file.multipart_upload_id is None:
            return False
        file = lock_current_upload(file_id, upload_id=upload_id, by=by)
        if file.uploaded_at is not None:
            raise FileIsStored(file)
    object_store().abort_multipart(file.storage_key or "", upload_id=upload_id)
    with transaction.atomic():
        current = lock_active_file(file_id, by=by)
        is_open = current.multipart_upload_id == upload_id and current.uploaded_at is None
        if is_open:
            forget_upload(current)
            current.save(update_fields=COLUMNS)
    return is_open


def lock_current_upload(file_id: int, *, upload_id: str, by: Caller) -> File:
    """The locked file of this multipart upload, open or finished. Raises UploadNotCurrent."""
    file = lock_active_file(file_id, by=by)
    if file.multipart_upload_id != upload_id:
        raise UploadNotCurrent(file)
    return file


def _refuse_odd_numbers(file: File, parts: Sequence[PartSum]) -> None:
    numbers = [part.part_number for part in parts]
    if max(numbers) > part_count(file):
        raise ValidationError(fields={"parts": [f"This upload has {part_count(file)} parts."]})
    if len(set(numbers)) != len(numbers):
        raise ValidationError(fields={"parts": ["Each part is named once."]})


def _sign(file: File, part: PartSum) -> SignedRequest:
    return object_store().presign_part(
        file.storage_key or "",
        upload_id=file.multipart_upload_id or "",
        part_number=part.part_number,
        size_bytes=size_of_part(file, part.part_number),
        crc32=part.crc32,
    )
