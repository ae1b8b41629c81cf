"""Giving all files that name an object its copy instead, in one transaction.

A key is drawn anew for each copy, so what once was to be removed is never named again, and may be removed twice.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from files.cold.copying import ObjectCopy
from files.models import File, FileQuerySet
from files.object_keys import build_storage_key, new_key_nonce
from files.removing.removals import decide_removals
from files.shared.keys import build_shared_key, is_shared_key
from files.shared.objects import lock_sharable
from files.stored.inventory import find_files_of_shared


def draw_key(file: File) -> tuple[str, str | None]:
    """A new key for the bytes of this file, of the form of the old one, and the nonce that the row keeps."""
    nonce = new_key_nonce()
    if is_shared_key(file.storage_key or ""):
        return build_shared_key(nonce), None
    return build_storage_key(file, nonce), nonce


def list_namesakes(file: File) -> FileQuerySet:
    """All files that name its object, itself among them."""
    if is_shared_key(file.storage_key or ""):
        return File.objects.filter(pk__in=find_files_of_shared([file.storage_key or ""]).values("pk"))
    return File.objects.filter(pk=file.pk, storage_key=file.storage_key, purged_at__isnull=True)


def rename_object(
    file: File,
    locked: Sequence[int],
    copy: ObjectCopy,
    *,
    nonce: str | None,
    values: Mapping[str, Any],
    removes_old: bool,
    due_at: datetime | None = None,
) -> bool:
    """The locked files have the copy from now on, and the old object goes, not before `due_at`.

    False, and nothing changed, where others name it than those that were locked. Who `removes_old` has taken the lock
    of removals; else the sweep finds what no row names.
    """
    lock_sharable([file.storage_key or ""])
    if set(list_namesakes(file).values_list("pk", flat=True)) != set(locked) or not locked:
        return False
    placed = {"storage_key": copy.key, "storage_bucket": copy.store.bucket, "key_nonce": nonce}
    File.objects.filter(pk__in=locked).update(**placed, **values)
    if removes_old:
        decide_removals({file.storage_key or "": copy.size_bytes}, due_at=due_at)
    return True
