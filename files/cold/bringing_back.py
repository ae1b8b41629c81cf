"""Bringing cold files back: copied, read back, named, and only then forgotten by the cold store."""

import logging
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction

from files.choices import StorageClass
from files.cold.copying import NotCopied, ObjectCopy, SourceDamaged, copy_object
from files.cold.recalls import RECALLS, list_recalled
from files.cold.renaming import draw_key, list_namesakes, rename_object
from files.integrity.findings import Discovery, record_finding
from files.integrity.models import FindingKind
from files.integrity.verification import Progress, ignore_progress
from files.models import File, Recall
from files.removing.lock import RemovalOnHold, refuse_during_copy
from files.signals import recall_ended
from files.storage import object_store, whole_store
from files.storage.interface import StoreUnavailable
from files.stored.inventory import find_referenced_file
from jobs.lease_renewer import renewer_of
from jobs.leases import Lease, LeaseLost, end_attempt, end_job, hold_lease, lease_next_job, postpone_job
from jobs.task_queue import enqueue
from runs.models import Run

log = logging.getLogger(__name__)
STEP_SECONDS = 60.0  # after which archives have their turn, between two files
AT_ONCE = timedelta(0)
Clock = Callable[[], datetime]


def bring_back_next(*, clock: Clock, seconds: float = STEP_SECONDS) -> bool:
    """Go on with what was asked for first, until the time is up; False where nobody waits. Safe to call twice."""
    lease = lease_next_job(RECALLS, at=clock())
    if lease is None:
        return False
    if lease.is_exhausted:
        give_up(lease, at=clock())
        return True
    try:
        with renewer_of(lease, clock=clock) as renewer:
            is_done = bring_back_files(lease.job, clock=clock, renew=renewer, seconds=seconds)
        if is_done:
            end_recall(lease, at=clock())
        else:
            postpone_job(lease, at=clock(), wait=AT_ONCE)
            enqueue(RECALLS.task)
    except LeaseLost:
        log.warning("%s is served by somebody else now", lease.job)
    except StoreUnavailable as problem:
        log.warning("%s waits: %s", lease.job, problem.message)
        postpone_job(lease, at=clock(), wait=RECALLS.pause)
    except Exception as error:
        if not isinstance(error, NotCopied):
            log.exception("%s broke", lease.job)
        end_attempt(lease, reason=str(error)[:500], at=clock())
    return True


def bring_back_files(recall: Recall, *, clock: Clock, renew: Callable[[], None], seconds: float) -> bool:
    """All that this waits for; False where the time was up before. Raises NotCopied, StoreUnavailable."""
    ends, waiting, after = time.monotonic() + seconds, list_recalled(recall).order_by("pk"), 0
    while (file := waiting.filter(pk__gt=after).first()) is not None:
        if after and time.monotonic() > ends:
            return False
        bring_back_file(file, at=clock(), progress=lambda size: renew())
        after = file.pk
    return not waiting.exists()


def bring_back_file(file: File, *, at: datetime, progress: Progress = ignore_progress) -> bool:
    """One object, for all files that name it; False where it moved, or was purged, meanwhile.

    A kill leaves a copy that no row names, which the sweep removes. Raises NotCopied, StoreUnavailable.
    """
    name = find_referenced_file(file.pk)
    if name is None or name.key != file.storage_key:
        return False
    key, nonce = draw_key(file)
    try:
        copy = copy_object(
            name,
            key,
            source=whole_store(),
            target=object_store(),
            content_type=file.content_type,
            progress=progress,
        )
    except SourceDamaged as damaged:
        if find_referenced_file(file.pk) != name:
            return False
        kind = FindingKind.MISSING if damaged.is_missing else FindingKind.DAMAGED
        record_finding(Discovery(file.pk, name, kind, damaged.contradiction), at=at)
        raise
    is_back = keep_hot(file, copy, nonce, at=at)  # where this raises it may be named all the same: it stays
    if not is_back:
        copy.drop()
    return is_back


@transaction.atomic
def keep_hot(file: File, copy: ObjectCopy, nonce: str | None, *, at: datetime) -> bool:
    """The files name the copy from now on. During a backup the cold object is left to the sweep: people wait."""
    seen = list_namesakes(file)
    runs = Run.objects.filter(pk__in=seen.values("run"))
    list(runs.order_by("pk").select_for_update(no_key=True).values_list("pk"))
    locked = list_namesakes(file).filter(storage_class=StorageClass.COLD).order_by("pk")
    ids = list(locked.select_for_update(no_key=True).values_list("pk", flat=True))
    kept_until = at + timedelta(days=settings.COLD_BACK_DAYS)
    values = {"storage_class": StorageClass.HOT, "restore_requested_at": None, "hot_until": kept_until}
    return rename_object(file, ids, copy, nonce=nonce, values=values, removes_old=may_remove())


def may_remove() -> bool:
    try:
        refuse_during_copy()
    except RemovalOnHold:
        return False
    return True


def end_recall(lease: Lease[Recall], *, at: datetime) -> None:
    """Everything is here: whoever asked is told."""
    with suppress(LeaseLost), transaction.atomic():
        recall = hold_lease(lease)
        if end_job(lease, {"ended_at": at, "error_message": None}):
            recall_ended.send(Recall, recall=recall, waiting=0, at=at)


def give_up(lease: Lease[Recall], *, at: datetime) -> None:
    """What could not be brought back may be asked for anew, and nobody waits for it."""
    with suppress(LeaseLost), transaction.atomic():
        recall = hold_lease(lease)
        left = list_recalled(recall).update(restore_requested_at=None)
        end_job(lease, {"ended_at": at, "error_message": recall.error_message or "It stopped without a word."})
        recall_ended.send(Recall, recall=recall, waiting=left, at=at)
