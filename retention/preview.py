"""What a purge would free now, by rule."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice
from typing import Any

from django.db import transaction
from django.db.models import Count, Sum

from accounts.callers import Caller
from files.models import File, FileQuerySet
from files.storage import cold_store
from files.stored.inventory import BEGINS_WITH_RUN
from instruments.catalogue import find_instrument
from instruments.models import Instrument
from instruments.retention_rules import COLD_RULE, FILE_RULES, RetentionRule
from retention.candidates import filter_archives, filter_cooling, filter_runs, list_candidates
from retention.rules import save_rules

KEYS_PER_QUERY = 5_000


@dataclass(frozen=True)
class Freed:
    """Runs that lose something, the files (or archives) that go, and the bytes of their objects."""

    runs: int = 0
    files: int = 0
    bytes: int = 0

    def __add__(self, other: "Freed") -> "Freed":
        return Freed(self.runs + other.runs, self.files + other.files, self.bytes + other.bytes)


@dataclass(frozen=True)
class Preview:
    """`runs` are counted once, whichever rules hold for their files. What becomes cold is no part of the sums."""

    runs: int
    files: int
    bytes: int
    by_rule: dict[str, Freed]


def preview_purge(instrument_id: str, *, by: Caller, at: datetime) -> Preview:
    """Raises InstrumentMissing."""
    return preview_instrument(find_instrument(instrument_id, by=by), at=at)


def preview_rules(instrument_id: str, days: Mapping[str, int | None], *, by: Caller, at: datetime) -> Preview:
    """What a purge would take by rules that are not saved. Raises InstrumentMissing, ValidationError."""
    with transaction.atomic():
        save_rules(instrument_id, days, by=by)
        found = preview_purge(instrument_id, by=by, at=at)
        transaction.set_rollback(True)
    return found


def preview_instrument(instrument: Instrument, *, at: datetime) -> Preview:
    shared = count_shared_bytes(instrument, at=at)
    by_rule = {rule.value: count_files(rule, instrument, shared.get(rule, 0), at=at) for rule in FILE_RULES}
    by_rule[RetentionRule.EXPIRE_ARCHIVES.value] = count_archives(instrument, at=at)
    return Preview(
        runs=count_runs(instrument, at=at),
        files=sum(freed.files for freed in by_rule.values()),
        bytes=sum(freed.bytes for freed in by_rule.values()),
        by_rule=by_rule if cold_store() is None else by_rule | {COLD_RULE: count_cooling(instrument, at=at)},
    )


def count_cooling(instrument: Instrument, *, at: datetime) -> Freed:
    """What moves to the cold store. An object moves with all files that name it, or stays."""
    chosen = filter_cooling(instrument, at=at)
    own = chosen.filter(BEGINS_WITH_RUN).aggregate(
        runs=Count("run", distinct=True), files=Count("pk"), size=Sum("size_bytes", default=0)
    )
    rows = chosen.exclude(BEGINS_WITH_RUN).values_list("storage_key", "size_bytes", "run")
    shared: dict[str, list[Any]] = {}
    sizes: dict[str, int] = {}
    for key, size, run in rows.iterator():
        shared.setdefault(key or "", []).append(run)
        sizes[key or ""] = size or 0
    moved = [key for key, names in count_names(shared) if names == len(shared[key])]
    runs = own["runs"] if not moved else _count_runs_of(chosen, {run for key in moved for run in shared[key]})
    return Freed(
        runs, own["files"] + sum(len(shared[key]) for key in moved), own["size"] + sum(sizes[key] for key in moved)
    )


def _count_runs_of(chosen: FileQuerySet, sharing: set[Any]) -> int:
    return len(sharing | set(chosen.filter(BEGINS_WITH_RUN).values_list("run", flat=True).distinct()))


def count_files(rule: RetentionRule, instrument: Instrument, shared: int, *, at: datetime) -> Freed:
    """Deleted runs count whether they have files or not."""
    files, *pictures = [_count(chosen) for chosen in list_candidates(rule, instrument, at=at)]
    if rule == RetentionRule.PURGE_DELETED:
        files = replace(files, runs=filter_runs(rule, instrument, at=at).count())
    return sum(pictures, files + Freed(bytes=shared))


def _count(chosen: FileQuerySet) -> Freed:
    """Without the bytes of objects that others may name."""
    found = chosen.aggregate(runs=Count("run", distinct=True), files=Count("pk"))
    own = chosen.filter(BEGINS_WITH_RUN).aggregate(total=Sum("size_bytes", default=0))
    return Freed(found["runs"], found["files"], own["total"])


def count_shared_bytes(instrument: Instrument, *, at: datetime) -> dict[RetentionRule, int]:
    """Of objects whose key is no file's own: freed by the rule that takes the last name of one."""
    chosen: Counter[str] = Counter()
    last: dict[str, tuple[RetentionRule, int]] = {}
    for rule in FILE_RULES:
        for files in list_candidates(rule, instrument, at=at):
            rows = files.exclude(BEGINS_WITH_RUN).values_list("storage_key", "size_bytes")
            for key, size in rows.iterator():
                chosen[key or ""] += 1
                last[key or ""] = rule, size or 0
    freed: dict[RetentionRule, int] = dict.fromkeys(FILE_RULES, 0)
    for key, names in count_names(chosen):
        if names == chosen[key]:
            freed[last[key][0]] += last[key][1]
    return freed


def count_names(keys: Iterable[str]) -> Iterable[tuple[str, int]]:
    rest = iter(keys)
    while some := list(islice(rest, KEYS_PER_QUERY)):
        named = File.objects.filter(storage_key__in=some, purged_at__isnull=True)
        yield from named.values_list("storage_key").annotate(names=Count("pk")).order_by()


def count_archives(instrument: Instrument, *, at: datetime) -> Freed:
    sums = {"runs": Count("run", distinct=True), "files": Count("pk"), "bytes": Sum("size_bytes", default=0)}
    return Freed(**filter_archives(instrument, at=at).aggregate(**sums))


def count_runs(instrument: Instrument, *, at: datetime) -> int:
    chosen = [
        files.order_by().values("run") for rule in FILE_RULES for files in list_candidates(rule, instrument, at=at)
    ]
    gone = filter_runs(RetentionRule.PURGE_DELETED, instrument, at=at).order_by().values("pk")
    return gone.union(*chosen, filter_archives(instrument, at=at).order_by().values("run")).count()
