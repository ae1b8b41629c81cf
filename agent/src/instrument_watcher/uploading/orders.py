"""What the service is told about a file before its bytes are sent."""

import mimetypes
from typing import Any

from instrument_watcher.clock import plausible_stamp
from instrument_watcher.journal.rows import Digest, FileRow, split_path


def detected_file(row: FileRow) -> dict[str, Any]:
    """A line of `detected_files`."""
    line = {"filename": split_path(row.path)[1], "relative_path": row.path, "size_bytes": row.sighting.size}
    created_at = plausible_stamp(row.sighting.mtime_ns)
    return line if created_at is None else line | {"file_created_at": created_at}


def upload_order(row: FileRow, digest: Digest, *, part_size: int | None = None) -> dict[str, Any]:
    """The body of request-upload-url; parts are asked for where the file is larger than one."""
    content_type, _ = mimetypes.guess_type(row.path)
    order = detected_file(row) | announced_bytes(row, digest)
    if part_size is not None and row.sighting.size > part_size:
        order |= {"part_size": part_size}
    return order if content_type is None else order | {"content_type": content_type}


def announced_bytes(row: FileRow, digest: Digest) -> dict[str, Any]:
    """By which its bytes are known."""
    return {"size_bytes": row.sighting.size, "sha256": digest.sha256, "crc32": digest.crc32}
