"""The stored objects that rows of files refer to, in byte order of the keys."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db.models import F
from django.db.models.functions import Collate

from files.models import File
from files.object_keys import parse_file_id

OBJECT_COLUMNS = ("storage_key", "pk", "size_bytes", "crc32", "sha256", "uploaded_at")
OWNER_PREFIX = "file "
ROWS_PER_FETCH = 2_000  # rows on their way from the server


@dataclass(frozen=True)
class ReferencedObject:
    """An object that a row refers to. It may be missing only while `is_stored` is false."""

    key: str
    owner: str  # `file 17`, `archive 0190…`
    is_stored: bool
    size_bytes: int | None = None
    crc32: str | None = None
    sha256: str | None = None


def list_referenced_files(*, after: str = "") -> Iterator[ReferencedObject]:
    """All of them whose key follows `after`, by one server-side query."""
    by_key = File.objects.annotate(ordered_key=Collate(F("storage_key"), "C"))
    chosen = by_key.filter(ordered_key__gt=after).order_by("ordered_key")
    return (_build_reference(*row) for row in chosen.values_list(*OBJECT_COLUMNS).iterator(chunk_size=ROWS_PER_FETCH))


def find_referencing_files(keys: Collection[str], *, owners: Collection[str] = ()) -> dict[str, ReferencedObject]:
    """Which of these keys are named now: by the file each was made for, or by the owners of an earlier look."""
    ids = {file_id for key in keys if (file_id := parse_file_id(key)) is not None}
    ids |= {int(owner.removeprefix(OWNER_PREFIX)) for owner in owners if owner.startswith(OWNER_PREFIX)}
    found = File.objects.filter(pk__in=ids, storage_key__isnull=False).values_list(*OBJECT_COLUMNS)
    return {one.key: one for one in (_build_reference(*row) for row in found) if one.key in keys}


def _build_reference(
    key: str | None,
    file_id: int,
    size_bytes: int | None,
    crc32: str | None,
    sha256: str | None,
    uploaded_at: datetime | None,
) -> ReferencedObject:
    return ReferencedObject(key or "", f"{OWNER_PREFIX}{file_id}", uploaded_at is not None, size_bytes, crc32, sha256)
