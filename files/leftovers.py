"""Removing what lies in the store and belongs to nobody: objects that no row names, uploads that were given up."""

import logging
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice

from django.db import transaction

from files.inventory import files_naming
from files.object_keys import RUNS, file_id_of
from files.removal import RemovalOnHold, refuse_while_copied
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
    before = at - KEPT_FOR
    return Swept(objects=_remove_unnamed(before), uploads=object_store().sweep_leftovers(before=before))


def _remove_unnamed(before: datetime) -> int:
    store, removed = object_store(), 0
    ends = time.monotonic() + LONGEST_SECONDS
    try:
        for batch in _batches(stored for stored in store.list(RUNS) if stored.modified_at < before):
            for key in _unnamed(batch):
                store.delete(key)
                removed += 1
            if time.monotonic() > ends:
                log.warning("the sweep of the object store took too long and stopped")
                break
    except RemovalOnHold as hold:
        log.info(hold.message)
    return removed


@transaction.atomic
def _unnamed(batch: Sequence[StoredObject]) -> list[str]:
    """Keys of our form whose file does not name them. What others put into the bucket is left alone."""
    refuse_while_copied()
    ours = [stored.key for stored in batch if file_id_of(stored.key) is not None]
    named = files_naming(ours)
    return [key for key in ours if key not in named]


def _batches(objects: Iterable[StoredObject]) -> Iterator[list[StoredObject]]:
    rest = iter(objects)
    while batch := list(islice(rest, BATCH)):
        yield batch
