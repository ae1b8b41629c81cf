"""What rules of retention hold for at a moment. The order of the rules decides where two of them hold."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet

from archives.models import ArchiveJob, ArchiveStatus
from files.choices import FileCategory, FileStatus, StorageClass
from files.models import File, FileQuerySet
from files.pictures.comment_pictures import OF_COMMENTS
from files.storage import cold_store
from instruments.models import Instrument
from instruments.retention import retention_of
from instruments.retention_rules import COLD_RULE, RetentionRule
from processing.models import ProcessingJob
from runs.models import Run
from runs.projects.models import Project

CATEGORIES = {
    RetentionRule.EXPIRE_RAW: FileCategory.RAW,
    RetentionRule.EXPIRE_PROCESSED: FileCategory.PROCESSED,
}


def filter_files(rule: RetentionRule, instrument: Instrument, *, at: datetime) -> FileQuerySet:
    """Stored files that go by this rule, those of held runs and those that are being read right now aside."""
    kept, before = retention_of(instrument), retention_of(instrument).ends_before(rule, at=at)
    if before is None:
        return File.objects.none()
    stored = File.objects.stored().exclude(status=FileStatus.PROCESSING).filter(run__instrument=instrument)
    unheld = stored.filter(run__hold__isnull=True, run__project__hold__isnull=True)
    if rule == RetentionRule.PURGE_DELETED:
        return unheld.filter(run__deleted_at__lte=before)
    deleted_before = kept.ends_before(RetentionRule.PURGE_DELETED, at=at)
    if deleted_before is not None:
        unheld = unheld.exclude(run__deleted_at__lte=deleted_before)
    return unheld.filter(category=CATEGORIES[rule], uploaded_at__lte=before).exclude(OF_COMMENTS)


def filter_taken_pictures(instrument: Instrument, *, at: datetime) -> FileQuerySet:
    """Pictures that went with their comment as long ago as deleted runs are kept, those of held runs aside.

    What goes with its deleted run is not among them.
    """
    before = retention_of(instrument).ends_before(RetentionRule.PURGE_DELETED, at=at)
    if before is None:
        return File.objects.none()
    taken = File.objects.stored().filter(OF_COMMENTS, deleted_at__lte=before, run__instrument=instrument)
    return taken.filter(run__hold__isnull=True, run__project__hold__isnull=True).exclude(run__deleted_at__lte=before)


def filter_unsent(instrument: Instrument, *, at: datetime) -> FileQuerySet:
    """Files of deleted runs that go whose bytes may have come, as they were asked for, and were never confirmed."""
    runs = filter_runs(RetentionRule.PURGE_DELETED, instrument, at=at)
    return File.objects.filter(run__in=runs, uploaded_at__isnull=True, storage_key__isnull=False)


def list_candidates(rule: RetentionRule, instrument: Instrument, *, at: datetime) -> list[FileQuerySet]:
    """All files that go by a rule, none of them twice."""
    pictures = [filter_taken_pictures(instrument, at=at)] if rule == RetentionRule.PURGE_DELETED else []
    return [filter_files(rule, instrument, at=at), *pictures]


def filter_cooling(instrument: Instrument, *, at: datetime) -> FileQuerySet:
    """Raw files at hand that become cold: of no held run, not brought back lately, that nobody reads or packs.

    What a rule purges now is purged, and does not move before. None where there is no cold store.
    """
    before = retention_of(instrument).ends_before(COLD_RULE, at=at)
    if before is None or cold_store() is None:
        return File.objects.none()
    hot = File.objects.stored().filter(storage_class=StorageClass.HOT, category=FileCategory.RAW)
    old = hot.filter(run__instrument=instrument, uploaded_at__lte=before).exclude(status=FileStatus.PROCESSING)
    unheld = old.filter(run__hold__isnull=True, run__project__hold__isnull=True)
    rested = unheld.filter(Q(hot_until__isnull=True) | Q(hot_until__lte=at))
    for rule in (RetentionRule.PURGE_DELETED, RetentionRule.EXPIRE_RAW):
        if (ends := retention_of(instrument).ends_before(rule, at=at)) is not None:
            since = "run__deleted_at" if rule == RetentionRule.PURGE_DELETED else "uploaded_at"
            rested = rested.exclude(**{f"{since}__lte": ends})
    is_read = Exists(ProcessingJob.objects.unfinished().filter(pk=OuterRef("pk")))
    is_packed = Exists(ArchiveJob.objects.building().filter(run=OuterRef("run")))
    return rested.filter(~is_read, ~is_packed)


def filter_runs(rule: RetentionRule, instrument: Instrument, *, at: datetime) -> QuerySet[Run]:
    """Unheld runs that have files which go by this rule; by that for deleted runs, those that go themselves."""
    before = retention_of(instrument).ends_before(rule, at=at)
    if before is None:
        return Run.objects.none()
    runs = Run.objects.filter(instrument=instrument, hold__isnull=True, project__hold__isnull=True)
    if rule == RetentionRule.PURGE_DELETED:
        return runs.filter(deleted_at__lte=before, purged_at__isnull=True)
    return runs.filter(Exists(filter_files(rule, instrument, at=at).filter(run=OuterRef("pk"))))


def filter_archives(instrument: Instrument, *, at: datetime) -> QuerySet[ArchiveJob]:
    """Finished archives that go, those of held runs aside."""
    before = retention_of(instrument).ends_before(RetentionRule.EXPIRE_ARCHIVES, at=at)
    if before is None:
        return ArchiveJob.objects.none()
    ready = ArchiveJob.objects.filter(status=ArchiveStatus.READY, completed_at__lte=before)
    return ready.filter(run__instrument=instrument, run__hold__isnull=True, run__project__hold__isnull=True)


def lock_runs(run_ids: Sequence[UUID]) -> list[UUID]:
    """Those of these runs that nobody else has locked, and whose project nobody has: a purge waits for no one.

    Whoever places a hold locks the same rows, so a hold is before this, and seen by what follows, or after the purge.
    """
    free = Run.objects.filter(pk__in=run_ids).order_by("pk").select_for_update(no_key=True, skip_locked=True)
    runs = dict(free.values_list("pk", "project_id"))
    wanted = {project for project in runs.values() if project is not None}
    projects = Project.objects.filter(pk__in=wanted).order_by("pk")
    locked = set(projects.select_for_update(no_key=True, skip_locked=True).values_list("pk", flat=True))
    return [run for run, project in runs.items() if project is None or project in locked]
