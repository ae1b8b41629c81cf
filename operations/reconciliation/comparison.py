"""The database against the object store, in one ordered pass over both."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum

from django.db import transaction

from files.integrity.verification import Checksums, find_contradiction, read_checksums
from files.shared.objects import decide_removal
from files.storage.interface import ObjectMissing, StoredObject, StoredObjects
from files.stored.inventory import ReferencedObject
from operations.reconciliation.inventory import (
    Pair,
    find_current_names,
    is_service_key,
    list_named_objects,
    pair_objects,
)

NEVER = datetime.min.replace(tzinfo=UTC)  # as the age of orphans: none is old enough
DEFAULT_ORPHAN_AGE = timedelta(hours=24)  # what no row names is removed by the sweep once it is so old
BATCH_SIZE = 500  # suspects that are looked at again together


class DifferenceKind(StrEnum):
    MISSING = "missing"
    WRONG_SIZE = "wrong_size"
    WRONG_CHECKSUM = "wrong_checksum"
    UNREADABLE = "unreadable"
    ORPHAN = "orphan"


@dataclass(frozen=True)
class Difference:
    """`expected` is what the row says, `found` what the store has; both None where there is nothing to compare."""

    kind: DifferenceKind
    key: str
    owner: str | None = None
    expected: str | int | None = None
    found: str | int | None = None
    size_bytes: int | None = None
    modified_at: datetime | None = None


@dataclass(frozen=True)
class Suspect:
    """A pair that did not agree when it was met, with the sums of its bytes where they were read."""

    pair: Pair
    sums: Checksums | None


@dataclass
class Tally:
    """What a pass has seen so far."""

    objects: int = 0
    size_bytes: int = 0
    waiting: int = 0  # named by a row whose bytes have not come yet
    leftovers: int = 0  # named by no row, and too young to be called orphans
    foreign: int = 0  # not of our form: somebody else's
    unverified: int = 0  # were read, and nothing is known to compare them with
    differences: dict[str, int] = field(default_factory=lambda: {str(kind): 0 for kind in DifferenceKind})

    def count_differences(self, *kinds: DifferenceKind) -> int:
        return sum(self.differences[kind] for kind in kinds)


class Reconciliation:
    """One pass: iterate `differences`, then look at `tally`. `position` is where a later pass may go on."""

    def __init__(
        self,
        store: StoredObjects,
        *,
        read: bool,
        at: datetime,
        older_than: timedelta = DEFAULT_ORPHAN_AGE,
        position: str = "",
        tally: Tally | None = None,
    ) -> None:
        self.store, self.read, self.at, self.orphaned_before = store, read, at, at - older_than
        self.position, self.tally = position, tally or Tally()

    def differences(self) -> Iterator[list[Difference]]:
        """By batches, often empty ones. Rows are read again just before: what changed meanwhile is no difference.

        Raises StoreUnavailable, UnorderedListing.
        """
        after, suspects = self.position, list[Suspect]()
        named = list_named_objects(after=after, stored_before=self.at)
        pairs = pair_objects(named, self.store.list(after=after))
        for number, pair in enumerate(pairs, start=1):
            suspect = self._read_suspect(pair)
            if any(list_differences(suspect, orphaned_before=self.orphaned_before)):
                suspects.append(suspect)
            if self.read or number % BATCH_SIZE == 0:
                yield self._confirm_suspects(suspects)
                self.position, suspects = pair.key, []
        yield self._confirm_suspects(suspects)

    def _read_suspect(self, pair: Pair) -> Suspect:
        is_read = self.read and pair.names and pair.stored is not None and not pair.stored.is_damaged
        suspect = self._read(pair) if is_read else Suspect(pair, None)
        self._count(suspect)
        return suspect

    def _count(self, suspect: Suspect) -> None:
        tally, names, stored = self.tally, suspect.pair.names, suspect.pair.stored
        if stored is None:
            tally.waiting += not any(name.is_stored for name in names)
            return
        tally.objects += 1
        tally.size_bytes += stored.size_bytes
        if not names:
            tally.foreign += not is_service_key(stored.key)
            tally.leftovers += is_service_key(stored.key) and stored.modified_at >= self.orphaned_before
        elif suspect.sums:
            tally.unverified += not any((stored.crc32, *(name.crc32 or name.sha256 for name in names)))

    def _read(self, pair: Pair) -> Suspect:
        """Raises StoreUnavailable where that is not the fault of this one object."""
        assert pair.stored is not None
        try:
            sums = read_checksums(self.store, pair.key)
        except ObjectMissing:
            return Suspect(replace(pair, stored=None), None)
        return Suspect(pair if sums else replace(pair, stored=replace(pair.stored, is_damaged=True)), sums)

    def _confirm_suspects(self, suspects: Sequence[Suspect]) -> list[Difference]:
        if not suspects:
            return []
        owners = {name.owner for suspect in suspects for name in suspect.pair.names}
        named = find_current_names({suspect.pair.key for suspect in suspects}, owners=owners)
        found: list[Difference] = []
        for suspect in suspects:
            names = named.get(suspect.pair.key, ())
            again = replace(suspect, pair=replace(suspect.pair, names=names))
            if suspect.pair.names and not names:
                continue  # the row has let go of it meanwhile
            found += list_differences(again, orphaned_before=self.orphaned_before)
        for difference in found:
            self.tally.differences[difference.kind] += 1
        return found


def list_differences(suspect: Suspect, *, orphaned_before: datetime) -> Iterator[Difference]:
    """What is wrong with one key."""
    pair, stored, sums = suspect.pair, suspect.pair.stored, suspect.sums
    if stored is None:
        yield from (Difference(DifferenceKind.MISSING, pair.key, name.owner) for name in pair.names if name.is_stored)
        return
    if not pair.names and is_service_key(pair.key) and stored.modified_at < orphaned_before:
        yield Difference(DifferenceKind.ORPHAN, pair.key, size_bytes=stored.size_bytes, modified_at=stored.modified_at)
    for name in pair.names:
        if stored.is_damaged:
            yield Difference(DifferenceKind.UNREADABLE, pair.key, name.owner)
        elif name.is_stored and (wrong := _find_contradiction(name, stored, sums)):
            yield Difference(wrong[0], pair.key, name.owner, wrong[1], wrong[2])


def _find_contradiction(
    name: ReferencedObject, stored: StoredObject, sums: Checksums | None
) -> tuple[DifferenceKind, str | int | None, str | int | None] | None:
    """Kind, what is expected, what is found; the first of them."""
    wrong = find_contradiction(
        name,
        size_bytes=sums.size_bytes if sums else stored.size_bytes,
        crc32=sums.crc32 if sums else stored.crc32,
        sha256=sums.sha256 if sums else None,
        stored_crc32=stored.crc32,
    )
    if wrong is None:
        return None
    kind = DifferenceKind.WRONG_SIZE if wrong.is_of_size else DifferenceKind.WRONG_CHECKSUM
    return kind, wrong.expected, wrong.found


def remove_orphans(store: StoredObjects, orphans: Sequence[Difference]) -> int:
    """Delete those that still no row names; how many. Raises RemovalOnHold, StoreUnavailable."""
    keys = {orphan.key for orphan in orphans}
    with transaction.atomic():
        keys = set(decide_removal(keys)) - find_current_names(keys).keys()
    for key in keys:
        store.delete(key)
    return len(keys)
