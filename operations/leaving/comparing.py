"""Whether a service has what an export says: every row and column of it, and the size and checksum of every object."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from files.storage.interface import ObjectStore
from operations.leaving.bucket import Place
from operations.leaving.crates import pair_files
from operations.leaving.exporting import read_rows
from operations.leaving.folder import read_manifest
from operations.leaving.importing import list_packed
from operations.leaving.rows import Row, list_tables, walk_table
from operations.leaving.settling import settle_row
from operations.leaving.tables import LeavingTable
from overview.models import Import

OWN = {"storage_key"}  # objects lie under keys of this service


@dataclass(frozen=True)
class Mismatch:
    table: str
    row: str
    told: str


@dataclass
class Comparison:
    rows: int = 0
    objects: int = 0


def compare_everything(root: Place, store: ObjectStore, result: Comparison) -> Iterator[Mismatch]:
    """What is not equal; `result` counts what was looked at."""
    began = Import.objects.get(pk=read_manifest(root)["export_id"])
    for model, table in list_tables():
        if table.imported:
            yield from _compare_table(root, model, table, began, store=store, result=result)


def _compare_table(
    root: Place, model: Any, table: LeavingTable, began: Import, *, store: ObjectStore, result: Comparison
) -> Iterator[Mismatch]:
    for wanted, found in zip_longest(_list_wanted(root, table, began), walk_table(model, table)):
        key = str((wanted or found or {}).get("id"))
        if wanted is None or found is None:
            yield Mismatch(table.name, key, "is not there" if found is None else "is not in the export")
            return
        result.rows += 1
        differing = [name for name in wanted if name not in OWN and wanted[name] != found[name]]
        if differing:
            yield Mismatch(table.name, key, f"differs in {', '.join(differing)}")
        if table.name == "files" and found["uploaded_at"] and not found["purged_at"]:
            result.objects += 1
            yield from _compare_object(found, store=store)


def _list_wanted(root: Place, table: LeavingTable, began: Import) -> Iterator[Row]:
    if table.name != "files":
        for row in read_rows(root, table.name):
            yield settle_row(table.name, row, packed=set(), at=began.began_at)
        return
    for run, files in pair_files(read_rows(root, "runs"), read_rows(root, "files")):
        packed = set(list_packed(root, run))
        yield from (settle_row("files", row, packed=packed, at=began.began_at) for row in files)


def _compare_object(row: Row, *, store: ObjectStore) -> Iterator[Mismatch]:
    stored = store.head(row["storage_key"])
    if stored is None:
        yield Mismatch("files", str(row["id"]), "its bytes are not in the store")
    elif stored.size_bytes != row["size_bytes"]:
        yield Mismatch("files", str(row["id"]), "its bytes have another size")
    elif stored.crc32 and row["crc32"] and stored.crc32 != row["crc32"]:
        yield Mismatch("files", str(row["id"]), "its bytes have another CRC32")
