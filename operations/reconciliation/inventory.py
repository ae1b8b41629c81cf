"""All that rows say lies in the store, side by side with what does: the ground of reconciling and of backups."""

import heapq
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from operator import attrgetter

from archives.inventory import find_referencing_archives, list_referenced_archives, parse_job_id
from files.models import File
from files.object_keys import is_file_key
from files.storage.interface import StoredObject
from files.stored.inventory import ReferencedObject, list_referenced_files, list_referencing_files
from files.stored.sizes import read_kept_sizes

by_key = attrgetter("key")


@dataclass(frozen=True)
class Pair:
    """One key: the rows that name it (more than one where they share it) and the object under it."""

    key: str
    names: tuple[ReferencedObject, ...]
    stored: StoredObject | None


class UnorderedListing(Exception):
    """A store or database that does not sort by bytes cannot be compared in one pass."""

    def __init__(self, key: str, last: str) -> None:
        super().__init__(f"{key} was listed after {last}: keys do not come in byte order, so nothing can be compared.")


def list_named_objects(*, after: str = "", stored_before: datetime | None = None) -> Iterator[ReferencedObject]:
    """Of files and archives, in byte order of the keys, files as `list_referenced_files` does."""
    files = list_referenced_files(after=after, stored_before=stored_before)
    return heapq.merge(files, list_referenced_archives(after=after), key=by_key)


def find_current_names(
    keys: Collection[str], *, owners: Collection[str] = ()
) -> dict[str, tuple[ReferencedObject, ...]]:
    """Which of these keys are named now, and by whom."""
    named = [*list_referencing_files(keys, owners=owners), *find_referencing_archives(keys).values()]
    return {key: tuple(names) for key, names in groupby(sorted(named, key=by_key), key=by_key)}


def count_named_objects() -> int:
    """About how many there are, for a progress bar; counted only where nothing is kept of it."""
    kept = read_kept_sizes()
    if kept is not None:
        return sum(objects for objects, _ in kept.values())
    return File.objects.filter(storage_key__isnull=False, purged_at__isnull=True).count()


def is_service_key(key: str) -> bool:
    """Whether the service makes keys of this form. What others put into the bucket is theirs."""
    return is_file_key(key) or parse_job_id(key) is not None


def pair_objects(named: Iterable[ReferencedObject], stored: Iterable[StoredObject]) -> Iterator[Pair]:
    """Both in one pass and in constant memory. Raises UnorderedListing."""
    last = ""
    for key, group in groupby(heapq.merge(named, stored, key=by_key), key=by_key):
        if key <= last:
            raise UnorderedListing(key, last)
        both = list(group)
        names = tuple(one for one in both if isinstance(one, ReferencedObject))
        yield Pair(key, names, next((one for one in both if isinstance(one, StoredObject)), None))
        last = key
