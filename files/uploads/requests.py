"""Asking where to send the bytes of a file: a signed URL, or a multipart upload for large ones.

A record keeps its key as long as the same bytes are announced, so a repeated request goes on where the first one
stopped. What was sent but never confirmed, because somebody crashed in between, is found here and confirmed.
"""

from dataclasses import dataclass, field
from datetime import datetime

from django.db import transaction

from accounts.callers import Caller
from files.media_types import OCTET_STREAM
from files.models import File
from files.quotas import reserve_bytes
from files.records import FileIsDismissed, NewFile, find_or_create_file, lock_active_file
from files.status import set_report_kind
from files.storage import object_store
from files.storage.interface import SIGNED_URL_SECONDS
from files.uploads import declaration as announcement
from files.uploads.confirmation import NotInStore, StoredBytesDiffer, accept_upload, confirm_upload
from files.uploads.declaration import UploadDeclaration, assign_storage_key, declare_upload
from files.uploads.multipart import (
    choose_part_size,
    drop_unused_multipart,
    ensure_multipart,
    refuse_unsuitable_bytes,
)
from files.uploads.part_checksums import count_parts
from files.uploads.twins import adopt_twin
from files.uploads.versions import find_or_create_version, refuse_without_checksum
from runs.lifecycle import lock_active_run
from runs.models import Run
from wire.errors import Conflict

SINGLE, MULTIPART = "single", "multipart"
RESERVED_COLUMNS = (*announcement.UPLOAD_COLUMNS, "content_type", "file_created_at", "report_kind")


class OtherBytesStored(Conflict):
    """Stored bytes are never replaced."""

    def __init__(self, file: File) -> None:
        super().__init__(
            "Other bytes are stored for this path.", file_id=file.pk, size_bytes=file.size_bytes, sha256=file.sha256
        )


@dataclass(frozen=True)
class UploadTicket:
    """Where the bytes go: to `upload_url`, or in parts to an upload; nowhere, where they are there already."""

    file: File
    already_uploaded: bool
    upload_type: str
    upload_url: str | None = None
    headers: dict[str, str] = field(default_factory=dict)
    expires_in: int | None = None
    upload_id: str | None = None
    part_size: int | None = None
    part_count: int | None = None


def request_upload_url(
    *,
    instrument: str,
    run_id: str,
    new: NewFile,
    part_size: int | None = None,
    new_version: bool = False,
    by: Caller,
    at: datetime,
) -> UploadTicket:
    """Find or make the record of a path and say where its bytes go.

    With `part_size` (bytes) in parts of that size, where there are more bytes than that; parts of which a URL went out
    are gone on with, whatever is asked. With `new_version`, other bytes than are stored for the path get a record of
    their own. Raises RunIsDeleted, FileIsDismissed, OtherBytesStored, QuotaReached, StoreUnavailable.
    """
    part_size = choose_part_size(new.size_bytes or 0, asked=part_size)
    refuse_unsuitable_bytes(new, part_size=part_size)
    if new_version:
        refuse_without_checksum(new)
    bucket = object_store().bucket
    with transaction.atomic():
        run = lock_active_run(instrument=instrument, run_id=run_id, by=by)
        record = find_or_create_version(run, new, at=at) if new_version else find_or_create_file(run, new, at=at).file
        reserved = _reserve_key(run, record, new, bucket=bucket, at=at)
    file = reserved.file
    if file.uploaded_at is None and not reserved.is_new_key:
        file = _confirm_earlier_upload(file, by=by, at=at)
    if file.uploaded_at is None:
        file = adopt_twin(file, new, by=by, at=at)
    if file.uploaded_at is not None:
        return UploadTicket(file, already_uploaded=True, upload_type=SINGLE if part_size is None else MULTIPART)
    if part_size is None:
        file = drop_unused_multipart(file, by=by)
    if part_size is None and file.multipart_upload_id is None:
        return _ticket_for_one_put(file)
    return _ticket_in_parts(ensure_multipart(file, part_size=part_size or file.part_size or 0, by=by))


def _ticket_in_parts(file: File) -> UploadTicket:
    return UploadTicket(
        file,
        already_uploaded=False,
        upload_type=MULTIPART,
        expires_in=SIGNED_URL_SECONDS,
        upload_id=file.multipart_upload_id,
        part_size=file.part_size,
        part_count=count_parts(file),
    )


def _ticket_for_one_put(file: File) -> UploadTicket:
    signed = object_store().presign_put(
        file.storage_key or "",
        size_bytes=file.size_bytes or 0,
        content_type=file.content_type or OCTET_STREAM,
        crc32=file.crc32,
    )
    return UploadTicket(
        file,
        already_uploaded=False,
        upload_type=SINGLE,
        upload_url=signed.url,
        headers=signed.headers,
        expires_in=signed.expires_in,
    )


@dataclass(frozen=True)
class ReservedKey:
    file: File
    is_new_key: bool


def _reserve_key(run: Run, file: File, new: NewFile, *, bucket: str, at: datetime) -> ReservedKey:
    """A key for the announced bytes, in a run whose row is locked."""
    announced = UploadDeclaration(new.size_bytes or 0, new.sha256, new.crc32)
    if file.deleted_at is not None:
        raise FileIsDismissed(file)
    if file.uploaded_at is not None:
        refuse_other_bytes(file, announced)
        return ReservedKey(file, is_new_key=False)
    declare_upload(file, announced)
    is_new_key = file.storage_key is None
    if is_new_key:
        reserve_bytes(run, announced.size_bytes, at=at)
        assign_storage_key(file, bucket=bucket)
    file.content_type = new.content_type or file.content_type
    file.file_created_at = new.file_created_at or file.file_created_at
    set_report_kind(file)
    file.save(update_fields=RESERVED_COLUMNS)
    return ReservedKey(file, is_new_key)


def refuse_other_bytes(file: File, announced: UploadDeclaration) -> None:
    """Raises OtherBytesStored where what is announced contradicts what is stored; what is not known does not."""
    sums = ((announced.sha256, file.sha256), (announced.crc32, file.crc32))
    if announced.size_bytes != file.size_bytes or any(None not in pair and pair[0] != pair[1] for pair in sums):
        raise OtherBytesStored(file)


def _confirm_earlier_upload(file: File, *, by: Caller, at: datetime) -> File:
    """The file as it is now: uploaded, where the store has its bytes; with a fresh key, where it has others."""
    try:
        stored = confirm_upload(file)
    except NotInStore:
        return file
    except StoredBytesDiffer:
        return _replace_key(file, by=by)
    with transaction.atomic():
        current = lock_active_file(file.pk, by=by)
        accept_upload(current, stored, by=by, at=at)
    return current


@transaction.atomic
def _replace_key(file: File, *, by: Caller) -> File:
    current = lock_active_file(file.pk, by=by)
    if current.uploaded_at is None and current.storage_key == file.storage_key:
        assign_storage_key(current, bucket=file.storage_bucket or "")
        current.save(update_fields=announcement.UPLOAD_COLUMNS)
    return current
