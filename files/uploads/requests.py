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
from files.records import NewFile, lock_active_file
from files.storage import object_store
from files.storage.interface import SIGNED_URL_SECONDS
from files.uploads import declaration as announcement
from files.uploads.confirmation import NotInStore, StoredBytesDiffer, accept_upload, confirm_upload
from files.uploads.declaration import assign_storage_key
from files.uploads.multipart import (
    choose_part_size,
    drop_unused_multipart,
    ensure_multipart,
    refuse_unsuitable_bytes,
)
from files.uploads.part_checksums import count_parts
from files.uploads.reservation import ReservedKey, refuse_other_bytes, reserve_key, reserve_path
from files.uploads.twins import adopt_twin
from files.uploads.versions import find_or_create_version, refuse_without_checksum
from runs.lifecycle import lock_active_run

SINGLE, MULTIPART = "single", "multipart"


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
        if new_version:
            reserved = reserve_key(run, find_or_create_version(run, new, at=at), new, bucket=bucket, at=at)
        else:
            reserved = reserve_path(run, new, bucket=bucket, at=at)
    return open_ticket(reserved, new, part_size=part_size, by=by, at=at)


def open_ticket(
    reserved: ReservedKey, new: NewFile, *, part_size: int | None, by: Caller, at: datetime
) -> UploadTicket:
    """Where the bytes go, of a record that has its key. The store is asked: not within a transaction.

    Raises OtherBytesStored where somebody else's bytes were stored for it meanwhile.
    """
    file = reserved.file
    if file.uploaded_at is None and not reserved.is_new_key:
        file = _confirm_earlier_upload(file, by=by, at=at)
    if file.uploaded_at is None:
        file = adopt_twin(file, new, by=by, at=at)
    if file.uploaded_at is not None:
        refuse_other_bytes(file, new)
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
