"""Uploads of large files in parts: opening, signing, aborting (docs/interface.md, Uploads).

The store is always asked outside transactions, and the row looked at again afterwards.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction

from accounts.callers import Caller
from files.media_types import OCTET_STREAM
from files.models import File
from files.records import FileIsStored, NewFile, lock_active_file
from files.storage import object_store
from files.storage.interface import MAX_PARTS_PER_UPLOAD, MIB, SignedRequest, UploadMissing
from files.uploads.confirmation import UploadReplaced
from files.uploads.declaration import clear_upload
from files.uploads.part_checksums import count_parts, has_issued_parts, record_issued_parts, size_of_part
from wire.errors import Conflict, ValidationError

MULTIPART_FROM_BYTES = 100 * MIB
DEFAULT_PART_SIZE = 64 * MIB
MAX_PART_SIZE = 5 * 1024 * MIB  # the S3 API's limit
MAX_BYTES_PER_FILE = MAX_PARTS_PER_UPLOAD * MAX_PART_SIZE
MULTIPART_COLUMNS = ("storage_bucket", "storage_key", "key_nonce", "multipart_upload_id", "part_size")


class UploadNotCurrent(Conflict):
    def __init__(self, file: File) -> None:
        super().__init__(
            "This is not the open multipart upload of the file.", file_id=file.pk, upload_id=file.multipart_upload_id
        )


@dataclass(frozen=True)
class PartChecksum:
    """A part that is going to be sent."""

    part_number: int
    crc32: str


@dataclass(frozen=True)
class SignedPart:
    part_number: int
    signed: SignedRequest


def choose_part_size(size_bytes: int, *, asked: int | None = None) -> int | None:
    """In what parts so many bytes go: those asked for (rounded to MiB), else 64 MiB from 100 MiB on; None is one PUT.

    Doubled until 10,000 parts suffice.
    """
    part_size = round_to_mib(asked) if asked is not None else DEFAULT_PART_SIZE
    if size_bytes < MULTIPART_FROM_BYTES and (asked is None or size_bytes <= part_size):
        return None
    while part_size * MAX_PARTS_PER_UPLOAD < size_bytes:
        part_size *= 2
    return min(part_size, MAX_PART_SIZE)


def round_to_mib(size_bytes: int) -> int:
    return (size_bytes + MIB // 2) // MIB * MIB


def refuse_unsuitable_bytes(new: NewFile, *, part_size: int | None) -> None:
    """Raises ValidationError for bytes that cannot be uploaded as they are announced."""
    if (new.size_bytes or 0) > MAX_BYTES_PER_FILE:
        raise ValidationError(fields={"size_bytes": [f"At most {MAX_BYTES_PER_FILE} bytes can be stored."]})
    if part_size is not None and new.crc32 is None:
        raise ValidationError(fields={"crc32": [f"Needed for {new.size_bytes} bytes, which go in parts."]})


def ensure_multipart(file: File, *, part_size: int, by: Caller) -> File:
    """The file with an open multipart upload. Of several at once, one wins.

    The one it has goes on, unless the store has lost it, or it has other parts and no URL of one went out yet.
    """
    store, key = object_store(), file.storage_key or ""
    is_lost = _is_lost(file)
    if not is_lost and (file.part_size == part_size or has_issued_parts(file)):
        return file
    opened = store.start_multipart(
        key, content_type=file.content_type or OCTET_STREAM, size_bytes=file.size_bytes or 0, part_size=part_size
    )
    current = _replace_upload(file, opened, part_size=part_size, is_lost=is_lost, by=by)
    unused = file.multipart_upload_id if current.multipart_upload_id == opened else opened
    if unused is not None:
        store.abort_multipart(key, upload_id=unused)
    return current


def drop_unused_multipart(file: File, *, by: Caller) -> File:
    """The file without its open multipart upload, where no URL of a part went out yet; else as it is."""
    if file.multipart_upload_id is None:
        return file
    current = _replace_upload(file, None, part_size=None, is_lost=False, by=by)
    if current.multipart_upload_id is None:
        object_store().abort_multipart(file.storage_key or "", upload_id=file.multipart_upload_id)
    return current


@transaction.atomic
def _replace_upload(file: File, opened: str | None, *, part_size: int | None, is_lost: bool, by: Caller) -> File:
    """The file as it is now: with this upload, unless another call was first or parts are on their way."""
    current = lock_active_file(file.pk, by=by)
    if current.uploaded_at is not None or current.storage_key != file.storage_key:
        raise UploadReplaced(current)
    is_unchanged = current.multipart_upload_id == file.multipart_upload_id
    if is_unchanged and (is_lost or not has_issued_parts(current)):
        current.multipart_upload_id, current.part_size = opened, part_size
        current.save(update_fields=MULTIPART_COLUMNS)
    return current


def _is_lost(file: File) -> bool:
    """Whether the store has no open upload for the file."""
    if file.multipart_upload_id is None:
        return True
    try:
        object_store().list_parts(file.storage_key or "", upload_id=file.multipart_upload_id)
    except UploadMissing:
        return True
    return False


def sign_parts(file_id: int, *, upload_id: str, parts: Sequence[PartChecksum], by: Caller) -> list[SignedPart]:
    """A signed URL for each part, bound to its length and CRC32. A part may be asked for again.

    Raises ValidationError for parts that the upload does not have, UploadNotCurrent, FileIsStored.
    """
    with transaction.atomic():
        file = lock_current_upload(file_id, upload_id=upload_id, by=by)
        if file.uploaded_at is not None:
            raise FileIsStored(file)
        _refuse_bad_part_numbers(file, parts)
        record_issued_parts(file, [(part.part_number, part.crc32) for part in parts])
    try:
        return [SignedPart(part.part_number, _sign_part(file, part)) for part in parts]
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
            clear_upload(current)
            current.save(update_fields=MULTIPART_COLUMNS)
    return is_open


def lock_current_upload(file_id: int, *, upload_id: str, by: Caller) -> File:
    """The locked file of this multipart upload, open or finished. Raises UploadNotCurrent."""
    file = lock_active_file(file_id, by=by)
    if file.multipart_upload_id != upload_id:
        raise UploadNotCurrent(file)
    return file


def _refuse_bad_part_numbers(file: File, parts: Sequence[PartChecksum]) -> None:
    numbers = [part.part_number for part in parts]
    if max(numbers) > count_parts(file):
        raise ValidationError(fields={"parts": [f"This upload has {count_parts(file)} parts."]})
    if len(set(numbers)) != len(numbers):
        raise ValidationError(fields={"parts": ["Each part is named once."]})


def _sign_part(file: File, part: PartChecksum) -> SignedRequest:
    return object_store().presign_part(
        file.storage_key or "",
        upload_id=file.multipart_upload_id or "",
        part_number=part.part_number,
        size_bytes=size_of_part(file, part.part_number),
        crc32=part.crc32,
    )
