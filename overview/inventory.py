"""All that rows say lies in the store, side by side with what does: the ground of reconciling and of backups."""

import heapq
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter

from archives.inventory import archives_naming, job_id_of, named_archives
from files.inventory import NamedObject, files_naming, named_files
from files.models import File
from files.object_keys import file_id_of
from files.storage.port import StoredObject

by_key = attrgetter("key")


@dataclass(frozen=True)
class Pair:
    """One key: the rows that name it (more than one only by mistake) and the object under it."""

    key: str
    names: tuple[NamedObject, ...]
    stored: StoredObject | None


class UnorderedListing(Exception):
    """A store or database that does not sort by bytes cannot be compared in one pass."""

    def __init__(self, key: str, last: str) -> None:
        super().__init__(f"{key} was listed after {last}: keys do not come in byte order, so nothing can be compared.")


def named_objects(*, after: str = "") -> Iterator[NamedObject]:
    """Of files and archives, in byte order of the keys, by one query each."""
    return heapq.merge(named_files(after=after), named_archives(after=after), key=by_key)


def names_of(keys: Collection[str], *, owners: Collection[str] = ()) -> dict[str, NamedObject]:
    """Which of these keys are named now."""
    return files_naming(keys, owners=owners) | archives_naming(keys)


def count_named() -> int:
    """About how many there are, for a progress bar."""
    return File.objects.filter(storage_key__isnull=False).count()


def is_ours(key: str) -> bool:
    """Whether the service makes keys of this form. What others put into the bucket is theirs."""
    return file_id_of(key) is not None or job_id_of(key) is not None


def pair_up(named: Iterable[NamedObject], stored: Iterable[StoredObject]) -> Iterator[Pair]:
    """Both in one pass and in constant memory. Raises UnorderedListing."""
    last = ""
    for key, group in groupby(heapq.merge(named, stored, key=by_key), key=by_key):
        if key <= last:
            raise UnorderedListing(key, last)
        both = list(group)
        names = tuple(one for one in both if isinstance(one, NamedObject))
        yield Pair(key, names, next((one for one in both if isinstance(one, StoredObject)), None))
        last = key
