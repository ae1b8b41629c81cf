"""Processed artefacts that pages show from our own origin: pictures, curves, tables (docs/interface.md, Downloads)."""

import hashlib
from dataclasses import dataclass

from accounts.callers import Caller
from files.choices import FileCategory
from files.downloads import find_stored_file
from files.media_types import strip_parameters
from files.models import File
from files.storage import object_store
from files.storage.interface import MIB
from wire.errors import NotFound

MAX_PREVIEW_BYTES = 16 * MIB
SVG_TYPE = "image/svg+xml"
PREVIEW_TYPES = frozenset({"application/json", "image/png", "image/jpeg", SVG_TYPE})


class NoPreview(NotFound):
    def __init__(self, why: str) -> None:
        super().__init__(f"This file has no preview: {why}.")


@dataclass(frozen=True)
class Preview:
    """What may be shown. `etag` changes with the bytes."""

    file: File
    content_type: str
    etag: str

    def read(self) -> bytes:
        with object_store().open_range(self.file.storage_key or "") as source:
            return source.read()


def find_preview(file_id: int, *, by: Caller) -> Preview:
    """Raises FileMissing, FileNotStored, FilePurged, NoPreview."""
    file = find_stored_file(file_id, by=by)
    content_type = strip_parameters(file.content_type)
    if file.category != FileCategory.PROCESSED:
        raise NoPreview("only processed files have one")
    if content_type not in PREVIEW_TYPES or (content_type == SVG_TYPE and file.source_file_id is None):
        raise NoPreview("only JSON, PNG, JPEG and the service's own SVG are shown")
    if (file.size_bytes or 0) > MAX_PREVIEW_BYTES:
        raise NoPreview(f"it has more than {MAX_PREVIEW_BYTES} bytes")
    return Preview(file, content_type, f'"{hashlib.sha256((file.storage_key or "").encode()).hexdigest()[:32]}"')
