"""How many runs a search finds, by what they have in common."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

from django.db.models import Case, CharField, Count, F, Func, Q, QuerySet, Sum, TextField, Value, When
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast, TruncDate

from accounts.callers import Caller
from accounts.models import User
from runs.models import Run
from runs.search import RunSearch, filter_runs
from runs.status import STALLED_AFTER, RunStatus
from wire.errors import ValidationError

MAX_GROUPS = 200
METADATA_PREFIX = "metadata."
EACH_TAG = "unnest(CASE WHEN cardinality(%(expressions)s) = 0 THEN ARRAY[NULL] ELSE %(expressions)s END)"


class Grouping(StrEnum):
    """What runs are counted by; `metadata.<key>` beside these."""

    INSTRUMENT = "instrument"
    STATUS = "status"
    PERSON = "person"
    DAY = "day"
    TAG = "tag"


@dataclass(frozen=True)
class RunCount:
    """Runs that share `key`: None where they have nothing of the kind."""

    key: str | None
    run_count: int
    total_size_bytes: int


@dataclass(frozen=True)
class RunCounts:
    """The largest groups first, days in their order; `total` is how many runs were found, each counted once."""

    rows: Sequence[RunCount]
    total: int


def read_grouping(text: str) -> str:
    """Raises ValidationError, which names what there is."""
    if text in set(Grouping) or (text.startswith(METADATA_PREFIX) and text != METADATA_PREFIX):
        return text
    raise ValidationError(fields={"group_by": [f"One of {', '.join(Grouping)} or {METADATA_PREFIX}<key>."]})


def count_runs(search: RunSearch, *, group_by: str, by: Caller, at: datetime) -> RunCounts:
    """At most MAX_GROUPS groups. A run that several people claimed, or with several tags, counts for each of them."""
    runs = filter_runs(search, by=by, at=at)
    keyed: QuerySet[Any, Any] = _group(runs, group_by, at=at).values("key")
    grouped = keyed.annotate(runs=Count("pk"), bytes=Sum("total_size_bytes"))
    order = ("-key",) if group_by == Grouping.DAY else ("-runs", "key")
    found = list(grouped.order_by(*order).values_list("key", "runs", "bytes")[:MAX_GROUPS])
    names = _find_names(found) if group_by == Grouping.PERSON else {}
    return RunCounts([RunCount(names.get(key, key), number, size) for key, number, size in found], runs.count())


def _find_names(found: Sequence[tuple[Any, int, int]]) -> dict[UUID, str]:
    return {person.pk: person.name for person in User.objects.filter(pk__in=[key for key, *_ in found if key])}


def _group(runs: QuerySet[Run], group_by: str, *, at: datetime) -> QuerySet[Any, Any]:
    """The runs with what they are counted by as `key`. Days are those of the current time zone."""
    if group_by.startswith(METADATA_PREFIX):
        return runs.annotate(key=KeyTextTransform(group_by.removeprefix(METADATA_PREFIX), "metadata"))
    return runs.annotate(key=_build_key(Grouping(group_by), at=at))


def _build_key(grouping: Grouping, *, at: datetime) -> Any:
    match grouping:
        case Grouping.INSTRUMENT:
            return F("instrument_id")
        case Grouping.PERSON:
            return F("claims__user_id")
        case Grouping.DAY:
            return Cast(TruncDate("happened_at"), TextField())
        case Grouping.TAG:
            return Func(F("tags"), template=EACH_TAG, output_field=CharField())
        case Grouping.STATUS:
            stalls = Q(processing_since__lt=at - STALLED_AFTER) & ~Q(status=RunStatus.FAILED)
            return Case(When(stalls, then=Value(RunStatus.STALLED.value)), default=F("status"))
