"""How busy instruments are: runs a day and the last one of each."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any

from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.functions import TruncDay
from django.utils.timezone import localtime

from instruments.models import Instrument
from runs.models import Run

CountsByDay = Sequence[int]


def count_runs_by_day(instrument_ids: Sequence[str], *, days: int, at: datetime) -> Mapping[str, CountsByDay]:
    """Active runs a day in the current time zone, today last, of each instrument that had any."""
    midnight = localtime(at).replace(hour=0, minute=0, second=0, microsecond=0)
    first = midnight - timedelta(days=days - 1)
    runs = Run.objects.active().filter(instrument_id__in=instrument_ids, happened_at__gte=first)
    counted = runs.annotate(day=TruncDay("happened_at")).order_by().values_list("instrument_id", "day")
    found: dict[str, list[int]] = {}
    for instrument, day, count in counted.annotate(runs=Count("pk")):
        number = _count_days(first.date(), localtime(day).date())
        if number < days:
            found.setdefault(instrument, [0] * days)[number] = count
    return found


def with_last_run_time(instruments: QuerySet[Instrument]) -> QuerySet[Any, Any]:
    """With `last_run_at` of the latest active run, or None: one step down an index each."""
    latest = Run.objects.active().filter(instrument_id=OuterRef("pk")).order_by("-happened_at", "-pk")
    return instruments.annotate(last_run_at=Subquery(latest.values("happened_at")[:1]))


def find_last_run_times(instrument_ids: Sequence[str]) -> Mapping[str, datetime | None]:
    """When each instrument's latest active run happened."""
    rows = with_last_run_time(Instrument.objects.filter(pk__in=instrument_ids))
    return dict(rows.values_list("pk", "last_run_at"))


def _count_days(first: date, day: date) -> int:
    return (day - first).days
