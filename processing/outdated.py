"""Files that an older version of their reader has read, or none knew: read again, behind everything that arrives."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import Count, Q, QuerySet

from files.choices import FileStatus, StorageClass
from files.models import File
from files.naming import natural_key
from processing.jobs import enqueue_files
from processing.models import JobState, ProcessingJob
from processing.registry import get_registry
from processing.turns import FIRST_BACKGROUND_TURN

BATCH_SIZE = 500


@dataclass(frozen=True)
class ReadAgain:
    """Which files: of one reader, of one instrument, read by a version before this one; or those that none knew."""

    processor: str | None = None
    instrument_id: str | None = None
    before: str | None = None
    unread: bool = False

    @property
    def is_whole(self) -> bool:
        """All files of the instrument that is named, whichever version has read them."""
        return self.instrument_id is not None and self.before is None


@dataclass(frozen=True)
class OutdatedReader:
    """How many files a version of a reader has read that is not the present one."""

    processor: str
    version: str
    current: str
    files: int


def list_outdated_readers(only: ReadAgain = ReadAgain()) -> list[OutdatedReader]:
    """By reader and version, those with files only. Readers that are gone are left out: nothing would read better."""
    current = get_registry().versions
    jobs = completed_jobs(only).values_list("processor", "processor_version")
    counted = jobs.annotate(files=Count("pk")).order_by("processor", "processor_version")
    return [
        OutdatedReader(processor, version, current[processor], files)
        for processor, version, files in counted
        if is_outdated(processor, version, before=only.before)
    ]


def is_outdated(processor: str, version: str, *, before: str | None) -> bool:
    current = get_registry().versions.get(processor)
    if current is None or version == current:
        return False
    return before is None or natural_key(version) < natural_key(before)


def completed_jobs(only: ReadAgain) -> QuerySet[ProcessingJob]:
    jobs = jobs_at_hand(only).filter(state=JobState.COMPLETED, file__status=FileStatus.COMPLETED)
    return jobs if only.processor is None else jobs.filter(processor=only.processor)


def unread_jobs(only: ReadAgain) -> QuerySet[ProcessingJob]:
    """Of files that are kept as they came: no reader knew them."""
    return jobs_at_hand(only).filter(state=JobState.NOT_READ, file__status=FileStatus.UPLOADED)


def jobs_at_hand(only: ReadAgain) -> QuerySet[ProcessingJob]:
    jobs = ProcessingJob.objects.filter(file__deleted_at__isnull=True, file__purged_at__isnull=True)
    jobs = jobs.filter(file__run__deleted_at__isnull=True, file__storage_class=StorageClass.HOT)
    return jobs if only.instrument_id is None else jobs.filter(file__run__instrument_id=only.instrument_id)


def count_waiting() -> int:
    """Files that wait in the background to be read again."""
    return ProcessingJob.objects.unfinished().filter(turn__gte=FIRST_BACKGROUND_TURN).count()


def enqueue_outdated(only: ReadAgain, *, at: datetime) -> Iterator[int]:
    """Have them read again, batch by batch, each in a transaction; yields how many have been asked for so far.

    Whoever stops in between goes on by asking again: what waits already is no longer found.
    """
    asked = 0
    while batch := enqueue_batch(only, at=at):
        asked += batch
        yield asked


@transaction.atomic
def enqueue_batch(only: ReadAgain, *, at: datetime) -> int:
    if only.unread:
        jobs = unread_jobs(only).filter(ended_at__lt=at).order_by("ended_at", "pk")  # who was tried last comes last
    else:
        jobs = outdated_jobs(only, at=at).order_by("pk")
    jobs = jobs[:BATCH_SIZE]
    files = File.objects.filter(pk__in=list(jobs.values_list("pk", flat=True)))
    return enqueue_files(files.select_related("run").only("run__instrument_id"), claim=False, at=at, behind_new=True)


def outdated_jobs(only: ReadAgain, *, at: datetime) -> QuerySet[ProcessingJob]:
    chosen = Q(ended_at__lt=at) if only.is_whole else Q(pk__in=[])
    for found in list_outdated_readers(only):
        chosen |= Q(processor=found.processor, processor_version=found.version)
    return completed_jobs(only).filter(chosen)
