"""Handing out signed URLs of stored files."""

from dataclasses import dataclass

from accounts.callers import Caller
from files.media import OCTETS, shown_type
from files.models import File
from files.records import find_file
from files.storage import object_store
from files.storage.port import URL_SECONDS
from wire.errors import Conflict


class NothingStored(Conflict):
    def __init__(self, file: File) -> None:
        super().__init__("Nothing is stored of this file yet.", file_id=file.pk, status=str(file.status))


@dataclass(frozen=True)
class Download:
    """A URL that needs no credentials for `expires_in` seconds."""

    download_url: str
    expires_in: int
    size_bytes: int
    filename: str


def find_stored_file(file_id: int, *, by: Caller) -> File:
    """The file, or FileMissing, or NothingStored."""
    file = find_file(file_id, by=by)
    if file.uploaded_at is None:
        raise NothingStored(file)
    return file


def sign_download(file_id: int, *, inline: bool, by: Caller) -> Download:
    """Where a file can be fetched. `inline` is granted to raster images and PDF; other types are attachments."""
    file = find_stored_file(file_id, by=by)
    shown = shown_type(file.filename, file.content_type) if inline else None
    url = object_store().presign_get(
        file.storage_key or "",
        filename=file.filename,
        content_type=shown or file.content_type or OCTETS,
        inline=shown is not None,
    )
    return Download(url, URL_SECONDS, file.size_bytes or 0, file.filename)
