"""The files of a run: the page of them that is asked for, the first of them, and how many are where."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import models
from django.db.models import Count, Exists, F, OuterRef, Q, Subquery, Window
from django.db.models.functions import Coalesce, RowNumber

from accounts.callers import Caller
from files.choices import FileCategory, FileStatus
from files.models import File, FileQuerySet
from runs.lifecycle import find_run
from runs.models import Run
from wire.queries.compiled import CompiledQuery


class VersionsListed(models.TextChoices):
    ALL = "all"
    COLLAPSE = "collapse"  # of each path the newest one


@dataclass(frozen=True)
class FileFilter:
    """Which files of a run are meant; nothing said means all active ones."""

    status: Sequence[FileStatus] = ()
    category: Sequence[FileCategory] = ()
    search: str = ""
    include_deleted: bool = False
    versions: VersionsListed = VersionsListed.ALL


def list_files(*, instrument: str, run_id: str, only: FileFilter, by: Caller) -> FileQuerySet:
    """The files of a run, a deleted one too, in natural order of their names, then by id. Raises RunMissing.

    Where versions are collapsed, the newest of each path has its `version_count`; it is what the filter must find, but
    for a search, which finds it by the name of the first as well.
    """
    files = File.objects.filter(run=find_run(instrument=instrument, run_id=run_id, by=by))
    if only.search:
        files = _search_names(files, only)
    if only.status:
        files = files.filter(status__in=only.status)
    if only.category:
        files = files.filter(category__in=only.category)
    if not only.include_deleted:
        files = files.active()
    if only.versions == VersionsListed.COLLAPSE:
        files = _collapse_versions(files, include_deleted=only.include_deleted)
    return files.order_by("natural_key", "id").defer("caller_metadata", "extracted")


def _search_names(files: FileQuerySet, only: FileFilter) -> FileQuerySet:
    named = files.name_contains(only.search)
    if only.versions != VersionsListed.COLLAPSE:
        return named
    return files.filter(Q(pk__in=named.values("pk")) | Q(version_of__in=named.values("pk")))


def _collapse_versions(files: FileQuerySet, *, include_deleted: bool) -> FileQuerySet:
    listed = File.objects.all() if include_deleted else File.objects.active()
    later = listed.filter(version_of=Coalesce(OuterRef("version_of"), OuterRef("pk"))).order_by()
    counted = later.values("version_of").annotate(count=Count("pk")).values("count")
    newest = files.filter(~Exists(later.filter(version__gt=OuterRef("version"))))
    return newest.annotate(version_count=Coalesce(Subquery(counted), 0) + 1)  # the first itself is never dismissed


def count_later_versions(run: Run) -> int:
    """Of a run's active raw files those that are not the first of their path."""
    return File.objects.active().filter(run=run, category=FileCategory.RAW, version_of__isnull=False).count()


def group_versions(files: Iterable[File], *, limit: int) -> dict[int, list[File]]:
    """The newest versions of the paths of these files, by the id of the first one; at most `limit` of each."""
    firsts = [file.version_of_id or file.pk for file in files]
    first, newest_first = Coalesce("version_of", "pk"), F("version").desc()
    versions = File.objects.active().filter(Q(pk__in=firsts) | Q(version_of__in=firsts))
    ranked = versions.annotate(rank=Window(RowNumber(), partition_by=first, order_by=newest_first))
    found: dict[int, list[File]] = {}
    for version in ranked.filter(rank__lte=limit).order_by("-version").defer("caller_metadata", "extracted"):
        found.setdefault(version.version_of_id or version.pk, []).append(version)
    return found


def find_first_failures(run_ids: Sequence[UUID]) -> dict[UUID, File]:
    """Of each of these runs the file that failed, the first in natural order; by the run's id."""
    if not run_ids:
        return {}
    failed = File.objects.active().filter(run__in=run_ids, status=FileStatus.FAILED)
    firsts = failed.order_by("run", "natural_key", "id").distinct("run").defer("caller_metadata", "extracted")
    return {file.run_id: file for file in firsts}


def _select_first_files(run_id: Any, *, limit: int) -> FileQuerySet:
    files = File.objects.active().filter(run_id=run_id).order_by("natural_key", "id")
    return files.defer("caller_metadata", "extracted", "natural_key")[:limit]


FIRST_FILES = CompiledQuery(_select_first_files)
STATUS_COUNTS = CompiledQuery(
    lambda run_id, category: (
        File.objects.active()
        .filter(run_id=run_id, category=category)
        .order_by()
        .values_list("status")
        .annotate(files=Count("id"))
    )
)


def list_first_files(run: Run, *, limit: int) -> list[File]:
    """Active ones of every category, in natural order."""
    return FIRST_FILES(run.pk, limit=limit)


def count_statuses(run: Run, first: Sequence[File], *, limit: int) -> dict[str, int]:
    """How many active raw files are in each status, those of none included; together they are `file_count`.

    `first` are the run's first files, at most `limit`: where they are all, nobody else is asked.
    """
    if len(first) < limit:
        counted: dict[str, int] = Counter(file.status for file in first if file.category == FileCategory.RAW)
    else:
        counted = dict(STATUS_COUNTS(run.pk, str(FileCategory.RAW)))
    return dict.fromkeys(FileStatus.values, 0) | counted
