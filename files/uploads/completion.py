"""Completing a multipart upload.

Every byte is covered by a CRC32: each part's is bound by its URL and verified by the store, and the combination of all
must be that of the file. The store is asked outside transactions, and the row looked at again afterwards.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime

from django.db import transaction

from accounts.callers import Caller
from files.models import File
from files.records import lock_active_file
from files.storage import object_store
from files.storage.interface import ObjectExists, Part, PartsRefused, UploadMissing
from files.uploads.confirmation import StoredBytesDiffer, accept_upload, confirm_upload
from files.uploads.declaration import UPLOAD_COLUMNS, clear_upload
from files.uploads.multipart import lock_current_upload
from files.uploads.part_checksums import combine_part_crc32s, count_parts, known_crc32s, size_of_part
from wire.errors import Conflict


class ChecksumDiffers(Conflict):
    def __init__(self, file: File, found: str) -> None:
        super().__init__(
            "The parts together have another CRC32 than the file.", file_id=file.pk, crc32=file.crc32, parts_crc32=found
        )


@dataclass(frozen=True)
class SentPart:
    """A part as the store answered it."""

    part_number: int
    etag: str


def complete_upload(file_id: int, *, upload_id: str, parts: Sequence[SentPart], by: Caller, at: datetime) -> File:
    """Put the parts together and mark the file as uploaded; of a finished upload nothing changes.

    Raises PartsRefused, ChecksumDiffers, UploadNotCurrent; then nothing has changed.
    """
    with transaction.atomic():
        file = lock_current_upload(file_id, upload_id=upload_id, by=by)
    if file.uploaded_at is not None:
        return file
    with suppress(UploadMissing, ObjectExists):  # put together before, by a call whose answer was lost
        _complete_in_store(file, parts)
    try:
        stored = confirm_upload(file)
    except StoredBytesDiffer:
        _discard_upload(file, by=by)
        raise
    with transaction.atomic():
        current = lock_active_file(file_id, by=by)
        accept_upload(current, stored, by=by, at=at)
    current.refresh_from_db()
    return current


def _complete_in_store(file: File, sent: Sequence[SentPart]) -> None:
    store, key, upload_id = object_store(), file.storage_key or "", file.multipart_upload_id or ""
    stored = store.list_parts(key, upload_id=upload_id)
    _refuse_other_parts(file, sent, stored)
    crc32s = known_crc32s(file, stored)
    whole = combine_part_crc32s(file, crc32s)
    if whole is not None and whole != file.crc32:
        raise ChecksumDiffers(file, whole)
    parts = [replace(part, crc32=crc32s.get(part.part_number)) for part in stored]
    store.complete_multipart(key, upload_id=upload_id, parts=parts)


def _refuse_other_parts(file: File, sent: Sequence[SentPart], stored: Sequence[Part]) -> None:
    """Raises PartsRefused unless the sent parts are the stored ones and make up the file."""
    etags = {part.part_number: part.etag for part in sent}
    by_number = {part.part_number: part for part in stored}
    for number in range(1, count_parts(file) + 1):
        part = by_number.get(number)
        if part is None or number not in etags:
            raise PartsRefused(f"Part {number} is missing.", file_id=file.pk, part_number=number)
        if part.etag != etags[number].strip('"') or part.size_bytes != size_of_part(file, number):
            raise PartsRefused(f"Part {number} is not the one that is stored.", file_id=file.pk, part_number=number)
    if len(etags) != count_parts(file) or len(sent) != len(etags):
        raise PartsRefused(f"This upload has {count_parts(file)} parts.", file_id=file.pk, part_count=count_parts(file))


def _discard_upload(file: File, *, by: Caller) -> None:
    """Published, and found to be other bytes when they were read back: start again under another key."""
    with transaction.atomic():
        current = lock_active_file(file.pk, by=by)
        if current.uploaded_at is not None or current.storage_key != file.storage_key:
            return
        clear_upload(current)
        current.save(update_fields=UPLOAD_COLUMNS)
    object_store().delete(file.storage_key or "")
