"""Manual mode: files that people or scripts ask for wait in their rows until the watcher comes for them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import Count

from accounts.callers import Caller
from files.choices import NOT_STORED_STATUSES, FileStatus
from files.models import File, FileQuerySet
from files.status import transition_file
from runs.lifecycle import lock_active_run
from runs.models import Run
from watchers.fleet import find_watcher
from watchers.models import Watcher
from watchers.ownership import WatcherDeregistered, find_own_watcher
from wire.errors import ValidationError


@dataclass(frozen=True)
class QueuedFiles:
    """The files that now wait, and whether somebody is there to fetch them at once."""

    files: Sequence[File]
    watcher_online: bool

    @property
    def files_queued(self) -> int:
        return len(self.files)


@transaction.atomic
def request_upload(*, instrument: str, run_id: str, file_ids: Sequence[int], by: Caller, at: datetime) -> QueuedFiles:
    """Queue files of a run, all of them or none; those that wait already keep their place.

    Raises RunMissing, RunIsDeleted, ValidationError for a file that is not of the run, dismissed or stored.
    """
    run = lock_active_run(instrument=instrument, run_id=run_id, by=by)
    files = _lock_waiting_files(run, file_ids)
    fresh = [file for file in files if file.status == FileStatus.DETECTED]
    for file in fresh:
        transition_file(file, to=FileStatus.UPLOAD_REQUESTED, at=at)
    File.objects.bulk_update(fresh, ["status", "upload_requested_at"])
    watcher_online = Watcher.objects.online(at).filter(instrument_id=run.instrument_id).exists()
    return QueuedFiles(files, watcher_online)


def list_waiting(watcher_id: UUID, *, by: Caller) -> FileQuerySet:
    """What a watcher is asked to upload, the oldest request first; files of deleted runs are left out.

    For the watcher's own token, or a person. Raises WatcherMissing, NotTheOwningToken, WatcherDeregistered.
    """
    waiting = _waiting_files().filter(run__instrument_id=_find_instrument(watcher_id, by=by))
    return waiting.select_related("run").order_by("upload_requested_at", "id")


def count_waiting(instrument_ids: Sequence[str]) -> dict[str, int]:
    """How many files the watchers of these instruments are asked for; those without any are left out."""
    waiting = _waiting_files().filter(run__instrument_id__in=instrument_ids).order_by()
    return dict(waiting.values_list("run__instrument_id").annotate(Count("pk")))


def _waiting_files() -> FileQuerySet:
    return File.objects.active().filter(
        status=FileStatus.UPLOAD_REQUESTED,
        upload_requested_at__isnull=False,
        uploaded_at__isnull=True,
        run__deleted_at__isnull=True,
    )


def _find_instrument(watcher_id: UUID, *, by: Caller) -> str:
    if by.token is not None:
        return find_own_watcher(watcher_id, by=by).instrument_id
    watcher = find_watcher(watcher_id, by=by)
    if watcher.deleted_at is not None:
        raise WatcherDeregistered(watcher.deleted_at)
    return watcher.instrument_id


def _lock_waiting_files(run: Run, file_ids: Sequence[int]) -> list[File]:
    """The files in the order asked for; refuses where one of them cannot be waited for."""
    rows = File.objects.active().filter(run=run, status__in=NOT_STORED_STATUSES, pk__in=file_ids)
    by_id = {file.pk: file for file in rows.order_by("id").select_for_update(no_key=True)}
    wrong = [str(file_id) for file_id in file_ids if file_id not in by_id]
    if wrong:
        raise ValidationError(
            fields={"file_ids": [f"Not files of this run that wait for their upload: {', '.join(wrong)}."]}
        )
    return [by_id[file_id] for file_id in dict.fromkeys(file_ids)]
