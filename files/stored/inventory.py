"""The stored objects that rows of files refer to, in byte order of the keys.

A key begins with its file's run, so files are read by ranges of runs and no more than a range's are ever sorted: a sort
of all keys of a large store fills the disk of the database.
"""

import heapq
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime
from operator import itemgetter
from uuid import UUID

from django.db.models import BooleanField, F, Func, QuerySet, TextField, Value
from django.db.models.functions import Cast, Concat

from files.models import File
from files.object_keys import KEY_PREFIX, parse_file_id
from files.shared.keys import KEY_IN_BYTE_ORDER, SHARED_PREFIX, is_shared_key
from runs.models import Run

RUNS_PER_RANGE = 5_000
RUN_OF_KEY = re.compile(rf"{KEY_PREFIX}([0-9a-f]{{8}}(?:-[0-9a-f]{{4}}){{3}}-[0-9a-f]{{12}})(?:/.*)?", re.S)
BEGINS_WITH_RUN = Func(
    F("storage_key"),
    Concat(Value(KEY_PREFIX), Cast(F("run_id"), TextField()), Value("/"), output_field=TextField()),
    function="starts_with",
    output_field=BooleanField(),
)
OBJECT_COLUMNS = ("storage_key", "pk", "size_bytes", "crc32", "sha256", "uploaded_at")
OWNER_PREFIX = "file "
Row = tuple[str, int, int | None, str | None, str | None, datetime | None]
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


def list_referenced_files(*, after: str = "", stored_before: datetime | None = None) -> Iterator[ReferencedObject]:
    """All of them whose key follows `after`, by many queries, which are one moment's only within a snapshot.

    Without one name `stored_before`, a moment before the store's listing began: what was uploaded since may be missing
    in it, so it does not count as stored.
    """
    rows = heapq.merge(_list_by_runs(after), _list_shared(after), _list_elsewhere(after), key=itemgetter(0))
    for key, file_id, size_bytes, crc32, sha256, uploaded_at in rows:
        is_new = uploaded_at is not None and stored_before is not None and uploaded_at >= stored_before
        yield _build_reference(key, file_id, size_bytes, crc32, sha256, None if is_new else uploaded_at)


def _list_by_runs(after: str) -> Iterator[Row]:
    """Those whose key begins with their run, as every key that the service assigns."""
    low: UUID | None = _find_first_run(after)
    chosen = _list_in_order(after).filter(BEGINS_WITH_RUN)
    while low is not None:
        ends = Run.objects.filter(pk__gt=low).order_by("pk").values_list("pk", flat=True)
        high = ends[RUNS_PER_RANGE - 1 : RUNS_PER_RANGE].first()
        bounds = {"run_id__gt": low} if high is None else {"run_id__gt": low, "run_id__lte": high}
        yield from chosen.filter(**bounds).values_list(*OBJECT_COLUMNS).iterator(chunk_size=ROWS_PER_FETCH)
        low = high


def _list_shared(after: str) -> Iterator[Row]:
    """Those that several may name, a row for each that does, by the index of their keys."""
    chosen = _list_in_order(after).filter(storage_key__startswith=SHARED_PREFIX)
    yield from chosen.values_list(*OBJECT_COLUMNS).iterator(chunk_size=ROWS_PER_FETCH)


def _list_elsewhere(after: str) -> Iterator[Row]:
    """The others, which are few: a look at every row, but no large sort."""
    chosen = _list_in_order(after).exclude(BEGINS_WITH_RUN).exclude(storage_key__startswith=SHARED_PREFIX)
    yield from chosen.values_list(*OBJECT_COLUMNS).iterator(chunk_size=ROWS_PER_FETCH)


def _list_in_order(after: str) -> QuerySet[File]:
    by_key = File.objects.filter(purged_at__isnull=True).annotate(ordered_key=KEY_IN_BYTE_ORDER)
    return by_key.filter(ordered_key__gt=after).order_by("ordered_key")


def _find_first_run(after: str) -> UUID:
    """One so that all files whose key follows `after` are of later runs."""
    found = RUN_OF_KEY.fullmatch(after)
    return UUID(int=max(0, UUID(found[1]).int - 1)) if found else UUID(int=0)


def find_referencing_files(keys: Collection[str], *, owners: Collection[str] = ()) -> dict[str, ReferencedObject]:
    """Which of these keys are named now, and one of the files that do. A purged file names nothing."""
    return {one.key: one for one in list_referencing_files(keys, owners=owners)}


def list_referencing_files(keys: Collection[str], *, owners: Collection[str] = ()) -> list[ReferencedObject]:
    """All that name one of these keys: those each was made for, owners of an earlier look, all who share it."""
    ids = {file_id for key in keys if (file_id := parse_file_id(key)) is not None}
    ids |= {int(owner.removeprefix(OWNER_PREFIX)) for owner in owners if owner.startswith(OWNER_PREFIX)}
    kept = File.objects.filter(storage_key__isnull=False, purged_at__isnull=True)
    found = set(kept.filter(pk__in=ids).values_list(*OBJECT_COLUMNS))
    if shared := [key for key in keys if is_shared_key(key)]:
        found |= set(find_files_of_shared(shared).values_list(*OBJECT_COLUMNS))
    return [one for one in (_build_reference(*row) for row in sorted(found, key=itemgetter(1))) if one.key in keys]


def find_files_of_shared(keys: Collection[str]) -> QuerySet[File]:
    """All that name one of these shared keys, by the index of such keys."""
    by_key = File.objects.filter(purged_at__isnull=True).annotate(ordered_key=KEY_IN_BYTE_ORDER)
    return by_key.filter(storage_key__startswith=SHARED_PREFIX, ordered_key__in=keys)


def find_referenced_file(file_id: int) -> ReferencedObject | None:
    """What this file says of its stored bytes now; None where it has none, or they were purged."""
    row = File.objects.stored().filter(pk=file_id, storage_key__isnull=False)
    found = row.values_list(*OBJECT_COLUMNS).first()
    return _build_reference(*found) if found else None


def _build_reference(
    key: str | None,
    file_id: int,
    size_bytes: int | None,
    crc32: str | None,
    sha256: str | None,
    uploaded_at: datetime | None,
) -> ReferencedObject:
    return ReferencedObject(key or "", f"{OWNER_PREFIX}{file_id}", uploaded_at is not None, size_bytes, crc32, sha256)
