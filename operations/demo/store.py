"""Rows and bytes of demonstration files."""

import hashlib
import zlib
from dataclasses import dataclass, field
from datetime import datetime
from io import BytesIO
from typing import Any

from files.choices import NOT_STORED_STATUSES, FileCategory, FileStatus, ReportKind
from files.drawing.trace_names import name_trace
from files.models import PLACEHOLDERS, File
from files.naming import natural_key
from files.status import set_report_kind
from files.storage import object_store
from files.storage.local import LocalStore
from operations.demo.datasets import add_dataset
from operations.demo.drawings import Json, encode_document
from operations.demo.sparse_objects import store_zeros
from runs.models import Run
from wire.ids import new_id

REPORT_KINDS = {"curve": ReportKind.SPECTRUM, "image": ReportKind.IMAGE}


@dataclass(frozen=True)
class RawFile:
    """A raw file: its path in the run and what became of it. Without `data` its bytes are zeros."""

    path: str
    status: FileStatus = FileStatus.COMPLETED
    size_bytes: int = 0
    data: bytes = b""
    error: str | None = None
    content_type: str | None = None
    facts: dict[str, Any] = field(default_factory=dict)


def add_file(run: Run, made: RawFile, *, at: datetime) -> File:
    file = File(
        run=run,
        filename=made.path.rpartition("/")[2],
        relative_path=made.path,
        natural_key=natural_key(made.path.rpartition("/")[2]),
        status=made.status,
        size_bytes=len(made.data) or made.size_bytes,
        error_message=made.error,
        content_type=made.content_type,
        detected_at=at,
        created_at=at,
    )
    if made.status not in NOT_STORED_STATUSES:
        _store_bytes(file, made.data, at=at)
    if made.status == FileStatus.PROCESSING:
        file.processing_since = at
    if made.status == FileStatus.COMPLETED:
        file.processed_at = at
    set_report_kind(file)
    file.save()
    return file


def add_artefact(source: File, name: str, *, kind: str, title: str, content: Json | bytes, at: datetime) -> File:
    """What reading `source` left behind, as the readers name it, with its numbers."""
    file = add_drawing(source, name, kind=kind, title=title, content=content, at=at)
    if isinstance(content, dict):
        add_dataset(source, content, name=name, at=at)
    return file


def add_drawing(source: File, name: str, *, kind: str, title: str, content: Json | bytes, at: datetime) -> File:
    """To look at only: its numbers are in no dataset."""
    data = content if isinstance(content, bytes) else encode_document(content)
    technique = source.run.extracted.get("technique", "")
    named = (
        {"trace": name_trace(content, technique=technique).slug}
        if kind == "curve" and isinstance(content, dict)
        else {}
    )
    file = File(
        run=source.run,
        filename=name,
        relative_path=f"{source.relative_path}/{name}",
        natural_key=natural_key(name),
        category=FileCategory.PROCESSED,
        status=FileStatus.COMPLETED,
        content_type="image/png" if isinstance(content, bytes) else "application/json",
        extracted={"kind": kind, "title": title, "source_file_id": source.pk, "processor": "demo"} | named,
        source_file=source,
        size_bytes=len(data),
        report_kind=REPORT_KINDS.get(kind, ReportKind.NONE),
        processed_at=at,
        detected_at=at,
        created_at=at,
    )
    _store_bytes(file, data, at=at)
    file.save()
    return file


def _store_bytes(file: File, data: bytes, *, at: datetime) -> None:
    file.uploaded_at = at
    file.storage_bucket = object_store().bucket
    file.storage_key = f"{'demo/' if data else PLACEHOLDERS}{new_id()}"
    store, content_type = object_store(), file.content_type or "text/plain"
    if data:
        file.crc32, file.sha256 = f"{zlib.crc32(data):08x}", hashlib.sha256(data).hexdigest()
        store.put(file.storage_key, BytesIO(data), size_bytes=len(data), content_type=content_type)
    elif isinstance(store, LocalStore):  # a bucket would really take the room
        size_bytes = file.size_bytes or 0
        file.crc32 = store_zeros(store, file.storage_key, size_bytes=size_bytes, content_type=content_type)
