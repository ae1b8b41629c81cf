"""What processing made of a file, as files of its run: stored under fresh keys, their rows kept where they are."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection

from files.choices import FileCategory, FileStatus, ReportKind
from files.media_types import IMAGE_TYPES, SPECTRUM_EXTENSIONS, choose_report_kind, extension_of
from files.models import File
from files.naming import MAX_PATH_BYTES, natural_key
from files.object_keys import build_storage_key, new_key_nonce
from files.storage import object_store
from processing.confined.fork_server_client import Progress
from processing.confined.output import CheckedArtefact
from processing.readings import Kind

THUMBNAIL, PREVIEW = "thumbnail.png", "preview.png"
UPDATED_COLUMNS = (
    "natural_key",
    "content_type",
    "size_bytes",
    "sha256",
    "crc32",
    "storage_bucket",
    "storage_key",
    "key_nonce",
    "extracted",
    "report_kind",
    "uploaded_at",
    "processed_at",
    "deleted_at",
)


@dataclass(frozen=True)
class ProcessorVersion:
    """Which processor made an artefact."""

    name: str
    version: str


def store_artefacts(
    source: File, artefacts: Sequence[CheckedArtefact], *, reader: ProcessorVersion, at: datetime, progress: Progress
) -> list[File]:
    """Put the bytes into the store. The answer is rows to be saved: known ones changed, new ones with their id.

    Not within a transaction. Bytes that are stored already keep their key.
    """
    known = {
        row.relative_path: row
        for row in File.objects.filter(
            run_id=source.run_id,
            category=FileCategory.PROCESSED,
            relative_path__in=[artefact_path(source, kept) for kept in artefacts],
        )
    }
    shown = choose_report_kinds(source, artefacts)
    rows = []
    for kept in artefacts:
        row = known.get(artefact_path(source, kept)) or build_row(source, kept, at=at)
        if row.source_file_id != source.pk:
            continue  # somebody else's, under the same path
        progress()
        put_bytes(row, kept)
        row.extracted = describe_artefact(source, kept, reader)
        row.report_kind = shown[kept.name]
        row.natural_key = order_key(row.filename)
        row.uploaded_at = row.processed_at = at
        row.deleted_at = None
        rows.append(row)
    return rows


def save_artefacts(source: File, rows: Sequence[File]) -> None:
    """Within the transaction that ends the job: these rows are the file's artefacts, and no others."""
    File.objects.bulk_create(rows, update_conflicts=True, unique_fields=["id"], update_fields=UPDATED_COLUMNS)
    File.objects.filter(pk__in=[row.pk for row in rows if row.purged_at]).update(purged_at=None, purged_by_rule=None)
    File.objects.filter(source_file=source).exclude(pk__in=[row.pk for row in rows]).delete()


def build_row(source: File, kept: CheckedArtefact, *, at: datetime) -> File:
    path = artefact_path(source, kept)
    name = path.rpartition("/")[2]
    return File(
        pk=next_id(),
        run_id=source.run_id,
        filename=name,
        relative_path=path,
        natural_key=order_key(name),
        category=FileCategory.PROCESSED,
        status=FileStatus.COMPLETED,
        source_file=source,
        detected_at=at,
        created_at=at,
    )


def order_key(name: str) -> str:
    """By which it is shown among others: the first of several has no number, and stands before the second."""
    return natural_key(name.rpartition(".")[0] or name)


def next_id() -> int:
    """An id before there is a row: the object's key holds it, and no row shows a file without bytes."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT nextval(pg_get_serial_sequence('files_file', 'id'))")
        return int(cursor.fetchone()[0])


def put_bytes(row: File, kept: CheckedArtefact) -> None:
    store = object_store()
    with kept.path.open("rb") as source:
        digest = hashlib.file_digest(source, "sha256").hexdigest()
    if row.storage_key and row.sha256 == digest and row.purged_at is None:
        return
    row.sha256, row.size_bytes, row.content_type = digest, kept.size_bytes, kept.content_type
    row.key_nonce = new_key_nonce()
    row.storage_bucket, row.storage_key = store.bucket, build_storage_key(row, row.key_nonce)
    with kept.path.open("rb") as source:
        stored = store.put(row.storage_key, source, size_bytes=kept.size_bytes, content_type=kept.content_type)
    row.crc32 = stored.crc32


def artefact_path(source: File, kept: CheckedArtefact) -> str:
    """Below the raw file's own path, as if that were a folder; shortened where it would become too long."""
    path = f"{source.relative_path}/{kept.name}"
    if len(path.encode()) <= MAX_PATH_BYTES:
        return path
    return f"{hashlib.sha256(source.relative_path.encode()).hexdigest()[:32]}/{kept.name}"


def describe_artefact(source: File, kept: CheckedArtefact, reader: ProcessorVersion) -> Mapping[str, Any]:
    hidden = {} if kept.is_drawn else {"shown": False}
    named = {"trace": kept.trace} if kept.trace else {}
    return (hidden | named) | {
        "kind": str(kept.kind),
        "title": kept.title,
        "source_file_id": source.pk,
        "processor": reader.name,
        "processor_version": reader.version,
    }


def choose_report_kinds(source: File, artefacts: Sequence[CheckedArtefact]) -> dict[str, ReportKind]:
    """Under which kind each artefact is an item of the report. What the raw file shows itself is no item twice."""
    names = {kept.name for kept in artefacts}
    raw_is_shown = (
        choose_report_kind(source.filename, content_type=source.content_type, is_processed=True) != ReportKind.NONE
    )
    kinds = {}
    for kept in artefacts:
        kinds[kept.name] = ReportKind.NONE
        if kept.kind is Kind.CURVE and not is_spectrum(source, artefacts):
            kinds[kept.name] = ReportKind.SPECTRUM
        is_image = kept.content_type in IMAGE_TYPES.values()
        if is_image and not raw_is_shown and not (kept.name == THUMBNAIL and PREVIEW in names):
            kinds[kept.name] = ReportKind.IMAGE
    return kinds


def is_spectrum(source: File, artefacts: Sequence[CheckedArtefact]) -> bool:
    """Whether the raw file is the item and its one curve serves it."""
    curves = [kept for kept in artefacts if kept.kind is Kind.CURVE]
    return extension_of(source.filename) in SPECTRUM_EXTENSIONS and len(curves) == 1
