"""Runs and bytes day by day: what the lines on the first page are drawn from."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from django.db.models import Count, Q, Sum
from django.db.models.functions import TruncDay
from django.utils.timezone import localtime

from accounts.callers import Caller
from runs.models import Run

DAYS_SHOWN = 14


@dataclass(frozen=True)
class DayCounts:
    date: date
    runs: int
    bytes: int


@dataclass(frozen=True)
class Fortnight:
    """The last DAYS_SHOWN days, today last, in the current time zone; weeks begin on Monday."""

    days: Sequence[DayCounts]
    instruments_today: int
    runs_this_week: int
    bytes_this_week: int
    runs_by_then_last_week: int

    @property
    def today(self) -> DayCounts:
        return self.days[-1]

    @property
    def runs(self) -> list[int]:
        return [day.runs for day in self.days]

    @property
    def bytes(self) -> list[int]:
        return [day.bytes for day in self.days]

    @property
    def runs_in_words(self) -> str:
        top = max(self.days, key=lambda day: day.runs)
        return f"Runs a day over {DAYS_SHOWN} days, {self.today.runs} today, most on {top.date:%A} with {top.runs}"

    @property
    def bytes_in_words(self) -> str:
        top = max(self.days, key=lambda day: day.bytes)
        return (
            f"Bytes a day over {DAYS_SHOWN} days, {self.today.bytes:,} today, most on {top.date:%A} with {top.bytes:,}"
        )

    @property
    def more_than_last_week(self) -> int:
        """Than until the same hour of the same day a week ago."""
        return self.runs_this_week - self.runs_by_then_last_week


def read_fortnight(*, by: Caller, at: datetime) -> Fortnight:
    midnight = localtime(at).replace(hour=0, minute=0, second=0, microsecond=0)
    monday, first = midnight.date() - timedelta(days=midnight.weekday()), midnight - timedelta(days=DAYS_SHOWN - 1)
    runs = Run.objects.visible_to(by).active().filter(happened_at__gte=first, happened_at__lt=midnight + timedelta(1))
    a_week_ago = at - timedelta(weeks=1)
    counted = runs.annotate(day=TruncDay("happened_at")).values("day").order_by("day")
    rows = counted.annotate(
        runs=Count("pk"), bytes=Sum("total_size_bytes"), by_then=Count("pk", filter=Q(happened_at__lte=a_week_ago))
    )
    known: dict[date, Any] = {row["day"].date(): row for row in rows}
    days = [_build_day(first.date() + timedelta(days=number), known) for number in range(DAYS_SHOWN)]
    last_monday = monday - timedelta(weeks=1)
    return Fortnight(
        days=days,
        instruments_today=runs.filter(happened_at__gte=midnight).aggregate(n=Count("instrument", distinct=True))["n"],
        runs_this_week=sum(day.runs for day in days if day.date >= monday),
        bytes_this_week=sum(day.bytes for day in days if day.date >= monday),
        runs_by_then_last_week=sum(
            row["by_then"]
            for day, row in known.items()
            if last_monday <= day <= last_monday + (midnight.date() - monday)
        ),
    )


def _build_day(day: date, known: dict[date, dict[str, int]]) -> DayCounts:
    row = known.get(day)
    return DayCounts(day, row["runs"], row["bytes"]) if row else DayCounts(day, 0, 0)
