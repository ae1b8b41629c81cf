"""Handing out signed URLs of stored files."""

from dataclasses import dataclass

from accounts.callers import Caller
from files.choices import StorageClass
from files.media_types import OCTET_STREAM, find_inline_type
from files.models import File
from files.records import FileIsDismissed, find_file
from files.storage import object_store
from files.storage.interface import SIGNED_URL_SECONDS
from wire.clock import format_timestamp
from wire.errors import Conflict, Gone


class FileNotStored(Conflict):
    def __init__(self, file: File) -> None:
        super().__init__("Nothing is stored of this file yet.", file_id=file.pk, status=str(file.status))


class FilePurged(Gone):
    """Its bytes went by a rule of retention; the record and its checksums stay."""

    def __init__(self, file: File) -> None:
        super().__init__(
            f"The bytes of this file were purged by the rule {file.purged_by_rule}.",
            file_id=file.pk,
            rule=file.purged_by_rule,
            purged_at=format_timestamp(file.purged_at),
        )


class FileIsCold(Conflict):
    """Its bytes are in the cold store: they are asked for first, and told of when they are back."""

    def __init__(self, file: File) -> None:
        ask = f"/api/v1/files/{file.pk}/restore"
        way = "They are on their way back." if file.restore_requested_at else "They are brought back on request."
        super().__init__(
            f"The bytes of this file are in cold storage. {way}",
            file_id=file.pk,
            storage_class=str(file.storage_class),
            restore_requested_at=format_timestamp(file.restore_requested_at),
            restore=ask,
        )


@dataclass(frozen=True)
class Download:
    """A URL that needs no credentials for `expires_in` seconds."""

    download_url: str
    expires_in: int
    size_bytes: int
    filename: str


def find_stored_file(file_id: int, *, by: Caller) -> File:
    """The file, its bytes at hand, or FileMissing, FileIsDismissed, FileNotStored, FilePurged, FileIsCold."""
    file = find_file(file_id, by=by)
    if file.deleted_at is not None and file.uploaded_at is not None:
        raise FileIsDismissed(file)
    if file.uploaded_at is None:
        raise FileNotStored(file)
    return refuse_cold(refuse_purged(file))


def refuse_purged(file: File) -> File:
    """Raises FilePurged."""
    if file.purged_at is not None:
        raise FilePurged(file)
    return file


def refuse_cold(file: File) -> File:
    """Raises FileIsCold."""
    if file.storage_class == StorageClass.COLD:
        raise FileIsCold(file)
    return file


def sign_download(file_id: int, *, inline: bool, by: Caller) -> Download:
    """Where a file can be fetched. Raster images and PDF keep their type, and are shown `inline` where that is asked.

    Everything else is an attachment of bytes, whatever its sender called it: a browser makes no page of it.
    """
    file = find_stored_file(file_id, by=by)
    shown = find_inline_type(file.filename, file.content_type)
    url = object_store().presign_get(
        file.storage_key or "",
        filename=file.filename,
        content_type=shown or OCTET_STREAM,
        inline=inline and shown is not None,
    )
    return Download(url, SIGNED_URL_SECONDS, file.size_bytes or 0, file.filename)
