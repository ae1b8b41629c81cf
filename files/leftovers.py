"""Removing what lies in the store and belongs to nobody: objects that no row names, uploads that were given up."""

import logging
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice

from files.models import File
from files.object_keys import RUNS, file_id_of
from files.storage import object_store
from files.storage.port import StoredObject

log = logging.getLogger(__name__)
KEPT_FOR = timedelta(hours=24)
BATCH = 500
LONGEST_SECONDS = 3_600


@dataclass(frozen=True)
class Swept:
    objects: int
    uploads: int


def sweep_leftovers(*, at: datetime) -> Swept:
    """Remove what was left behind more than a day ago. A key is drawn before its object exists and never named anew."""
    store, before = object_store(), at - KEPT_FOR
    ends = time.monotonic() + LONGEST_SECONDS
    removed = 0
    for batch in _batches(stored for stored in store.list(RUNS) if stored.modified_at < before):
        for key in _unnamed(batch):
            store.delete(key)
            removed += 1
        if time.monotonic() > ends:
            log.warning("the sweep of the object store took too long and stopped")
            break
    return Swept(objects=removed, uploads=store.sweep_leftovers(before=before))


def _unnamed(batch: Sequence[StoredObject]) -> list[str]:
    """Keys of our form whose file does not name them. What others put into the bucket is left alone."""
    owners = {stored.key: file_id for stored in batch if (file_id := file_id_of(stored.key)) is not None}
    named = set(File.objects.filter(pk__in=owners.values()).values_list("storage_key", flat=True))
    return [key for key in owners if key not in named]


def _batches(objects: Iterable[StoredObject]) -> Iterator[list[StoredObject]]:
    rest = iter(objects)
    while batch := list(islice(rest, BATCH)):
        yield batch
