"""The files of a run: the page of them that is asked for, the first of them, and how many are where."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count

from accounts.callers import Caller
from files.models import File, FileCategory, FileQuerySet, FileStatus
from runs.lifecycle import find_run
from runs.models import Run


@dataclass(frozen=True)
class FileFilter:
    """Which files of a run are meant; nothing said means all active ones."""

    status: Sequence[FileStatus] = ()
    category: Sequence[FileCategory] = ()
    search: str = ""
    include_deleted: bool = False


def list_files(*, instrument: str, run_id: str, only: FileFilter, by: Caller) -> FileQuerySet:
    """The files of a run, a deleted one too, in natural order of their names, then by id. Raises RunMissing."""
    files = File.objects.filter(run=find_run(instrument=instrument, run_id=run_id, by=by))
    if only.status:
        files = files.filter(status__in=only.status)
    if only.category:
        files = files.filter(category__in=only.category)
    if only.search:
        files = files.named_like(only.search)
    if not only.include_deleted:
        files = files.active()
    return files.order_by("natural_key", "id").defer("own", "extracted")


def first_files(run: Run, *, limit: int) -> list[File]:
    """Active ones of every category, in natural order."""
    files = File.objects.active().filter(run=run).order_by("natural_key", "id")
    return list(files.defer("own", "extracted", "natural_key")[:limit])


def count_statuses(run: Run) -> dict[str, int]:
    """How many active raw files are in each status, those of none included; together they are `file_count`."""
    files = File.objects.active().filter(run=run, category=FileCategory.RAW)
    counts = files.order_by().values_list("status").annotate(files=Count("id"))
    return dict.fromkeys(FileStatus.values, 0) | dict(counts)
