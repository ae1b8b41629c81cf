"""Having files read: by themselves when they arrive, again when somebody asks."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from accounts.callers import Caller
from files.choices import FileCategory, StorageClass
from files.downloads import refuse_cold, refuse_purged
from files.models import File
from files.records import lock_active_file
from processing.jobs import enqueue_files
from runs.lifecycle import lock_active_run
from wire.errors import Conflict


class NothingToRead(Conflict):
    def __init__(self, file: File) -> None:
        super().__init__("Nothing is stored of this file yet.", file_id=file.pk, status=str(file.status))


class FileIsArtefact(Conflict):
    def __init__(self, file: File) -> None:
        super().__init__("Processing made this file; its source can be processed again.", file_id=file.source_file_id)


class FileIsPlaceholder(Conflict):
    def __init__(self, file: File) -> None:
        super().__init__("It stands for a file in the demonstration: there is nothing in it to read.", file_id=file.pk)


@dataclass(frozen=True)
class Reprocessed:
    files_queued: int
    files_skipped: int


def enqueue_arrived_files(files: Sequence[File], *, at: datetime) -> None:
    """Raw files have arrived: let a worker find out whether a reader knows them."""
    if raw := [file for file in files if file.category == FileCategory.RAW]:
        enqueue_files(raw, claim=False, at=at)


@transaction.atomic
def reprocess_file(file_id: int, *, by: Caller, at: datetime) -> File:
    """Read a file again.

    Raises FileMissing, RunIsDeleted, FileIsDismissed, NothingToRead, FilePurged, FileIsCold, FileIsPlaceholder.
    """
    file = lock_active_file(file_id, by=by)
    if file.category != FileCategory.RAW:
        raise FileIsArtefact(file)
    if file.uploaded_at is None:
        raise NothingToRead(file)
    refuse_cold(refuse_purged(file))
    if file.is_placeholder:
        raise FileIsPlaceholder(file)
    enqueue_files([file], claim=True, at=at)
    return file


@transaction.atomic
def reprocess_run(*, instrument: str, run_id: str, by: Caller, at: datetime) -> Reprocessed:
    """Read every stored raw file of a run again; those that are not stored, cold or placeholders are skipped."""
    run = lock_active_run(instrument=instrument, run_id=run_id, by=by)
    raw = File.objects.filter(run=run, category=FileCategory.RAW).active()
    at_hand = raw.stored().measured().filter(storage_class=StorageClass.HOT)
    queued = enqueue_files(at_hand.select_related("run").only("run__instrument_id"), claim=True, at=at)
    return Reprocessed(files_queued=queued, files_skipped=raw.count() - queued)
