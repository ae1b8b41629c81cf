"""Writing everything that a lab owns into a folder, while the service works.

The tables and the trail are of one moment of the database. The runs are packed after it, from the rows of that moment;
bytes are never changed and, meanwhile, never removed (files.removing.lock). Whatever was finished is not written again.
"""

import json
import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from django.conf import settings
from django.db import models

from accounts.trail.exports import list_detached_files
from files.removing.lock import hold_removals
from files.storage.interface import StoredObjects
from operations.backup.database import export_snapshot
from operations.leaving.bucket import Place
from operations.leaving.crates import PackedRun, crate_path, find_changes, is_stored, pack_run, pair_files
from operations.leaving.folder import HOLDER, Journal, LeavingError, Piece, PieceWriter, finish_folder, open_for_writing
from operations.leaving.rows import Row, build_schema, dump_row, in_batches, list_tables, to_arrow, walk_table
from operations.leaving.shelves import Shelf, open_shelf
from operations.leaving.tables import LeavingTable
from operations.progress import Progress
from overview.export import export_trail
from wire.clock import format_timestamp
from wire.ids import new_id
from wire.sizes import format_size

ROWS_PER_BATCH = 5_000
MAX_TOLD = 1_000  # are written down
TRAIL = "trail.jsonl"
Told = list[list[str]]


@dataclass
class ExportResult:
    """`kept` of the runs were written before; `told` is what is not in the export, or newer than its tables.

    `trail_elsewhere` names the files of what was taken out of the trail before (docs/trail.md, Months).
    """

    runs: int = 0
    kept: int = 0
    rows: dict[str, int] = field(default_factory=dict)
    told: Told = field(default_factory=list)
    trail_elsewhere: list[dict[str, Any]] = field(default_factory=list)

    @property
    def is_whole(self) -> bool:
        return all(one[0] == "changed" for one in self.told)


def export_everything(place: Place, store: StoredObjects, *, at: datetime) -> ExportResult:
    """Raises LeavingError, StoreUnavailable; what was finished by then is not written again the next time."""
    shelf = open_shelf(place)
    root = shelf.root
    with open_for_writing(root) as journal, shelf.hold(journal), hold_removals() as holds:
        if journal.read("moment") is None or not _has_tables(root, journal):
            _write_tables(root, journal, at=at)
        result = ExportResult(rows=journal.read("rows"), trail_elsewhere=journal.read("trail_elsewhere") or [])
        moment = datetime.fromisoformat(journal.read("moment"))
        _require_room(shelf, journal)
        with Progress("runs", total=result.rows["runs"]) as progress:
            for run, files in _read_runs(root):
                _write_run(shelf, journal, result, (run, files), store=store, at=moment)
                progress.add(size_bytes=sum(one["size_bytes"] or 0 for one in files))
        if not holds():
            raise LeavingError("The connection to the database was lost, so objects may have gone: begin again.")
        result.told = list(journal.told())
        for piece in journal.pieces():
            if not piece.path.startswith("runs/"):
                shelf.take(piece)
        finish_folder(root, journal, take=shelf.take_listing, **_describe(journal, result))
    shelf.clear()
    return result


def _has_tables(root: Path, journal: Journal) -> bool:
    """Whether the tables of the journal's moment are still what was written; all of them are of one moment."""
    return not any(one.fault_in(root) for one in journal.pieces() if not one.path.startswith("runs/"))


def _write_tables(root: Path, journal: Journal, *, at: datetime) -> None:
    """Cut off, all of it is written anew, at a new moment."""
    journal.database.execute("DELETE FROM pieces")
    journal.database.execute("DELETE FROM about WHERE name <> ?", [HOLDER])
    rows: dict[str, int] = {}
    with export_snapshot():
        for model, table in list_tables():
            rows[table.name] = 0
            for piece in _write_table(root, model, table, rows):
                journal.add(piece, told=[])
        rows["trail"] = _write_trail(root, journal)
        elsewhere = list_detached_files()
    journal.note(export_id=str(new_id()), rows=rows, trail_elsewhere=elsewhere, moment=at.isoformat())


def _write_table(root: Path, model: type[models.Model], table: LeavingTable, rows: dict[str, int]) -> Iterator[Piece]:
    schema = build_schema(model, table)
    with ExitStack() as stack:
        lines = stack.enter_context(PieceWriter(root, f"tables/{table.name}.jsonl"))
        columns = stack.enter_context(PieceWriter(root, f"tables/{table.name}.parquet"))
        with pq.ParquetWriter(_AsFile(columns), schema, compression="zstd") as parquet:
            for batch in in_batches(walk_table(model, table), size=ROWS_PER_BATCH):
                lines.write(b"".join(map(dump_row, batch)))
                parquet.write_batch(to_arrow(batch, schema))
                rows[table.name] += len(batch)
        yield lines.finish()
        yield columns.finish()


class _AsFile:
    """A piece as Arrow writes to it."""

    closed = False

    def __init__(self, piece: PieceWriter) -> None:
        self.piece = piece

    def write(self, data: Any) -> int:
        self.piece.write(memoryview(data))
        return len(data)

    def tell(self) -> int:
        return self.piece.size_bytes

    def flush(self) -> None:
        """It is flushed when it is finished."""

    def close(self) -> None:
        """It is closed when it is finished."""


def _write_trail(root: Path, journal: Journal) -> int:
    count = 0
    with PieceWriter(root, TRAIL) as lines:
        for row in export_trail():
            lines.write(json.dumps(row, ensure_ascii=False).encode() + b"\n")
            count += 1
        journal.add(lines.finish(), told=[])
    return count


def read_rows(root: Place, name: str) -> Iterator[Row]:
    """None of a table that an older export does not have yet; that a piece is missing was seen when it was verified."""
    path = root / f"tables/{name}.jsonl"
    if path.exists():
        with path.open("rb") as lines:
            yield from map(json.loads, lines)


def _read_runs(root: Path) -> Iterator[tuple[Row, list[Row]]]:
    return pair_files(read_rows(root, "runs"), read_rows(root, "files"))


def _require_room(shelf: Shelf, journal: Journal) -> None:
    """Known before the first byte: a disk that fills up stops whoever else writes there, the service too."""
    unwritten = (files for run, files in _read_runs(shelf.root) if journal.find(crate_path(run)) is None)
    needed = shelf.count_room(sum(one["size_bytes"] for one in files if is_stored(one)) for files in unwritten)
    free = shutil.disk_usage(shelf.root).free
    if needed > free:
        raise LeavingError(
            f"The runs that are still to be written take {format_size(needed)}; the disk of {shelf.root} has"
            f" {format_size(free)} left. Make room, or choose another place."
        )


def _write_run(
    shelf: Shelf,
    journal: Journal,
    result: ExportResult,
    pair: tuple[Row, list[Row]],
    *,
    store: StoredObjects,
    at: datetime,
) -> None:
    run, files = pair
    known = journal.find(crate_path(run))
    result.runs += 1
    if known is not None and shelf.find_fault(known) is None:
        result.kept += 1
        return
    changes = find_changes(run)
    if changes and changes[0][0] == "gone":
        gone = journal.read("gone") or []
        journal.note(gone=gone if changes[0] in gone else [*gone, *changes])
        return
    packed: PackedRun = pack_run(shelf.root, run, files, store=store, at=at)
    shelf.take(packed.piece)
    journal.add(packed.piece, told=[*changes, *packed.told])


def _describe(journal: Journal, result: ExportResult) -> dict[str, Any]:
    result.told += journal.read("gone") or []
    return {
        "export_id": journal.read("export_id"),
        "version": settings.VERSION,
        "moment": format_timestamp(datetime.fromisoformat(journal.read("moment"))),
        "rows": result.rows,
        "trail_elsewhere": result.trail_elsewhere,
        "told": result.told[:MAX_TOLD],
        "told_count": len(result.told),
    }
