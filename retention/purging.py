"""Purging by the rules of retention: rows are marked in small transactions, objects removed after each.

What a kill leaves behind, the next purge finds: rows that are not marked yet are candidates as before, objects that are
not removed yet stand in `files.ObjectRemoval`.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, OuterRef, Q

from files.models import File, FileQuerySet, Thumbnail, UploadPart
from files.removing.lock import refuse_during_copy
from files.removing.removals import decide_removals, remove_decided
from instruments.models import Instrument
from instruments.retention_rules import FILE_RULES, RetentionRule
from retention.candidates import (
    filter_archives,
    filter_files,
    filter_runs,
    filter_taken_pictures,
    filter_unsent,
    lock_runs,
)

RUNS_PER_WINDOW = 1_000
FILES_PER_BATCH = 500
ARCHIVES_PER_BATCH = 100
REMOVAL_SECONDS = 60.0
NO_UPLOAD = dict.fromkeys(("storage_bucket", "storage_key", "key_nonce", "multipart_upload_id", "part_size"))


@dataclass(frozen=True)
class Purged:
    """What was marked, and the bytes of the objects that were removed."""

    runs: int = 0
    files: int = 0
    bytes: int = 0

    def __add__(self, other: "Purged") -> "Purged":
        return Purged(self.runs + other.runs, self.files + other.files, self.bytes + other.bytes)


def purge_due(*, clock: Callable[[], datetime], goes_on: Callable[[], bool], instrument_id: str = "") -> Purged:
    """All that is due, asked between two batches whether to go on. Raises RemovalOnHold, StoreUnavailable."""
    done = Purged(bytes=remove_decided(seconds=REMOVAL_SECONDS))
    for instrument in list_instruments(instrument_id):
        for batch in purge_instrument(instrument, at=clock()):
            done += batch + Purged(bytes=remove_decided(seconds=REMOVAL_SECONDS))
            if not goes_on():
                return done
    return done


def until(*, seconds: float) -> Callable[[], bool]:
    """Whether so much time has not passed yet."""
    ends = time.monotonic() + seconds
    return lambda: time.monotonic() < ends


def list_instruments(instrument_id: str = "") -> list[Instrument]:
    """Those with a rule, or that one."""
    has_rule = Q(*((f"{rule}__isnull", False) for rule in RetentionRule.values), _connector=Q.OR)
    found = Instrument.objects.filter(has_rule).order_by("pk")
    return list(found.filter(pk=instrument_id) if instrument_id else found)


def purge_instrument(instrument: Instrument, *, at: datetime) -> Iterator[Purged]:
    """Batch by batch, each committed when it is yielded; their objects are still to be removed."""
    for rule in FILE_RULES:
        for window in list_windows(rule, instrument, at=at):
            for files in list_batches(rule, instrument, window, at=at):
                yield purge_files(rule, instrument, files, at=at)
            if rule == RetentionRule.PURGE_DELETED:
                for files in _in_batches(filter_unsent(instrument, at=at).filter(run__in=window)):
                    yield forget_unsent(instrument, files, at=at)
                yield purge_runs(instrument, window, at=at)
    for files in list_pictures(instrument, at=at):
        yield purge_pictures(instrument, files, at=at)
    while archives := purge_archives(instrument, at=at):
        yield Purged(files=archives)


def list_windows(rule: RetentionRule, instrument: Instrument, *, at: datetime) -> Iterator[list[UUID]]:
    """The runs in the order of their names, so many at once that no query is long."""
    runs, after = filter_runs(rule, instrument, at=at).order_by("run_id"), ""
    while window := list(runs.filter(run_id__gt=after).values_list("pk", "run_id")[:RUNS_PER_WINDOW]):
        yield [pk for pk, _ in window]
        after = window[-1][1]


def list_batches(
    rule: RetentionRule, instrument: Instrument, window: Sequence[UUID], *, at: datetime
) -> Iterator[list[tuple[int, UUID]]]:
    """Files of these runs, with their runs. What a batch leaves, somebody works on: it is not asked for again."""
    yield from _in_batches(filter_files(rule, instrument, at=at).filter(run__in=window))


def list_pictures(instrument: Instrument, *, at: datetime) -> Iterator[list[tuple[int, UUID]]]:
    """Pictures that went with their comments, with their runs."""
    yield from _in_batches(filter_taken_pictures(instrument, at=at))


def _in_batches(due: FileQuerySet) -> Iterator[list[tuple[int, UUID]]]:
    due, after = due.order_by("pk"), 0
    while files := list(due.filter(pk__gt=after).values_list("pk", "run_id")[:FILES_PER_BATCH]):
        yield files
        after = files[-1][0]


@transaction.atomic
def purge_files(
    rule: RetentionRule, instrument: Instrument, files: Sequence[tuple[int, UUID]], *, at: datetime
) -> Purged:
    """Mark these, as far as the rule still holds for them now that they are locked. Raises RemovalOnHold."""
    return _mark_purged(filter_files(rule, instrument, at=at), files, rule=rule, at=at)


@transaction.atomic
def purge_pictures(instrument: Instrument, files: Sequence[tuple[int, UUID]], *, at: datetime) -> Purged:
    """Likewise those that went with their comments. Raises RemovalOnHold."""
    return _mark_purged(filter_taken_pictures(instrument, at=at), files, rule=RetentionRule.PURGE_DELETED, at=at)


def _mark_purged(
    candidates: FileQuerySet, files: Sequence[tuple[int, UUID]], *, rule: RetentionRule, at: datetime
) -> Purged:
    refuse_during_copy()
    runs = lock_runs(sorted({run for _, run in files}))
    due = candidates.filter(pk__in=[pk for pk, _ in files], run__in=runs).order_by("pk")
    locked = due.select_for_update(of=("self",), no_key=True, skip_locked=True)
    found = locked.values_list("pk", "storage_key", "size_bytes")
    sizes = {pk: (key or "", size or 0) for pk, key, size in found}
    File.objects.filter(pk__in=sizes).update(purged_at=at, purged_by_rule=rule, restore_requested_at=None)
    Thumbnail.objects.filter(file__in=sizes).delete()  # drawn from these bytes
    decide_removals(dict(sizes.values()))
    return Purged(files=len(sizes))


@transaction.atomic
def forget_unsent(instrument: Instrument, files: Sequence[tuple[int, UUID]], *, at: datetime) -> Purged:
    """Whatever came under their keys is no file's any more, and goes. How much, if anything, nobody knows.

    Raises RemovalOnHold.
    """
    refuse_during_copy()
    runs = lock_runs(sorted({run for _, run in files}))
    unsent = filter_unsent(instrument, at=at).filter(pk__in=[pk for pk, _ in files], run__in=runs).order_by("pk")
    locked = unsent.select_for_update(of=("self",), no_key=True, skip_locked=True)
    keys = dict(locked.values_list("pk", "storage_key"))
    UploadPart.objects.filter(file__in=keys).delete()
    File.objects.filter(pk__in=keys).update(**NO_UPLOAD)
    decide_removals({key: 0 for key in keys.values() if key})
    return Purged()


@transaction.atomic
def purge_runs(instrument: Instrument, run_ids: Sequence[UUID], *, at: datetime) -> Purged:
    """Mark the deleted runs of which nothing is stored any more: they cannot be restored."""
    stored = File.objects.stored().filter(run=OuterRef("pk"))
    due = filter_runs(RetentionRule.PURGE_DELETED, instrument, at=at).filter(pk__in=lock_runs(run_ids))
    ended = list(due.filter(~Exists(stored)).values_list("pk", flat=True))
    return Purged(runs=due.model.objects.filter(pk__in=ended).update(purged_at=at))


@transaction.atomic
def purge_archives(instrument: Instrument, *, at: datetime) -> int:
    """Forget some that have expired, the row with its object. Raises RemovalOnHold."""
    refuse_during_copy()
    due = filter_archives(instrument, at=at).order_by("completed_at", "pk")
    runs = lock_runs(sorted(set(due.values_list("run_id", flat=True)[:ARCHIVES_PER_BATCH])))
    jobs = list(due.filter(run__in=runs)[:ARCHIVES_PER_BATCH])
    due.model.objects.filter(pk__in=[job.pk for job in jobs]).delete()
    decide_removals({job.storage_key: job.size_bytes or 0 for job in jobs})
    return len(jobs)
