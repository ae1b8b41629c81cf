"""Moving old raw bytes to the cold store: copied, read back, named, and only then removed from where they were.

Each object is one small transaction, so a kill at any moment leaves the bytes where the rows say. A copy that no row
names is removed by the sweep; what is to be removed stands in `files.ObjectRemoval`, a while later, so that URLs that
were handed out before still lead to it.
"""

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.core.cache import cache
from django.db import transaction

from files.choices import StorageClass
from files.cold.copying import NotCopied, ObjectCopy, SourceDamaged, copy_object
from files.cold.renaming import draw_key, list_namesakes, rename_object
from files.integrity.findings import Discovery, record_finding
from files.integrity.models import FindingKind
from files.models import File
from files.removing.lock import refuse_during_copy
from files.removing.removals import remove_decided
from files.storage import cold_store, object_store
from files.storage.interface import ObjectStore, StoreUnavailable
from files.storage.local import LocalStore
from files.stored.inventory import find_referenced_file
from instruments.models import Instrument
from instruments.retention import retention_of
from instruments.retention_rules import COLD_RULE
from retention.candidates import filter_cooling, lock_runs
from runs.models import Run

log = logging.getLogger(__name__)
RUNS_PER_WINDOW = 1_000
FILES_PER_BATCH = 100
REMOVAL_SECONDS = 60.0
OLD_URLS_LIVE = timedelta(minutes=30)  # twice as long as the signed ones
LOOK_AGAIN_AFTER = timedelta(hours=6)  # once all of an instrument was looked at


@dataclass(frozen=True)
class Cooled:
    """Files that are cold now, and the bytes of their objects."""

    files: int = 0
    bytes: int = 0

    def __add__(self, other: "Cooled") -> "Cooled":
        return Cooled(self.files + other.files, self.bytes + other.bytes)


def cool_due(*, clock: Callable[[], datetime], goes_on: Callable[[], bool], instrument_id: str = "") -> Cooled:
    """All that is due, asked between two objects whether to go on; nothing where there is no cold store.

    Goes on where the last call stopped. Raises RemovalOnHold, StoreUnavailable.
    """
    done, cold = Cooled(), cold_store()
    if cold is None:
        return done
    remove_decided(seconds=REMOVAL_SECONDS)
    for instrument in list_cooling_instruments(instrument_id):
        place = Place(instrument)
        if place.rests(at=clock()) and not instrument_id:
            continue
        refuse_unmounted(cold)
        for file in list_cooling(instrument, place, at=clock()):
            done += cool_object(file, instrument, cold, at=clock())
            if not goes_on():
                return done
        place.rest(at=clock())
    return done


def list_cooling_instruments(instrument_id: str = "") -> list[Instrument]:
    found = Instrument.objects.filter(cold_raw_after_days__isnull=False).order_by("pk")
    return list(found.filter(pk=instrument_id) if instrument_id else found)


class Place:
    """How far an instrument was looked at; where the cache has forgotten it, all is looked at again."""

    def __init__(self, instrument: Instrument) -> None:
        days = getattr(instrument, COLD_RULE)
        self.name = f"retention:cooling:{instrument.pk}:{days}"
        self.after, self.rests_until = cache.get(self.name, ("", None))

    def rests(self, *, at: datetime) -> bool:
        return self.rests_until is not None and self.rests_until > at

    def move(self, after: str) -> None:
        cache.set(self.name, (after, None), timeout=None)

    def rest(self, *, at: datetime) -> None:
        cache.set(self.name, ("", at + LOOK_AGAIN_AFTER), timeout=None)


def list_cooling(instrument: Instrument, place: Place, *, at: datetime) -> Iterator[File]:
    """One file of each object that may move, by runs in the order of their names."""
    before = retention_of(instrument).ends_before(COLD_RULE, at=at)
    runs, after = Run.objects.filter(instrument=instrument, created_at__lte=before).order_by("run_id"), place.after
    while window := list(runs.filter(run_id__gt=after).values_list("pk", "run_id")[:RUNS_PER_WINDOW]):
        yield from _list_files(instrument, [pk for pk, _ in window], at=at)
        after = window[-1][1]
        place.move(after)


def _list_files(instrument: Instrument, window: list[UUID], *, at: datetime) -> Iterator[File]:
    due, after = filter_cooling(instrument, at=at).filter(run__in=window).order_by("pk"), 0
    while batch := list(due.filter(pk__gt=after)[:FILES_PER_BATCH]):
        yield from batch
        after = batch[-1].pk


def cool_object(file: File, instrument: Instrument, cold: ObjectStore, *, at: datetime) -> Cooled:
    """Nothing moves of what somebody works on, is held or shared with what stays; damage is told, and stays.

    Raises RemovalOnHold, StoreUnavailable.
    """
    seen = _lock_due(file, instrument, at=at)
    name = find_referenced_file(file.pk)
    if not seen or name is None or name.key != file.storage_key:
        return Cooled()
    key, nonce = draw_key(file)
    try:
        copy = copy_object(name, key, source=object_store(), target=cold, content_type=file.content_type)
    except NotCopied as reason:
        log.error("file %s does not become cold: %s", file.pk, reason)
        if isinstance(reason, SourceDamaged) and find_referenced_file(file.pk) == name:
            kind = FindingKind.MISSING if reason.is_missing else FindingKind.DAMAGED
            record_finding(Discovery(file.pk, name, kind, reason.contradiction), at=at)
        return Cooled()
    names = keep_cold(file, instrument, copy, nonce, at=at)  # where this raises it may be named all the same: it stays
    if not names:
        copy.drop()
    return Cooled(names, copy.size_bytes if names else 0)


@transaction.atomic
def keep_cold(file: File, instrument: Instrument, copy: ObjectCopy, nonce: str | None, *, at: datetime) -> int:
    """How many files name the copy from now on. Raises RemovalOnHold."""
    refuse_during_copy()
    ids = _lock_due(file, instrument, at=at)
    values = {"storage_class": StorageClass.COLD, "hot_until": None}
    due_at = at + OLD_URLS_LIVE
    is_cold = rename_object(file, ids, copy, nonce=nonce, values=values, removes_old=True, due_at=due_at)
    return len(ids) if is_cold else 0


@transaction.atomic
def _lock_due(file: File, instrument: Instrument, *, at: datetime) -> list[int]:
    """All files that name its object, if the rule holds for each of them now; else none. Nobody is waited for.

    Raises RemovalOnHold, before bytes are copied for nothing.
    """
    refuse_during_copy()
    names = {one.pk: one.run_id for one in list_namesakes(file).only("run_id")}
    runs = lock_runs(sorted(set(names.values())))
    due = filter_cooling(instrument, at=at).filter(pk__in=names, run__in=runs).order_by("pk")
    locked = due.select_for_update(of=("self",), no_key=True, skip_locked=True)
    ids = list(locked.values_list("pk", flat=True))
    return ids if len(ids) == len(names) else []


def refuse_unmounted(cold: ObjectStore) -> None:
    """A folder that has lost what rows say is in it is another disk than it was. Raises StoreUnavailable.

    After a backup was restored cold files lie in the hot store: their rows say nothing of the folder.
    """
    if not isinstance(cold, LocalStore) or (cold.layout.root / "runs").is_dir():
        return
    known = File.objects.cold().order_by("pk").first()
    is_lost = known is not None and object_store().head(known.storage_key or "") is None
    if is_lost or not cold.layout.root.is_dir():
        raise StoreUnavailable("The folder of the cold store is not there, or is not the one it was.")
