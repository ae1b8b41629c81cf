"""What goes into an archive, and the key under which an equal archive is found again."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import quote

from django.db import connection
from django.db.models import Count, Max, Sum

from archives.models import ArchiveJob
from archives.naming import member_names
from files.choices import FileCategory, StorageClass
from files.downloads import FilePurged
from files.models import File
from files.storage.interface import MIB
from runs.models import Run
from wire.clock import format_timestamp
from wire.errors import Conflict, NotFound, ValidationError

ARCHIVE_FORMAT = "ids-archive/1"
# SHA-256 over the format and the sorted member ids, storage keys and sizes (docs/interface.md, Archives), by the
# database: a run may have 100,000 files, and pollers ask every few seconds.
FIND_MEMBERS_SQL = """
    SELECT coalesce(array_agg(id ORDER BY id) FILTER (WHERE stored), '{}'),
           encode(sha256(convert_to(%(format)s || coalesce(
               string_agg(E'\\n' || id || ' ' || storage_key || ' ' || size_bytes, '' ORDER BY id)
               FILTER (WHERE stored), ''), 'UTF8')), 'hex'),
           count(*)
    FROM (
        SELECT id, storage_key, size_bytes,
               uploaded_at IS NOT NULL AND deleted_at IS NULL AND purged_at IS NULL AS stored
        FROM files_file
        WHERE run_id = %(run)s AND (%(wanted)s::bigint[] IS NULL OR id = ANY (%(wanted)s::bigint[]))
    ) AS member
"""


@dataclass(frozen=True)
class Member:
    """One file in the archive. `crc32` is None where it is not known before the bytes are read."""

    file_id: int
    path: str
    size_bytes: int
    storage_key: str
    crc32: str | None
    sha256: str | None


@dataclass(frozen=True)
class Selection:
    """The stored files that were asked for, as ids and as the key of their archive."""

    file_ids: list[int]
    cache_key: str


class NoStoredFiles(NotFound):
    def __init__(self) -> None:
        super().__init__("None of these files is stored yet, so there is nothing to pack.")


class FilesAreCold(Conflict):
    """Some of these files are in the cold store: they are asked for first."""

    def __init__(self, run: Run, *, files: int, size: int, since: datetime | None) -> None:
        ask = f"/api/v1/instruments/{run.instrument_id}/runs/{quote(run.run_id, safe='')}/files:restore"
        super().__init__(
            f"In cold storage, and brought back on request: {files} of these files.",
            storage_class=str(StorageClass.COLD),
            files=files,
            size_bytes=size,
            restore_requested_at=format_timestamp(since),
            restore=ask,
        )


def select_members(run: Run, *, file_ids: Sequence[int] | None) -> Selection:
    """The run's stored files, or those of them that are named. Raises ValidationError, NoStoredFiles, FilePurged."""
    wanted = None if file_ids is None else sorted(set(file_ids))
    with connection.cursor() as cursor:
        cursor.execute(FIND_MEMBERS_SQL, {"format": ARCHIVE_FORMAT, "run": run.pk, "wanted": wanted})
        found, cache_key, known = cursor.fetchone()
    if wanted is not None and known != len(wanted):
        raise ValidationError(fields={"file_ids": ["Every id must be of a file of this run."]})
    if not found:
        refuse_all_purged(run, wanted)
        raise NoStoredFiles
    return Selection(found, cache_key)


def list_stored_ids(run: Run) -> list[int]:
    """Of all files that an archive of the run would hold; none where nothing is stored."""
    return list(
        File.objects.stored()
        .active()
        .filter(run=run, purged_at__isnull=True)
        .order_by("pk")
        .values_list("pk", flat=True)
    )


def refuse_all_purged(run: Run, wanted: Sequence[int] | None) -> None:
    """Of what is not stored, whether it was. Raises FilePurged."""
    purged = File.objects.active().filter(run=run, purged_at__isnull=False)
    gone = (purged if wanted is None else purged.filter(pk__in=wanted)).order_by("pk").first()
    if gone is not None:
        raise FilePurged(gone)


def refuse_cold_members(file_ids: Sequence[int]) -> None:
    """Raises FilesAreCold."""
    cold = File.objects.cold().filter(pk__in=file_ids)
    found = cold.aggregate(files=Count("pk"), size=Sum("size_bytes", default=0), since=Max("restore_requested_at"))
    if found["files"]:
        raise FilesAreCold(cold.select_related("run")[0].run, **found)


def list_members(job: ArchiveJob) -> list[Member]:
    """The members with their names in the archive, in the order of their paths; processed ones under `processed/`."""
    files = list(File.objects.stored().active().filter(pk__in=job.file_ids))
    files.sort(key=lambda file: (archive_path_of(file), file.pk))
    names = member_names(archive_path_of(file) for file in files)
    return [build_member(file, name) for file, name in zip(files, names, strict=True)]


def archive_path_of(file: File) -> str:
    return file.relative_path if file.category == FileCategory.RAW else f"processed/{file.relative_path}"


def build_member(file: File, path: str) -> Member:
    return Member(
        file_id=file.pk,
        path=path,
        size_bytes=file.size_bytes or 0,
        storage_key=file.storage_key or "",
        crc32=file.crc32,
        sha256=file.sha256,
    )


def estimate_archive_bytes(members: Sequence[Member]) -> int:
    """Bytes that an archive of these may have, its headers and manifest included."""
    return sum(member.size_bytes for member in members) * 102 // 100 + MIB


def build_manifest(job: ArchiveJob, run: Run, packed: Sequence[Member]) -> bytes:
    """The last entry of the archive, `manifest.json`."""
    return json.dumps(build_manifest_document(job, run, packed), ensure_ascii=False, indent=1).encode()


def build_manifest_document(job: ArchiveJob, run: Run, packed: Sequence[Member]) -> dict[str, Any]:
    return {
        "format": ARCHIVE_FORMAT,
        "instrument_id": run.instrument_id,
        "run_id": run.run_id,
        "created_at": format_timestamp(job.created_at),
        "files": list(_manifest_entries(packed)),
        "purged": list(_list_purged(run)),
    }


def _list_purged(run: Run) -> Iterator[dict[str, Any]]:
    """What the run had and no archive can have any more."""
    purged = File.objects.active().filter(run=run, purged_at__isnull=False).order_by("natural_key", "pk")
    for file in purged:
        yield {
            "file_id": file.pk,
            "path": archive_path_of(file),
            "size_bytes": file.size_bytes,
            "sha256": file.sha256,
            "crc32": file.crc32,
            "purged_at": format_timestamp(file.purged_at),
            "purged_by_rule": file.purged_by_rule,
        }


def _manifest_entries(packed: Sequence[Member]) -> Iterator[dict[str, Any]]:
    for member in packed:
        yield {
            "file_id": member.file_id,
            "path": member.path,
            "size_bytes": member.size_bytes,
            "sha256": member.sha256,
            "crc32": member.crc32,
        }
