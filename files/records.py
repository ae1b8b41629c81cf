"""The rows of files: finding, locking and adding them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import transaction

from accounts.callers import Caller
from accounts.foreign_rows import note_foreign_row
from files.choices import FileCategory
from files.intake.quotas import check_file_quota
from files.models import File, FileQuerySet
from files.naming import natural_key
from files.status import set_report_kind
from runs.lifecycle import RunIsDeleted, lock_active_run
from runs.models import Run
from runs.signatures.rules import is_signed, refuse_signed
from wire.clock import format_timestamp
from wire.errors import Conflict, NotFound
from wire.queries.compiled import CompiledQuery

LARGE_COLUMNS_OF_RUN = ("caller_metadata", "extracted", "metadata", "terms")
FOUND_FILE = CompiledQuery(lambda bound, file_id: File.objects.within(bound).filter(pk=file_id))
FOUND_FILE_AND_RUN = CompiledQuery(lambda bound, file_id: with_slim_run(File.objects.within(bound).filter(pk=file_id)))
LOCKED_FILE = CompiledQuery(  # PostgreSQL locks in the order that is named here: first the run, as every writer does
    lambda bound, file_id: with_slim_run(File.objects.within(bound).filter(pk=file_id)).select_for_update(
        of=("run", "self"), no_key=True
    )
)
KNOWN_FILE = CompiledQuery(
    lambda run, category, path: File.objects.filter(run=run, category=category, relative_path=path)
)


def with_slim_run(files: FileQuerySet) -> FileQuerySet:
    """Files with their runs, less what may be large of a run and no write of a file looks at."""
    return files.select_related("run").defer(*(f"run__{name}" for name in LARGE_COLUMNS_OF_RUN))


class FileMissing(NotFound):
    def __init__(self) -> None:
        super().__init__("There is no such file.")


class FileIsDismissed(Conflict):
    """A dismissed path stays dismissed; the agent takes this as done."""

    def __init__(self, file: File) -> None:
        super().__init__("The file was dismissed.", file_id=file.pk, deleted_at=format_timestamp(file.deleted_at))


class FileIsStored(Conflict):
    def __init__(self, file: File) -> None:
        super().__init__(
            "The bytes of this file are stored; that cannot be undone or changed.",
            file_id=file.pk,
            status=str(file.status),
            size_bytes=file.size_bytes,
        )


@dataclass(frozen=True)
class NewFile:
    """What a caller says of a file. The path is that within the run; `metadata` is the caller's part of it."""

    filename: str
    relative_path: str
    category: FileCategory = FileCategory.RAW
    content_type: str | None = None
    size_bytes: int | None = None
    sha256: str | None = None
    crc32: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    file_created_at: datetime | None = None


@dataclass(frozen=True)
class Recorded:
    """A file that was named, and whether this made its record."""

    file: File
    created: bool


def find_file(file_id: int, *, by: Caller) -> File:
    """The file, dismissed or of a deleted run too, or FileMissing."""
    return _find_or_raise(FOUND_FILE, file_id, by=by)


def find_active_file(file_id: int, *, by: Caller) -> File:
    """As it is found now, for a look before a write. Raises FileMissing, RunIsDeleted, FileIsDismissed."""
    return _refuse_inactive(_find_or_raise(FOUND_FILE_AND_RUN, file_id, by=by))


def lock_file(file_id: int, *, by: Caller) -> File:
    """The file for a write, dismissed or not. Raises FileMissing, RunIsDeleted.

    Its run is locked first, as every writer and the triggers do, so that nobody waits in a circle.
    """
    found = _find_or_raise(LOCKED_FILE, file_id, by=by)
    if found.run.deleted_at is not None:
        raise RunIsDeleted(found.run)
    return found


def lock_active_file(file_id: int, *, by: Caller) -> File:
    """As `lock_file`; raises FileIsDismissed too."""
    return _refuse_inactive(lock_file(file_id, by=by))


def _find_or_raise(query: CompiledQuery[File], file_id: int, *, by: Caller) -> File:
    found = query.first(by.instrument_ids, file_id)
    if found is None:
        note_foreign_row(File.objects.filter(pk=file_id), by=by)
        raise FileMissing
    return found


def _refuse_inactive(file: File) -> File:
    if file.run.deleted_at is not None:
        raise RunIsDeleted(file.run)
    if file.deleted_at is not None:
        raise FileIsDismissed(file)
    return file


@transaction.atomic
def record_file(*, instrument: str, run_id: str, new: NewFile, by: Caller, at: datetime) -> Recorded:
    """The record of a path: made, or the known one as it is, dismissed ones included."""
    run = lock_active_run(instrument=instrument, run_id=run_id, by=by)
    recorded = find_or_create_file(run, new, at=at)
    if recorded.created:
        recorded.file.refresh_from_db()
    return recorded


def find_or_create_file(run: Run, new: NewFile, *, at: datetime) -> Recorded:
    """The record of a path in a run whose row is locked, which makes callers of one path wait for each other."""
    known = find_known_file(run, new)
    if known is not None:
        return Recorded(known, created=False)
    return Recorded(create_file(run, new, at=at), created=True)


def find_known_file(run: Run, new: NewFile) -> File | None:
    """The record of its path, dismissed or not."""
    known = KNOWN_FILE.first(run.pk, new.category, new.relative_path)
    if known is not None:
        known.run = run
    return known


def create_file(run: Run, new: NewFile, *, version: int = 1, version_of: File | None = None, at: datetime) -> File:
    """A record of a path that has none, in a run whose row is locked. Raises QuotaReached, RunIsSigned."""
    if new.category == FileCategory.RAW:
        refuse_signed(run)
    check_file_quota(run, [new.relative_path], category=new.category)
    file = build_file(run, new, at=at)
    file.version, file.version_of = version, version_of
    file.save(force_insert=True)
    return file


def add_detected_files(run: Run, detected: Iterable[NewFile], *, at: datetime) -> None:
    """Record what was seen, in one statement; known paths, dismissed ones too, stay as they are.

    In the order of paths, so that two reports of one run cannot wait for each other in a circle. The run's row is
    locked. Raises QuotaReached, RunIsSigned.
    """
    detected = list(detected)
    _refuse_new_paths_of_signed(run, [new.relative_path for new in detected])
    check_file_quota(run, [new.relative_path for new in detected], category=FileCategory.RAW)
    rows = [build_file(run, new, at=at) for new in sorted(detected, key=lambda new: new.relative_path)]
    File.objects.bulk_create(rows, ignore_conflicts=True)


def refuse_signed_file(file: File) -> None:
    """What processing made of a signed run is not signed. Raises RunIsSigned."""
    if file.category == FileCategory.RAW:
        refuse_signed(file.run_id)


def _refuse_new_paths_of_signed(run: Run, paths: Sequence[str]) -> None:
    """What is known may be reported again."""
    if not paths or not is_signed(run):
        return
    known = run.files.filter(category=FileCategory.RAW, relative_path__in=paths).values_list("relative_path", flat=True)
    if set(paths) - set(known):
        refuse_signed(run)


def build_file(run: Run, new: NewFile, *, at: datetime) -> File:
    """What a new record says; nothing is written."""
    file = File(
        run=run,
        filename=new.filename,
        relative_path=new.relative_path,
        natural_key=natural_key(new.filename),
        category=new.category,
        content_type=new.content_type,
        size_bytes=new.size_bytes,
        sha256=new.sha256,
        crc32=new.crc32,
        caller_metadata=dict(new.metadata),
        detected_at=at,
        created_at=at,
        file_created_at=new.file_created_at,
    )
    set_report_kind(file)
    return file
