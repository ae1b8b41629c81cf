"""Who uses how much of the store, how fast it grows, and when it is full.

Counted once an hour from the files by ranges of ids, and remembered: a page looks at no file. The counts are of the
whole workspace, so admins alone see them.
"""

import shutil
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import date, datetime, timedelta
from typing import Any

from django.conf import settings
from django.core.cache import cache
from django.db import connection, transaction
from django.db.models import Sum

from archives.models import ArchiveJob, ArchiveStatus
from files.storage import object_store
from files.storage.local import LocalStore
from files.stored.sizes import MAX_COUNT_SECONDS, list_ranges
from files.triggers import FILES_PER_RANGE
from instruments.groups.models import GroupInstrument
from instruments.models import Instrument
from jobs.task_queue import enqueue
from notifications.admin_notices import tell_admins_once
from overview.freeing import Freeing, count_freeing
from runs.projects.models import Project

SPACE_CACHE_KEY = "overview:space"
WEEKS = 8  # of growth, the present one not among them
GB = 1_000_000_000
SHORT_BEFORE, SHORT_BELOW = timedelta(days=30), 0.05  # the time it takes to buy a disk; of the capacity
SHORTAGE_TOLD_EVERY = timedelta(days=7)
FAR_AWAY = timedelta(days=36_500)  # nobody plans for a date beyond
NO_GROUP, NO_PROJECT, NO_TYPE = "in no group", "in no project", "unknown"
COLD = ", cold"  # after the kind of what lies in the cold store (as in the SQL), which is no part of what is full
COUNT_RANGE_SQL = """
    SELECT run.instrument_id, run.project_id::text,
           file.category || CASE file.storage_class WHEN 'cold' THEN ', cold' ELSE '' END AS kind,
           extract(year FROM run.happened_at)::int AS year,
           split_part(lower(file.content_type), ';', 1) AS media_type,
           date_trunc('week', CASE WHEN file.uploaded_at >= %(since)s THEN file.uploaded_at END, 'UTC')::date AS week,
           GROUPING(run.instrument_id, split_part(lower(file.content_type), ';', 1)) AS of, sum(file.size_bytes)
      FROM files_file AS file JOIN runs_run AS run ON run.id = file.run_id
     WHERE file.id >= %(first)s AND file.id < %(end)s AND file.uploaded_at IS NOT NULL AND file.deleted_at IS NULL
       AND file.purged_at IS NULL
     GROUP BY GROUPING SETS (
        (run.instrument_id, run.project_id,
         file.category || CASE file.storage_class WHEN 'cold' THEN ', cold' ELSE '' END,
         extract(year FROM run.happened_at)::int),
        (split_part(lower(file.content_type), ';', 1)),
        (date_trunc('week', CASE WHEN file.uploaded_at >= %(since)s THEN file.uploaded_at END, 'UTC')::date))
"""


@dataclass(frozen=True)
class Share:
    """One line of a table: a name and the bytes that are its."""

    name: str
    size_bytes: int


@dataclass(frozen=True)
class Forecast:
    """Of the hot store. `capacity_bytes` is None where nothing bounds the store that the service knows of."""

    used_bytes: int
    capacity_bytes: int | None
    free_bytes: int | None
    bytes_per_week: int
    full_on: date | None

    def is_short(self, today: date) -> bool:
        """Whether somebody should make room now."""
        if self.capacity_bytes is None or self.free_bytes is None:
            return False
        is_soon = self.full_on is not None and self.full_on - today <= SHORT_BEFORE
        return is_soon or self.free_bytes < self.capacity_bytes * SHORT_BELOW


@dataclass(frozen=True)
class SpaceReport:
    """What stood in the store at `measured_at`, the largest first. A file counts for each group of its instrument."""

    measured_at: datetime
    kinds: list[Share]
    instruments: list[Share]
    groups: list[Share]
    projects: list[Share]
    years: list[Share]
    media_types: list[Share]
    weeks: list[Share]
    forecast: Forecast
    cold_bytes: int = 0
    freeing: Freeing = field(default_factory=Freeing)


def measure_space(*, at: datetime) -> None:
    """Remember for `read_space` who uses what. One range of files is one short query."""
    sums = {name: Counter[Any]() for name in ("kinds", "instruments", "projects", "years", "media_types", "weeks")}
    since = start_of_week(at.date()) - timedelta(weeks=WEEKS)
    for number in list_ranges():
        for row in _count_range(number, since=since):
            _add_row(sums, row)
    ready = ArchiveJob.objects.filter(status=ArchiveStatus.READY)
    sums["kinds"]["archive"] = int(ready.aggregate(size=Sum("size_bytes", default=0))["size"])
    counted = {"at": at, "freeing": asdict(count_freeing(at=at))}
    cache.set(SPACE_CACHE_KEY, counted | {name: dict(kept) for name, kept in sums.items()}, timeout=None)


def read_space(*, at: datetime) -> SpaceReport | None:
    """As last measured; where nothing is known a worker is asked to measure, and there is none yet."""
    kept: dict[str, Any] | None = cache.get(SPACE_CACHE_KEY)
    if kept is None:
        enqueue("overview.measure_space")
        return None
    instruments: dict[str, int] = kept["instruments"]
    return SpaceReport(
        measured_at=kept["at"],
        kinds=list_shares(kept["kinds"]),
        instruments=list_shares(instruments, names=dict(Instrument.objects.values_list("pk", "display_name"))),
        groups=list_shares(_sum_groups(instruments)),
        projects=list_shares(kept["projects"], names=_read_project_names(kept["projects"])),
        years=[Share(str(year), size) for year, size in sorted(kept["years"].items(), reverse=True)],
        media_types=list_shares(kept["media_types"]),
        weeks=_list_weeks(kept["weeks"], today=kept["at"].date()),
        forecast=_forecast(kept, today=at.date()),
        cold_bytes=_sum_cold(kept),
        freeing=Freeing(**kept.get("freeing", {})),
    )


def find_shortage(*, at: datetime) -> Forecast | None:
    """The forecast, where the store is nearly full; None as well before anything was measured."""
    kept: dict[str, Any] | None = cache.get(SPACE_CACHE_KEY)
    forecast = _forecast(kept, today=at.date()) if kept else None
    return forecast if forecast and forecast.is_short(at.date()) else None


def warn_of_shortage(*, at: datetime) -> None:
    """Admins, once a week for as long as it lasts. The words name no numbers: those change with every hour."""
    if find_shortage(at=at):
        message = "The store is nearly full. Settings, Space says when it will be, and what would free it."
        tell_admins_once(message, since=at - SHORTAGE_TOLD_EVERY, at=at)


def _forecast(kept: Mapping[str, Any], *, today: date) -> Forecast:
    used_bytes = sum(kept["kinds"].values()) - _sum_cold(kept)
    return forecast_space(used_bytes, _list_weeks(kept["weeks"], today=kept["at"].date()), today=today)


def _sum_cold(kept: Mapping[str, Any]) -> int:
    return sum(size for kind, size in kept["kinds"].items() if kind.endswith(COLD))


def forecast_space(used_bytes: int, weeks: list[Share], *, today: date) -> Forecast:
    """At the pace of these weeks, of which what was deleted meanwhile is not part."""
    pace = sum(week.size_bytes for week in weeks) // max(1, len(weeks))
    capacity, free = _read_capacity(used_bytes)
    full_on = None
    if free is not None and pace > 0:
        left = timedelta(weeks=min(max(0, free) / pace, FAR_AWAY / timedelta(weeks=1)))
        full_on = today + left if left < FAR_AWAY else None
    return Forecast(used_bytes, capacity, free, pace, full_on)


def list_shares(sums: Mapping[str, int], *, names: Mapping[str, str] | None = None) -> list[Share]:
    """The largest first; `names` is how people call what the sums are of."""
    ordered = sorted(sums.items(), key=lambda one: (-one[1], one[0]))
    return [Share((names or {}).get(name, name), size) for name, size in ordered if size]


def start_of_week(day: date) -> date:
    return day - timedelta(days=day.weekday())


@transaction.atomic
def _count_range(number: int, *, since: date) -> list[tuple[Any, ...]]:
    bounds: dict[str, int | date] = {
        "first": number * FILES_PER_RANGE,
        "end": (number + 1) * FILES_PER_RANGE,
        "since": since,
    }
    with connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL statement_timeout = '{MAX_COUNT_SECONDS}s'")
        cursor.execute(COUNT_RANGE_SQL, bounds)
        return cursor.fetchall()


def _add_row(sums: dict[str, Counter[Any]], row: tuple[Any, ...]) -> None:
    """`of` tells which of the three sums it is: bits of the instrument and of the media type that are left out."""
    instrument, project, category, year, media_type, week, of, size = row
    size = int(size or 0)
    if of == 1:
        for name, key in (("kinds", category), ("instruments", instrument), ("years", year)):
            sums[name][key] += size
        sums["projects"][project or NO_PROJECT] += size
    elif of == 2:
        sums["media_types"][media_type or NO_TYPE] += size
    elif week is not None:
        sums["weeks"][week] += size


def _list_weeks(sums: Mapping[date, int], *, today: date) -> list[Share]:
    """The whole weeks before this one, the oldest first."""
    this = start_of_week(today)
    mondays: Iterable[date] = (this - timedelta(weeks=ago) for ago in range(WEEKS, 0, -1))
    return [Share(monday.isoformat(), sums.get(monday, 0)) for monday in mondays]


def _sum_groups(instruments: Mapping[str, int]) -> dict[str, int]:
    pairs = list(GroupInstrument.objects.values_list("group__name", "instrument_id"))
    sums = Counter[str]()
    for group, instrument in pairs:
        sums[group] += instruments.get(instrument, 0)
    grouped = {instrument for _, instrument in pairs}
    sums[NO_GROUP] += sum(size for instrument, size in instruments.items() if instrument not in grouped)
    return dict(sums)


def _read_project_names(sums: Mapping[str, int]) -> dict[str, str]:
    ids = [project for project in sums if project != NO_PROJECT]
    return {str(pk): name for pk, name in Project.objects.filter(pk__in=ids).values_list("pk", "name")}


def _read_capacity(used_bytes: int) -> tuple[int | None, int | None]:
    """Of the setting, else of the disk of the local store; what is free of it."""
    if settings.STORE_CAPACITY_GB:
        capacity = settings.STORE_CAPACITY_GB * GB
        return capacity, capacity - used_bytes
    store = object_store()
    if isinstance(store, LocalStore) and store.layout.root.is_dir():
        space = shutil.disk_usage(store.layout.root)
        return space.total, space.free
    return None, None
