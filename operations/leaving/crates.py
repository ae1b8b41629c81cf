"""The run of a row as an RO-Crate, and which of its bytes could not be packed."""

import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, cast
from uuid import UUID

from archives.crates import describe_crate
from archives.members import Member
from archives.models import ArchiveJob, ArchiveKind
from archives.naming import member_names, safe_segment
from archives.streaming import write_member
from archives.zip_entries import SourceChanged, build_entry
from archives.zip_output import ZipOutput
from files.choices import FileCategory
from files.models import File
from files.storage.interface import Sink, StoredObjects
from operations.leaving.folder import Piece, PieceWriter
from operations.leaving.rows import Row
from runs.models import Run

MAX_NAME_BYTES = 120


@dataclass(frozen=True)
class PackedRun:
    """`told`: [what, of which run, file, why] of bytes that are not in it."""

    piece: Piece
    told: list[list[str]]


def crate_path(run: Row) -> str:
    """Its own, whatever the run is called: two names may be one to a file system."""
    name = safe_segment(run["run_id"]).encode()[:MAX_NAME_BYTES].decode(errors="ignore")
    return f"runs/{run['instrument_id']}/{name}_{run['id']}.zip"


def pack_run(root: Path, run: Row, files: Sequence[Row], *, store: StoredObjects, at: datetime) -> PackedRun:
    """Bytes that are gone or are not what was recorded are left out and told of; the others are packed."""
    members, told = _list_members(run, files)
    while True:
        try:
            with PieceWriter(root, crate_path(run)) as sink:
                _write_crate(cast(Sink, sink), run, members, store=store, at=at)
                return PackedRun(sink.finish(), told)
        except SourceChanged as problem:
            told.append(["left out", run["id"], str(problem.member.file_id), problem.message])
            members = [one for one in members if one.file_id != problem.member.file_id]


def _write_crate(sink: Sink, run: Row, members: Sequence[Member], *, store: StoredObjects, at: datetime) -> None:
    job = ArchiveJob(
        run_id=UUID(run["id"]), kind=ArchiveKind.CRATE, file_ids=[one.file_id for one in members], created_at=at
    )
    output = ZipOutput(sink, progress=lambda: None)
    with zipfile.ZipFile(cast(Any, output), "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
        packed = [write_member(archive, output, one, store=store, moment=at) for one in members]
        for name, content in describe_crate(job, packed):
            archive.writestr(build_entry(name, moment=at), content)


def _list_members(run: Row, files: Sequence[Row]) -> tuple[list[Member], list[list[str]]]:
    """Those of the moment of the tables, by the keys that they had then; raw bytes may lie elsewhere since."""
    known = set(File.objects.filter(run_id=run["id"]).values_list("pk", flat=True))
    raw = File.objects.filter(run_id=run["id"], category=FileCategory.RAW, purged_at__isnull=True)
    keys = dict(raw.exclude(storage_key=None).values_list("pk", "storage_key"))
    files = [one | {"storage_key": keys.get(one["id"], one["storage_key"])} for one in files]
    stored = [one for one in files if is_stored(one)]
    told = [["left out", run["id"], str(one["id"]), "gone since"] for one in stored if one["id"] not in known]
    kept = sorted((one for one in stored if one["id"] in known), key=lambda one: (_path_of(one), one["id"]))
    names = member_names(_path_of(one) for one in kept)
    return [_build_member(one, name) for one, name in zip(kept, names, strict=True)], told


def is_stored(file: Row) -> bool:
    return bool(file["uploaded_at"] and not file["purged_at"])


def _path_of(file: Row) -> str:
    path: str = file["relative_path"]
    return path if file["category"] == FileCategory.RAW else f"processed/{path}"


def _build_member(file: Row, path: str) -> Member:
    return Member(file["id"], path, file["size_bytes"], file["storage_key"], file["crc32"], file["sha256"])


def pair_files(runs: Iterator[Row], files: Iterator[Row]) -> Iterator[tuple[Row, list[Row]]]:
    """Each run with its files; both come in the order of the runs' ids."""
    groups = groupby(files, key=itemgetter("run_id"))
    group = next(groups, None)
    for run in runs:
        found = []
        if group is not None and group[0] == run["id"]:
            found = list(group[1])
            group = next(groups, None)
        yield run, found


def find_changes(run: Row) -> list[list[str]]:
    """What was written on the run since the moment of the tables."""
    now = Run.objects.filter(pk=run["id"]).values_list("updated_at", flat=True).first()
    if now is None:
        return [["gone", run["id"], "", "the run was removed while the export was written"]]
    changed = now > datetime.fromisoformat(run["updated_at"])
    return [["changed", run["id"], "", "its crate tells newer metadata than the tables"]] if changed else []
