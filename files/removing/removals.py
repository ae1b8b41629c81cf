"""Removing objects that nothing names any more: decided with the rows, done after them, found again after a kill."""

import time
from collections.abc import Collection, Mapping
from datetime import datetime

from django.db import transaction
from django.db.models import Q

from files.models import File, ObjectRemoval
from files.object_keys import parse_file_id
from files.shared.keys import is_shared_key
from files.shared.objects import forget_sharable, lock_sharable
from files.storage import whole_store
from files.stored.inventory import find_referencing_files
from wire.clock import now

REMOVALS_PER_BATCH = 500
ARCHIVE_PREFIX = "archives/"  # such a key is its job's, and no file has it


def decide_removals(sizes: Mapping[str, int], *, due_at: datetime | None = None) -> int:
    """Within the transaction that took the names of these objects away, {key: bytes}. The bytes that this will free.

    The transaction has taken `files.removing.lock`. What another file names stays; nothing goes before `due_at`.
    """
    lock_sharable(sizes)
    named = find_named_keys(sizes)
    freed = {key: size for key, size in sizes.items() if key not in named}
    rows = [ObjectRemoval(storage_key=key, size_bytes=size, due_at=due_at) for key, size in sorted(freed.items())]
    ObjectRemoval.objects.bulk_create(rows, ignore_conflicts=True)
    forget_sharable(freed)
    return sum(freed.values())


@transaction.atomic
def remove_unnamed(key: str, *, size_bytes: int) -> bool:
    """After bytes were written to a key that may have lost its name meanwhile, and its object before that.

    Whether nothing names it: it is then to be removed. A copy that is being made has no row of it either.
    """
    decide_removals({key: size_bytes})
    return ObjectRemoval.objects.filter(storage_key=key).exists()


def find_named_keys(keys: Collection[str]) -> set[str]:
    """Which of these keys a file names whose bytes are kept. A key of a file's own is nobody else's."""
    named = set(find_referencing_files(keys))
    if foreign := [key for key in keys if not _is_ours(key)]:
        rows = File.objects.filter(storage_key__in=foreign, purged_at__isnull=True)
        named |= {key for key in rows.values_list("storage_key", flat=True) if key is not None}
    return named


def _is_ours(key: str) -> bool:
    """Of a form by which its files are found without a look at all of them."""
    return parse_file_id(key) is not None or is_shared_key(key) or key.startswith(ARCHIVE_PREFIX)


def remove_decided(*, seconds: float) -> int:
    """Remove what was decided, now or before a kill, until the time is up; how many bytes that freed.

    A key has one set of bytes in its life, so removing twice harms nothing. Raises StoreUnavailable.
    """
    freed, ends, store = 0, time.monotonic() + seconds, whole_store()
    due = ObjectRemoval.objects.filter(Q(due_at__isnull=True) | Q(due_at__lte=now())).order_by("pk")
    while batch := list(due[:REMOVALS_PER_BATCH]):
        named = find_named_keys([removal.storage_key for removal in batch])
        for removal in batch:
            if removal.storage_key not in named:
                store.delete(removal.storage_key)
            is_ours, _ = ObjectRemoval.objects.filter(pk=removal.pk).delete()
            freed += removal.size_bytes if is_ours and removal.storage_key not in named else 0
            if time.monotonic() > ends:
                return freed
    return freed
