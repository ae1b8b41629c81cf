"""Objects that several files name: which one a file may share, and which may be removed.

Files are counted by their rows alone: an object goes only when none names its key. Whoever names it anew and whoever
decides that it goes lock its row of SharableObject first, so the later of them sees what the earlier one did. Locks are
taken in this order: run, file, bytes, rows of SharableObject by their keys.
"""

from collections.abc import Collection
from dataclasses import dataclass

from django.db import connection
from django.db.models import Exists, OuterRef

from files.models import File, SharableObject
from files.removing.lock import refuse_during_copy
from files.shared.keys import KEY_IN_BYTE_ORDER, SHARED_PREFIX, is_shared_key
from files.storage import object_store
from files.storage.interface import StoredObject
from files.stored.inventory import find_referencing_files

BYTES_LOCK_CLASS = 0x1D5_B17E  # advisory locks: of all objects with one SHA-256, while one of them becomes sharable


@dataclass(frozen=True)
class SoughtBytes:
    """Whose object is sought, and where: files within these instruments (None is all) must name it."""

    sha256: str
    size_bytes: int
    instrument_ids: tuple[str, ...] | None
    crc32: str | None = None  # where it is known it must be the same

    def find(self) -> SharableObject | None:
        """The newest one, by one query whether others have these bytes or nobody has."""
        kept = File.objects.within(self.instrument_ids).stored().filter(purged_at__isnull=True)
        named = kept.annotate(ordered_key=KEY_IN_BYTE_ORDER)
        named = named.filter(storage_key__startswith=SHARED_PREFIX, ordered_key=OuterRef("storage_key"))
        named = named.filter(storage_bucket=object_store().bucket, **({"crc32": self.crc32} if self.crc32 else {}))
        known = SharableObject.objects.filter(sha256=self.sha256, size_bytes=self.size_bytes)
        return known.filter(Exists(named), verified_at__isnull=False).order_by("-pk").first()


def find_in_store(shared: SharableObject) -> StoredObject | None:
    """The object, if the store has it now. Not within a transaction. Raises StoreUnavailable."""
    stored = object_store().head(shared.storage_key)
    return stored if stored is not None and stored.size_bytes == shared.size_bytes else None


def lock_sharable(keys: Collection[str]) -> None:
    """Within a transaction that names these keys anew, or lets go of them."""
    if shared := [key for key in keys if is_shared_key(key)]:
        rows = SharableObject.objects.filter(storage_key__in=shared).order_by("storage_key")
        list(rows.select_for_update().values_list("pk"))


def lock_bytes(sha256: str) -> None:
    """Within a transaction: of twins that come at once, one becomes sharable and the others see it."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s, hashtext(%s))", [BYTES_LOCK_CLASS, sha256])


def name_shared_object(file: File, shared: SharableObject) -> None:
    """The locked file has this object from now on; saving is the caller's, who has locked the object too."""
    file.storage_bucket, file.storage_key, file.key_nonce = object_store().bucket, shared.storage_key, None


def decide_removal(keys: Collection[str]) -> list[str]:
    """Within the transaction that decides: which of these keys no file names, nor will name. Delete them after it.

    What names them is to be gone before, or in this transaction. Raises RemovalOnHold.
    """
    refuse_during_copy()
    lock_sharable(keys)
    named = find_referencing_files(keys)
    free = [key for key in keys if key not in named]
    forget_sharable(free)
    return free


def forget_sharable(keys: Collection[str]) -> None:
    """Nobody names these any more, nor will."""
    if shared := [key for key in keys if is_shared_key(key)]:
        SharableObject.objects.filter(storage_key__in=shared).delete()
