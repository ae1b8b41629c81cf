"""Reading stored bytes again, all within SCRUB_WITHIN_DAYS, in steps that may be cut off anywhere (docs/integrity.md).

Each file has a row that says when it was read last. A step leases the one whose turn it is longest, reads its object,
compares, heals what it can, and writes down the moment; a step that dies leaves a lease that runs out.
"""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from django.conf import settings
from django.db import connection

from files.integrity.findings import Discovery, close_findings, list_open_findings, note_failure, record_finding
from files.integrity.healing import NotHealed, heal_object
from files.integrity.models import FileScrub, FindingKind, HealedFrom
from files.integrity.pace import Pace
from files.integrity.verification import Progress, find_contradiction, ignore_progress, read_checksums
from files.models import File
from files.removing.removals import remove_unnamed
from files.storage import find_holder, replica_store, whole_store
from files.storage.interface import ObjectMissing, StoredObjects, StoreUnavailable
from files.stored.inventory import ReferencedObject, find_referenced_file
from jobs.lease_renewer import renewer_of
from jobs.leases import JobQueue, Lease, LeaseLost, end_job, lease_next_job, postpone_job
from wire.errors import ServiceError

log = logging.getLogger(__name__)
STEP_SECONDS = 45.0  # of the minute between two steps
FILES_PER_STEP = 2_000  # that are given a row, and that are read
SETTLED_FILES = 10_000  # among the last ids some are of transactions that end later
DUE_SHARE = 0.9  # of the days, so that all were read within them
TRY_AGAIN_AFTER = timedelta(days=1)  # what was not healed
MAX_ATTEMPTS = 3
SCRUBS = JobQueue(
    task="files.scrub",
    unfinished=FileScrub.objects.all(),
    requested_at="scrubbed_at",
    lease=timedelta(seconds=settings.JOB_LEASE_SECONDS),
    max_attempts=MAX_ATTEMPTS,
    pause=timedelta(minutes=10),
)
ENROL_SQL = """
    INSERT INTO files_filescrub (file_id, scrubbed_at, attempts, error_message)
    SELECT id, COALESCE(uploaded_at, created_at), 0, '' FROM files_file AS file
     WHERE id > (SELECT COALESCE(MAX(file_id), 0) FROM files_filescrub) - %(settled)s
       AND NOT EXISTS (SELECT 1 FROM files_filescrub WHERE file_id = file.id)
     ORDER BY id LIMIT %(most)s ON CONFLICT DO NOTHING
"""


@dataclass(frozen=True)
class ScrubResult:
    """Of one step."""

    files: int = 0
    size_bytes: int = 0
    findings: int = 0
    healed: int = 0


def scrub_due_files(
    *,
    clock: Callable[[], datetime],
    read_before: datetime | None = None,
    seconds: float = STEP_SECONDS,
    most: int = FILES_PER_STEP,
    monotonic: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], object] = time.sleep,
) -> ScrubResult:
    """Read what is due until the time is up, one file at least; nothing while another step is at it.

    Due is what was read before SCRUB_WITHIN_DAYS end, or `read_before`.
    """
    done = ScrubResult()
    if not (settings.SCRUB_WITHIN_DAYS or read_before) or is_at_work(at=clock()):
        return done
    enrol_files()
    pace = Pace(mb_per_second=settings.SCRUB_MAX_MB_PER_SECOND, clock=monotonic, sleep=sleep)
    while done.files < most and pace.seconds < seconds:
        lease = _lease_next(read_before or find_due_time(at=clock()), at=clock())
        if lease is None:
            break
        try:
            found, healed = _scrub_leased(lease, clock=clock, pace=pace)
        except StoreUnavailable as problem:
            log.warning("stored bytes are not read again meanwhile: %s", problem.message)
            break
        done = ScrubResult(done.files + 1, pace.size_bytes, done.findings + found, done.healed + healed)
    return done


def find_due_time(*, at: datetime) -> datetime:
    """What was read before has its turn."""
    return at - timedelta(days=settings.SCRUB_WITHIN_DAYS) * DUE_SHARE


def is_at_work(*, at: datetime) -> bool:
    return FileScrub.objects.filter(lease_id__isnull=False, lease_until__gt=at).exists()


def enrol_files() -> int:
    """Give new files their rows, by ids; how many. It counts as read what came now: it was compared on its way in."""
    with connection.cursor() as cursor:
        cursor.execute(ENROL_SQL, {"settled": SETTLED_FILES, "most": FILES_PER_STEP})
        return cursor.rowcount


def inspect_file(
    file_id: int, *, store: StoredObjects, progress: Progress = ignore_progress
) -> tuple[ReferencedObject | None, Discovery | None]:
    """What the row says and what is wrong with its bytes; nothing where the row says otherwise after the reading.

    Raises StoreUnavailable.
    """
    name = find_referenced_file(file_id)
    if name is None:
        return None, None
    discovery = _read_and_compare(file_id, name, store=store, progress=progress)
    if discovery is not None and find_referenced_file(file_id) != name:
        return None, None
    return name, discovery


def _read_and_compare(
    file_id: int, name: ReferencedObject, *, store: StoredObjects, progress: Progress
) -> Discovery | None:
    try:
        sums = read_checksums(store, name.key, progress=progress)
    except ObjectMissing:
        return Discovery(file_id, name, FindingKind.MISSING)
    if sums is None:
        return Discovery(file_id, name, FindingKind.DAMAGED)
    wrong = find_contradiction(name, size_bytes=sums.size_bytes, crc32=sums.crc32, sha256=sums.sha256)
    return Discovery(file_id, name, FindingKind.DAMAGED, wrong) if wrong else None


def _lease_next(read_before: datetime, *, at: datetime) -> Lease[FileScrub] | None:
    """What was not healed a day ago, then what was read longest ago."""
    unhealed = list_open_findings().filter(last_seen_at__lte=at - TRY_AGAIN_AFTER).order_by("last_seen_at")
    again = list(unhealed.values_list("file", flat=True)[:1])
    if again and (lease := lease_next_job(replace(SCRUBS, unfinished=FileScrub.objects.filter(pk__in=again)), at=at)):
        return lease
    due = FileScrub.objects.filter(scrubbed_at__lte=read_before)
    return lease_next_job(replace(SCRUBS, unfinished=due), at=at)


def _scrub_leased(lease: Lease[FileScrub], *, clock: Callable[[], datetime], pace: Pace) -> tuple[int, int]:
    """Findings and healed ones of this file."""
    file_id, found = lease.job.pk, (0, 0)
    if lease.is_exhausted:
        log.error("file %s was given up: whoever reads it dies", file_id)
    else:
        try:
            with renewer_of(lease, clock=clock) as renewer:
                found = scrub_file(file_id, clock=clock, progress=_keep_pace(pace, renewer))
        except LeaseLost:
            return found
        except StoreUnavailable:
            postpone_job(lease, at=clock(), wait=SCRUBS.pause)
            raise
    end_job(lease, {"scrubbed_at": clock(), "attempts": 0})
    return found


def _keep_pace(pace: Pace, renew: Callable[[], None]) -> Progress:
    """What is done after each part that was read: wait as long as the rate asks for, and keep the lease."""

    def go_on(size: int) -> None:
        pace(size)
        renew()

    return go_on


def scrub_file(file_id: int, *, clock: Callable[[], datetime], progress: Progress = ignore_progress) -> tuple[int, int]:
    """Read one file, and heal it where that is due; findings and healed ones. Raises StoreUnavailable."""
    name, discovery = inspect_file(file_id, store=whole_store(), progress=progress)
    if discovery is None:
        if name is not None:
            close_findings(file_id, healed_from=HealedFrom.ELSEWHERE, at=clock())
        return 0, 0
    finding = record_finding(discovery, at=clock())
    log.error("stored bytes of file %s are %s: %s", file_id, discovery.kind, discovery.name.key)
    try:
        _heal(discovery, progress=progress)
    except (NotHealed, ServiceError) as reason:
        note_failure(finding, str(reason))
        return 1, 0
    return 1, close_findings(file_id, healed_from=HealedFrom.REPLICA, at=clock())


def _heal(discovery: Discovery, *, progress: Progress) -> None:
    """It counts once the bytes were read back."""
    store, file = find_holder(discovery.name.key), File.objects.filter(pk=discovery.file_id).first()
    if file is None:
        raise NotHealed("The file is gone.")
    content_type = file.content_type or "application/octet-stream"
    heal_object(discovery.name, content_type=content_type, store=store, replica=replica_store(), progress=progress)
    if remove_unnamed(discovery.name.key, size_bytes=discovery.name.size_bytes or 0):
        raise NotHealed("Its bytes were purged, or the file has others, meanwhile.")
    if _read_and_compare(discovery.file_id, discovery.name, store=store, progress=progress) is not None:
        raise NotHealed("What was put in its place is not right either.")
