"""Removing orphans from the store: objects that no row refers to, uploads that were given up."""

import logging
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice

from django.db import transaction

from files.models import SweepPosition
from files.object_keys import KEY_PREFIX, is_file_key
from files.removing.lock import RemovalOnHold
from files.shared.objects import decide_removal
from files.storage import all_stores, whole_store
from files.storage.interface import StoredObject

log = logging.getLogger(__name__)
GRACE_PERIOD = timedelta(hours=24)
OBJECTS_PER_BATCH = 500
MAX_SWEEP_SECONDS = 3_600


@dataclass(frozen=True)
class SweepResult:
    objects: int
    uploads: int


def sweep_orphans(*, at: datetime) -> SweepResult:
    """Remove what was left behind more than a day ago: a key is assigned before its object exists, and only once."""
    before = at - GRACE_PERIOD
    abandoned = (store.remove_abandoned(before=before) for store in all_stores())
    return SweepResult(objects=_remove_unreferenced(before, at=at), uploads=sum(abandoned))


def _remove_unreferenced(before: datetime, *, at: datetime) -> int:
    """Goes on where the last sweep stopped, for any reason; after the last key the next one begins anew."""
    store, removed, ends = whole_store(), 0, time.monotonic() + MAX_SWEEP_SECONDS
    after = _read_position() if all(one.probe().lists_in_order for one in all_stores()) else ""
    try:
        for batch in _split_batches(store.list(KEY_PREFIX, after=after)):
            for key in _find_unreferenced([stored for stored in batch if stored.modified_at < before]):
                store.delete(key)
                removed += 1
            _keep_position(batch[-1].key, at=at)
            if time.monotonic() > ends:
                log.warning("the sweep of the object store takes long; the next one goes on where it stopped")
                return removed
        _keep_position("", at=at)
    except RemovalOnHold as hold:
        log.info(hold.message)
    return removed


def _read_position() -> str:
    position = SweepPosition.objects.first()
    return position.after if position is not None else ""


def _keep_position(after: str, *, at: datetime) -> None:
    SweepPosition.objects.update_or_create(id=1, defaults={"after": after, "looked_at": at})


@transaction.atomic
def _find_unreferenced(batch: Sequence[StoredObject]) -> list[str]:
    """Keys of our form that no file names. What others put into the bucket is left alone."""
    return decide_removal([stored.key for stored in batch if is_file_key(stored.key)])


def _split_batches(objects: Iterable[StoredObject]) -> Iterator[list[StoredObject]]:
    rest = iter(objects)
    while batch := list(islice(rest, OBJECTS_PER_BATCH)):
        yield batch
