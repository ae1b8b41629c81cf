"""Believing that a file is uploaded: only what the store confirms (docs/interface.md, Moves of a file)."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from django.db import transaction

from accounts.callers import Caller
from files.choices import FileStatus
from files.models import File, UploadPart
from files.shared.keys import is_shared_key
from files.signals import files_uploaded
from files.status import transition_file
from files.storage import object_store
from files.storage.interface import StoredObject
from files.uploads.part_checksums import compute_crc32
from files.uploads.read_back import read_stored_crc32
from files.uploads.verification import request_sharing
from wire.errors import Conflict
from wire.queries.row_sets import update_rows
from wire.telemetry.metrics import count_ingested_file

ACCEPTED_COLUMNS = ("status", "uploaded_at", "crc32")


class NotInStore(Conflict):
    def __init__(self, file: File) -> None:
        super().__init__("The store has no bytes of this file yet.", file_id=file.pk, status=str(file.status))


class StoredBytesDiffer(Conflict):
    """The object under the file's key is not what the record declares."""

    def __init__(self, file: File, stored: StoredObject) -> None:
        super().__init__(
            "The store has other bytes than this file was announced with.",
            file_id=file.pk,
            size_bytes=file.size_bytes,
            crc32=file.crc32,
            stored_size_bytes=stored.size_bytes,
            stored_crc32=stored.crc32,
        )


class UploadReplaced(Conflict):
    def __init__(self, file: File) -> None:
        super().__init__("Another upload of this file was begun meanwhile.", file_id=file.pk)


def confirm_upload(file: File) -> StoredObject:
    """Ask the store for the file's bytes: of the recorded size and, where known, CRC32. Not within a transaction.

    Raises NotInStore, StoredBytesDiffer, StillReadBack, StoreUnavailable, StoreUnsuitable.
    """
    store = object_store()
    stored = store.head(file.storage_key) if file.storage_key else None
    if stored is None:
        raise NotInStore(file)
    if stored.size_bytes != file.size_bytes:
        raise StoredBytesDiffer(file, stored)
    if not store.probe().verifies_checksums:  # what such a store tells is only what the sender said
        stored = replace(stored, crc32=None if file.crc32 is None else read_stored_crc32(file, stored))
    elif stored.crc32 is None and file.multipart_upload_id is not None:
        stored = replace(stored, crc32=compute_crc32(file))
    if None not in (stored.crc32, file.crc32) and stored.crc32 != file.crc32:
        raise StoredBytesDiffer(file, stored)
    return stored


def accept_upload(file: File, stored: StoredObject, *, by: Caller, at: datetime) -> None:
    """Mark the locked file as uploaded and announce it. Where another call did so meanwhile, nothing changes.

    Raises UploadReplaced.
    """
    if stored.key != file.storage_key and not _names_twin_of(file, stored):
        raise UploadReplaced(file)
    if file.uploaded_at is not None:
        return
    accept_uploads([(file, stored)], by=by, at=at)


def _names_twin_of(file: File, stored: StoredObject) -> bool:
    """Whether it was believed meanwhile, and names another object of these bytes since (files.shared.objects)."""
    is_shared = file.uploaded_at is not None and is_shared_key(file.storage_key or "")
    return is_shared and (file.size_bytes, file.crc32) == (stored.size_bytes, stored.crc32 or file.crc32)


def accept_uploads(uploads: Sequence[tuple[File, StoredObject]], *, by: Caller, at: datetime) -> None:
    """Mark locked files as uploaded, all by one statement, and announce them. Each waits for the bytes beside it."""
    files = [file for file, _ in uploads]
    for file, stored in uploads:
        transition_file(file, to=FileStatus.UPLOADED, at=at)
        file.crc32 = file.crc32 or stored.crc32
    update_rows(files, ACCEPTED_COLUMNS)
    if in_parts := [file.pk for file in files if file.multipart_upload_id is not None]:
        UploadPart.objects.filter(file__in=in_parts).delete()
    transaction.on_commit(lambda: _count_ingested(uploads), robust=True)
    request_sharing(files, by=by)
    files_uploaded.send(sender=File, files=files, at=at)


def _count_ingested(uploads: Sequence[tuple[File, StoredObject]]) -> None:
    for file, stored in uploads:
        count_ingested_file(category=str(file.category), size_bytes=stored.size_bytes)
