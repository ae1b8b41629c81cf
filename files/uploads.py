"""Asking where to send the bytes of a file: a signed URL, or a multipart upload for large ones.

A record keeps its key as long as the same bytes are announced, so a repeated request goes on where the first one
stopped. What was sent but never confirmed, because somebody crashed in between, is found here and confirmed.
"""

from dataclasses import dataclass, field
from datetime import datetime

from django.db import transaction

from accounts.callers import Caller
from files import announcement
from files.announcement import Announcement, announce, draw_key
from files.confirmation import NotInStore, StoredBytesDiffer, accept_upload, confirm_upload
from files.media import OCTETS
from files.models import File
from files.multipart import ensure_multipart, is_large, refuse_unfit
from files.part_checksums import part_count
from files.quotas import take_bytes
from files.records import FileIsDismissed, NewFile, find_or_add, lock_active_file
from files.status import classify
from files.storage import object_store
from files.storage.port import URL_SECONDS
from runs.lifecycle import lock_active_run
from wire.errors import Conflict

SINGLE, MULTIPART = "single", "multipart"
COLUMNS = (*announcement.COLUMNS, "content_type", "file_created_at", "report_kind")


class OtherBytesStored(Conflict):
    """Stored bytes are never replaced."""

    def __init__(self, file: File) -> None:
        super().__init__(
            "Other bytes are stored for this path.", file_id=file.pk, size_bytes=file.size_bytes, sha256=file.sha256
        )


@dataclass(frozen=True)
class Ticket:
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


def request_upload_url(*, instrument: str, run_id: str, new: NewFile, by: Caller, at: datetime) -> Ticket:
    """Find or make the record of a path and say where its bytes go.

    Raises RunIsDeleted, FileIsDismissed, OtherBytesStored, QuotaReached, StoreUnavailable.
    """
    refuse_unfit(new)
    bucket = object_store().bucket
    reserved = _reserve(instrument=instrument, run_id=run_id, new=new, bucket=bucket, by=by, at=at)
    file = reserved.file
    if file.uploaded_at is None and not reserved.is_new_key:
        file = _confirm_what_is_there(file, by=by, at=at)
    if file.uploaded_at is not None:
        return Ticket(file, already_uploaded=True, upload_type=MULTIPART if is_large(file) else SINGLE)
    if is_large(file):
        return _ticket_in_parts(ensure_multipart(file, by=by))
    return _ticket_for_one_put(file)


def _ticket_in_parts(file: File) -> Ticket:
    return Ticket(
        file,
        already_uploaded=False,
        upload_type=MULTIPART,
        expires_in=URL_SECONDS,
        upload_id=file.multipart_upload_id,
        part_size=file.part_size,
        part_count=part_count(file),
    )


def _ticket_for_one_put(file: File) -> Ticket:
    signed = object_store().presign_put(
        file.storage_key or "",
        size_bytes=file.size_bytes or 0,
        content_type=file.content_type or OCTETS,
        crc32=file.crc32,
    )
    return Ticket(
        file,
        already_uploaded=False,
        upload_type=SINGLE,
        upload_url=signed.url,
        headers=signed.headers,
        expires_in=signed.expires_in,
    )


@dataclass(frozen=True)
class Reserved:
    file: File
    is_new_key: bool


@transaction.atomic
def _reserve(*, instrument: str, run_id: str, new: NewFile, bucket: str, by: Caller, at: datetime) -> Reserved:
    """The record of the path, with a key for the announced bytes."""
    run = lock_active_run(instrument=instrument, run_id=run_id, by=by)
    file = find_or_add(run, new, at=at).file
    announced = Announcement(new.size_bytes or 0, new.sha256, new.crc32)
    if file.deleted_at is not None:
        raise FileIsDismissed(file)
    if file.uploaded_at is not None:
        refuse_other_bytes(file, announced)
        return Reserved(file, is_new_key=False)
    announce(file, announced)
    is_new_key = file.storage_key is None
    if is_new_key:
        take_bytes(run, announced.size_bytes, at=at)
        draw_key(file, bucket=bucket)
    file.content_type = new.content_type or file.content_type
    file.file_created_at = new.file_created_at or file.file_created_at
    classify(file)
    file.save(update_fields=COLUMNS)
    return Reserved(file, is_new_key)


def refuse_other_bytes(file: File, announced: Announcement) -> None:
    """Raises OtherBytesStored where what is announced contradicts what is stored; what is not known does not."""
    sums = ((announced.sha256, file.sha256), (announced.crc32, file.crc32))
    if announced.size_bytes != file.size_bytes or any(None not in pair and pair[0] != pair[1] for pair in sums):
        raise OtherBytesStored(file)


def _confirm_what_is_there(file: File, *, by: Caller, at: datetime) -> File:
    """The file as it is now: uploaded, where the store has its bytes; with a fresh key, where it has others."""
    try:
        stored = confirm_upload(file)
    except NotInStore:
        return file
    except StoredBytesDiffer:
        return _leave_key(file, by=by)
    with transaction.atomic():
        current = lock_active_file(file.pk, by=by)
        accept_upload(current, stored, at=at)
    return current


@transaction.atomic
def _leave_key(file: File, *, by: Caller) -> File:
    current = lock_active_file(file.pk, by=by)
    if current.uploaded_at is None and current.storage_key == file.storage_key:
        draw_key(current, bucket=file.storage_bucket or "")
        current.save(update_fields=announcement.COLUMNS)
    return current
