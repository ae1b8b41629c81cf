"""Bringing an export into an empty service: its tables, and the bytes of every file, read and compared on the way.

A row never names bytes that are not stored yet. What was brought in by an attempt that was cut off is found there.
"""

import hashlib
import json
import zipfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import IO, Any, BinaryIO, cast
from uuid import UUID

from django.core.management.color import no_style
from django.db import connection, transaction

from files.media_types import OCTET_STREAM
from files.models import File
from files.storage.bulk_import import flush_to_disk, import_object
from files.storage.interface import MIB, ObjectExists, ObjectStore
from operations.leaving.bucket import Place
from operations.leaving.crates import crate_path, pair_files
from operations.leaving.exporting import read_rows
from operations.leaving.folder import LeavingError, find_faults, read_manifest
from operations.leaving.rows import Row, build_object, in_batches, list_tables
from operations.leaving.settling import add_own_values, key_of, settle_row
from operations.leaving.tables import LeavingTable
from operations.progress import Progress
from overview.models import Import
from runs.models import Run

ROWS_PER_BATCH = 1_000
BEGIN_LOCK_ID = 0x1D5_1A90  # advisory lock: of two that begin at once the later one sees the earlier one


@dataclass
class ImportResult:
    """`kept` of the runs had been brought in before; `without_bytes` are files whose bytes the export lacks."""

    runs: int = 0
    kept: int = 0
    size_bytes: int = 0
    without_bytes: list[int] = field(default_factory=list)


def import_everything(root: Place, store: ObjectStore, *, at: datetime) -> ImportResult:
    """Raises LeavingError before anything is written where the export is damaged or the service is not empty."""
    export_id = UUID(read_manifest(root)["export_id"])
    if damaged := [one.path for one, fault in find_faults(root) if fault]:
        raise LeavingError(f"{damaged[0]} is not what was exported ({len(damaged)} such files): nothing is imported.")
    began = begin_import(export_id, at=at)
    result = ImportResult()
    tables = [(model, table) for model, table in list_tables() if table.imported]
    for model, table in tables:
        if model is File:  # before the signatures, which freeze them, and the datasets, which name them
            _import_files(root, table, store, result, began)
        else:
            _import_table(root, model, table, began)
    flush_to_disk(store)
    _restore_times(root)
    _reset_sequences([model for model, _ in tables])
    return result


def begin_import(export_id: UUID, *, at: datetime) -> Import:
    """This import, begun now or before. Raises LeavingError where there is anything else."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [BEGIN_LOCK_ID])
        known = Import.objects.filter(pk=export_id).first()
        if known is not None and known.finished_at is None:
            return known
        if known is not None:
            raise LeavingError("This export was imported here already.")
        if Import.objects.exists():
            raise LeavingError("Another export is being brought in here, or was. Import into a new service (--data).")
        for model, table in list_tables():
            if model._default_manager.exists():
                raise LeavingError(f"The service is not empty: it has {table.name}. Import into a new one (--data).")
        return Import.objects.create(export_id=export_id, began_at=at)


def finish_import(root: Place, *, at: datetime) -> None:
    Import.objects.filter(pk=read_manifest(root)["export_id"]).update(finished_at=at)


def _import_table(root: Place, model: Any, table: LeavingTable, began: Import) -> None:
    with Progress(table.name) as progress:
        for batch in in_batches(read_rows(root, table.name), size=ROWS_PER_BATCH):
            _write_rows(model, table, batch, began)
            progress.add(len(batch))


def _write_rows(model: Any, table: LeavingTable, rows: Sequence[Row], began: Import, *, packed: Any = ()) -> None:
    """Those that are there are left as they are: an attempt that was cut off wrote them."""
    made = []
    for row in rows:
        settled = settle_row(table.name, row, packed=set(packed), at=began.began_at)
        made.append(build_object(model, table, settled))
        add_own_values(table.name, made[-1], export_id=began.export_id)
    model._default_manager.bulk_create(made, ignore_conflicts=True)


def _import_files(root: Place, table: LeavingTable, store: ObjectStore, result: ImportResult, began: Import) -> None:
    with Progress("runs", total=read_manifest(root)["rows"]["runs"]) as progress:
        for run, files in pair_files(read_rows(root, "runs"), read_rows(root, "files")):
            packed = list_packed(root, run)
            result.runs += 1
            kept = [one for one in files if one["uploaded_at"] and not one["purged_at"]]
            result.without_bytes += [one["id"] for one in kept if one["id"] not in packed]
            if files and File.objects.filter(run_id=run["id"]).count() == len(files):
                result.kept += 1
                continue
            result.size_bytes += _import_bytes(root, run, files, packed, store=store, began=began)
            with transaction.atomic():
                for batch in in_batches(files, size=ROWS_PER_BATCH):
                    _write_rows(File, table, batch, began, packed=packed)
            progress.set(result.runs, size_bytes=result.size_bytes)


def list_packed(root: Place, run: Row) -> dict[int, Row]:
    """What the crate of the run has, by the file's id."""
    path = root / crate_path(run)
    if not path.exists():
        return {}
    with path.open("rb") as file, zipfile.ZipFile(file) as crate:
        return {one["file_id"]: one for one in json.loads(crate.read("manifest.json"))["files"]}


def _import_bytes(
    root: Place, run: Row, files: Sequence[Row], packed: dict[int, Row], *, store: ObjectStore, began: Import
) -> int:
    if not packed:
        return 0
    size_bytes = 0
    with (root / crate_path(run)).open("rb") as file, zipfile.ZipFile(file) as crate:
        for row in files:
            if row["id"] in packed and row["uploaded_at"]:
                named = File(pk=row["id"], run_id=row["run_id"], filename=row["filename"])
                key, _ = key_of(named, export_id=began.export_id)
                _import_bytes_of(row, key, crate, packed[row["id"]]["path"], store=store)
                size_bytes += row["size_bytes"]
    return size_bytes


def _import_bytes_of(row: Row, key: str, crate: zipfile.ZipFile, path: str, *, store: ObjectStore) -> None:
    content_type = row["content_type"] or OCTET_STREAM
    with crate.open(path) as source, suppress(ObjectExists):
        import_object(
            store,
            key,
            cast(BinaryIO, source),
            size_bytes=row["size_bytes"],
            content_type=content_type,
            crc32=row["crc32"],
        )
    if row["sha256"] and _digest_stored(key, store=store) != row["sha256"]:
        raise LeavingError(f"File {row['id']} ({path}) has other bytes in the store than were exported.")


def _digest_stored(key: str, *, store: ObjectStore) -> str:
    """Read from the store: what counts is what is there."""
    digest = hashlib.sha256()
    with store.open_range(key) as source:
        _feed(digest, source)
    return digest.hexdigest()


def _feed(digest: Any, source: IO[bytes]) -> None:
    while block := source.read(MIB):
        digest.update(block)


def _restore_times(root: Place) -> None:
    """Files and comments that came in after their run touched it."""
    for batch in in_batches(read_rows(root, "runs"), size=ROWS_PER_BATCH):
        made = [Run(pk=row["id"], updated_at=datetime.fromisoformat(row["updated_at"])) for row in batch]
        Run.objects.bulk_update(made, ["updated_at"])


def _reset_sequences(models: list[Any]) -> None:
    """What is made here next gets an id after those that came along."""
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), models):
            cursor.execute(statement)
