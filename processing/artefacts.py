"""What processing made of a file, as files of its run: stored under fresh keys, their rows kept where they are."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection

from files.media import IMAGE_TYPES, SPECTRUM_EXTENSIONS, extension_of, report_kind
from files.models import File, FileCategory, FileStatus, ReportKind
from files.naming import MAX_PATH_BYTES, natural_key
from files.object_keys import key_of, new_upload_id
from files.storage import object_store
from processing.output import KeptArtefact
from processing.readings import Kind
from processing.zygote import Progress

THUMBNAIL, PREVIEW = "thumbnail.png", "preview.png"
COLUMNS = (
    "content_type",
    "size_bytes",
    "sha256",
    "crc32",
    "storage_bucket",
    "storage_key",
    "upload_id",
    "extracted",
    "report_kind",
    "uploaded_at",
    "processed_at",
    "deleted_at",
)


@dataclass(frozen=True)
class Reader:
    """Which processor made an artefact."""

    name: str
    version: str


def store_artefacts(
    source: File, artefacts: Sequence[KeptArtefact], *, reader: Reader, at: datetime, progress: Progress
) -> list[File]:
    """Put the bytes into the store. The answer is rows to be saved: known ones changed, new ones with their id.

    Not within a transaction. Bytes that are stored already keep their key.
    """
    known = {
        row.relative_path: row
        for row in File.objects.filter(
            run_id=source.run_id,
            category=FileCategory.PROCESSED,
            relative_path__in=[path_of(source, kept) for kept in artefacts],
        )
    }
    shown = shown_kinds(source, artefacts)
    rows = []
    for kept in artefacts:
        row = known.get(path_of(source, kept)) or new_row(source, kept, at=at)
        if row.source_file_id != source.pk:
            continue  # somebody else's, under the same path
        progress()
        put_bytes(row, kept)
        row.extracted = described(source, kept, reader)
        row.report_kind = shown[kept.name]
        row.uploaded_at = row.processed_at = at
        row.deleted_at = None
        rows.append(row)
    return rows


def save_artefacts(source: File, rows: Sequence[File]) -> None:
    """Within the transaction that ends the job: these rows are the file's artefacts, and no others."""
    File.objects.bulk_create(rows, update_conflicts=True, unique_fields=["id"], update_fields=COLUMNS)
    File.objects.filter(source_file=source).exclude(pk__in=[row.pk for row in rows]).delete()


def new_row(source: File, kept: KeptArtefact, *, at: datetime) -> File:
    path = path_of(source, kept)
    name = path.rpartition("/")[2]
    return File(
        pk=next_id(),
        run_id=source.run_id,
        filename=name,
        relative_path=path,
        natural_key=natural_key(name),
        category=FileCategory.PROCESSED,
        status=FileStatus.COMPLETED,
        source_file=source,
        detected_at=at,
        created_at=at,
    )


def next_id() -> int:
    """An id before there is a row: the object's key holds it, and no row shows a file without bytes."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT nextval(pg_get_serial_sequence('files_file', 'id'))")
        return int(cursor.fetchone()[0])


def put_bytes(row: File, kept: KeptArtefact) -> None:
    store = object_store()
    digest = hashlib.sha256(kept.path.read_bytes()).hexdigest()
    if row.storage_key and row.sha256 == digest:
        return
    row.sha256, row.size_bytes, row.content_type = digest, kept.size_bytes, kept.content_type
    row.upload_id = new_upload_id()
    row.storage_bucket, row.storage_key = store.bucket, key_of(row, row.upload_id)
    with kept.path.open("rb") as source:
        stored = store.put(row.storage_key, source, size_bytes=kept.size_bytes, content_type=kept.content_type)
    row.crc32 = stored.crc32


def path_of(source: File, kept: KeptArtefact) -> str:
    """Below the raw file's own path, as if that were a folder; shortened where it would become too long."""
    path = f"{source.relative_path}/{kept.name}"
    if len(path.encode()) <= MAX_PATH_BYTES:
        return path
    return f"{hashlib.sha256(source.relative_path.encode()).hexdigest()[:32]}/{kept.name}"


def described(source: File, kept: KeptArtefact, reader: Reader) -> Mapping[str, Any]:
    hidden = {} if kept.is_drawn else {"shown": False}
    return hidden | {
        "kind": str(kept.kind),
        "title": kept.title,
        "source_file_id": source.pk,
        "processor": reader.name,
        "processor_version": reader.version,
    }


def shown_kinds(source: File, artefacts: Sequence[KeptArtefact]) -> dict[str, ReportKind]:
    """Under which kind each artefact is an item of the report. What the raw file shows itself is no item twice."""
    names = {kept.name for kept in artefacts}
    raw_is_shown = report_kind(source.filename, content_type=source.content_type, is_processed=True) != ReportKind.NONE
    kinds = {}
    for kept in artefacts:
        kinds[kept.name] = ReportKind.NONE
        if kept.kind is Kind.CURVE and not is_spectrum(source, artefacts):
            kinds[kept.name] = ReportKind.SPECTRUM
        is_image = kept.content_type in IMAGE_TYPES.values()
        if is_image and not raw_is_shown and not (kept.name == THUMBNAIL and PREVIEW in names):
            kinds[kept.name] = ReportKind.IMAGE
    return kinds


def is_spectrum(source: File, artefacts: Sequence[KeptArtefact]) -> bool:
    """Whether the raw file is the item and its one curve serves it."""
    curves = [kept for kept in artefacts if kept.kind is Kind.CURVE]
    return extension_of(source.filename) in SPECTRUM_EXTENSIONS and len(curves) == 1
