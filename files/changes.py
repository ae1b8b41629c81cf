"""Changing the record of a file, and dismissing a file that will not come."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from accounts.callers import Caller
from files.choices import FileStatus
from files.models import File
from files.pictures.comment_pictures import is_comment_picture, remove_comment_picture
from files.records import FileIsStored, find_active_file, lock_active_file, lock_file, refuse_signed_file
from files.signals import file_completed, file_failed
from files.status import TRANSITION_COLUMNS, refuse_transition, set_report_kind, transition_file
from files.storage.interface import StoredObject
from files.uploads import declaration as announcement
from files.uploads.confirmation import accept_upload, confirm_upload
from files.uploads.declaration import UploadDeclaration, clear_upload, declare_upload
from wire.merge_patch import change_metadata
from wire.versions import ANY_VERSION, ExpectedVersions

CHANGEABLE_COLUMNS = (*TRANSITION_COLUMNS, *announcement.UPLOAD_COLUMNS, "content_type", "caller_metadata")


@dataclass(frozen=True)
class FileChange:
    """What a caller may change; None leaves a field as it is, an empty `error_message` removes it."""

    status: FileStatus | None = None
    content_type: str | None = None
    size_bytes: int | None = None
    metadata: Mapping[str, Any] | None = None
    metadata_patch: Mapping[str, Any] | None = None
    error_message: str | None = None


@dataclass(frozen=True)
class Dismissed:
    file: File
    already_applied: bool


def change_file(
    file_id: int, *, change: FileChange, expected: ExpectedVersions = ANY_VERSION, by: Caller, at: datetime
) -> File:
    """Change a record, all of it or nothing. A move to `uploaded` asks the store first; of stored bytes it is done."""
    stored = _confirm_bytes(file_id, change, by=by)
    with transaction.atomic():
        file = lock_active_file(file_id, by=by)
        expected.require(*file.changeable_values)
        before = {name: getattr(file, name) for name in CHANGEABLE_COLUMNS}
        if change.status is not None and stored is None and not _is_confirmed(file, change):
            transition_file(file, to=change.status, at=at)
        _apply_change(file, change)
        _save_changed_columns(file, before)
        if file.status == FileStatus.FAILED != before["status"]:
            file_failed.send(sender=File, file=file, at=at)
        if file.status == FileStatus.COMPLETED != before["status"]:
            file_completed.send(sender=File, file=file, at=at)
        if stored is not None:
            accept_upload(file, stored, by=by, at=at)
    if file.caller_metadata != before["caller_metadata"]:
        file.refresh_from_db(fields=["metadata"])  # which the database makes of both parts
    return file


@transaction.atomic
def dismiss_file(file_id: int, *, expected: ExpectedVersions = ANY_VERSION, by: Caller, at: datetime) -> Dismissed:
    """Give up on a file that is not uploaded yet; its path stays dismissed. Raises FileIsStored.

    A picture of a comment goes for good, with its bytes. Raises NotYourPicture, RemovalOnHold.
    """
    file = lock_file(file_id, by=by)
    if is_comment_picture(file):
        expected.require(*file.changeable_values)
        remove_comment_picture(file, by=by)
        file.deleted_at = at
        return Dismissed(file, already_applied=False)
    if file.deleted_at is not None:
        return Dismissed(file, already_applied=True)
    if file.uploaded_at is not None:
        raise FileIsStored(file)
    expected.require(*file.changeable_values)
    refuse_signed_file(file)
    file.deleted_at = at
    clear_upload(file)
    file.save(update_fields=["deleted_at", *announcement.UPLOAD_COLUMNS])
    return Dismissed(file, already_applied=False)


def _confirm_bytes(file_id: int, change: FileChange, *, by: Caller) -> StoredObject | None:
    """What the store has, where the change is a move to `uploaded`. Refuses first what would be refused anyway."""
    if change.status != FileStatus.UPLOADED:
        return None
    file = find_active_file(file_id, by=by)
    if _is_confirmed(file, change):
        return None
    refuse_transition(file, to=change.status)
    return confirm_upload(file)


def _is_confirmed(file: File, change: FileChange) -> bool:
    """A confirmation that comes again, whatever became of the file meanwhile: retrying is safe."""
    return change.status == FileStatus.UPLOADED and file.uploaded_at is not None


def _apply_change(file: File, change: FileChange) -> None:
    metadata = change_metadata(file.caller_metadata, replaced=change.metadata, patch=change.metadata_patch)
    if metadata != file.caller_metadata:
        refuse_signed_file(file)
        file.caller_metadata = metadata
    if change.content_type is not None:
        file.content_type = change.content_type
    if change.error_message is not None:
        file.error_message = change.error_message or None
    if change.size_bytes is not None and change.size_bytes != file.size_bytes:
        if file.uploaded_at is not None:
            raise FileIsStored(file)
        declare_upload(file, UploadDeclaration(change.size_bytes))
    set_report_kind(file)


def _save_changed_columns(file: File, before: Mapping[str, Any]) -> None:
    differing = [name for name in CHANGEABLE_COLUMNS if getattr(file, name) != before[name]]
    if differing:
        file.save(update_fields=differing)
