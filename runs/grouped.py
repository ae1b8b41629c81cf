"""A page of runs in groups: which run stands in which, and how many runs each has in all."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from uuid import UUID

from django.db.models import Count, Q

from accounts.callers import Caller
from runs.group_keys import KEY, with_group_key
from runs.models import Run
from runs.search import RunSearch, filter_runs


@dataclass(frozen=True)
class RunGroup:
    """Runs of a page that stand together. `total` is of the whole search; None where that was not counted."""

    key: str | None
    runs: Sequence[Run]
    total: int | None


def group_runs(
    runs: Sequence[Run], *, grouping: str, search: RunSearch, is_whole: bool, by: Caller, at: datetime
) -> list[RunGroup]:
    """The page in groups; two queries at most.

    Where the whole of what is found was sorted, groups are counted. Else each page is grouped for itself.
    """
    keys = _map_keys(runs, grouping)
    place = {key: number for number, key in enumerate(dict.fromkeys(keys[run.pk] for run in runs))}
    ordered = sorted(runs, key=lambda run: place[keys[run.pk]])
    totals = _count_groups(search, grouping, keys=list(place), by=by, at=at) if is_whole else {}
    return [
        RunGroup(key, list(members), totals.get(key)) for key, members in groupby(ordered, lambda run: keys[run.pk])
    ]


def _map_keys(runs: Sequence[Run], grouping: str) -> Mapping[UUID, str | None]:
    keyed = with_group_key(Run.objects.filter(pk__in=[run.pk for run in runs]), grouping)
    return dict(keyed.values_list("pk", KEY)) if runs else {}


def _count_groups(
    search: RunSearch, grouping: str, *, keys: Sequence[str | None], by: Caller, at: datetime
) -> Mapping[str | None, int]:
    if not keys:
        return {}
    known = Q(**{f"{KEY}__in": [key for key in keys if key is not None]})
    asked = known | Q(**{f"{KEY}__isnull": True}) if None in keys else known
    found = with_group_key(filter_runs(search, by=by, at=at), grouping).filter(asked)
    return dict(found.order_by().values(KEY).annotate(runs=Count("pk")).values_list(KEY, "runs"))
