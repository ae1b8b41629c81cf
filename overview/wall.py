"""The fleet and its day on one screen that nobody touches."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count
from django.db.models.functions import TruncHour
from django.utils.timezone import localtime

from accounts.callers import Caller
from instruments.models import Instrument, InstrumentStatus
from runs.activity import find_last_run_times
from runs.models import Run
from runs.status import RunStatus
from watchers.folders import find_silence_of_files, is_blind
from watchers.models import Watcher
from watchers.status import OFFLINE, ONLINE, health_status

MAX_TILES = 60
HOURS = 24
BLIND = "blind"  # online, and sees no files
TROUBLE = (OFFLINE, RunStatus.FAILED, RunStatus.STALLED, BLIND)
BUSY = (RunStatus.PROCESSING, RunStatus.PENDING_UPLOAD)
NOTHING = (0,) * HOURS


@dataclass(frozen=True)
class Tile:
    """One instrument. `state` is its watcher's, or that of today's latest run where this is in trouble or under way."""

    instrument: Instrument
    state: str
    watcher: Watcher | None
    run: Run | None
    last: datetime | None
    hours: Sequence[int]

    @property
    def runs_today(self) -> int:
        return sum(self.hours)

    @property
    def silent_since(self) -> datetime | None:
        return find_silence_of_files(self.watcher) if self.watcher else None

    @property
    def is_in_trouble(self) -> bool:
        return self.state in TROUBLE

    @property
    def is_busy(self) -> bool:
        return self.state in BUSY


@dataclass(frozen=True)
class Wall:
    """Every active instrument that the caller sees: trouble first, then what is under way, then by name."""

    tiles: Sequence[Tile]

    @property
    def shown(self) -> Sequence[Tile]:
        return self.tiles[:MAX_TILES]

    @property
    def rest(self) -> int:
        return max(0, len(self.tiles) - MAX_TILES)

    @property
    def in_trouble(self) -> int:
        return sum(tile.is_in_trouble for tile in self.tiles)

    @property
    def busy(self) -> int:
        return sum(tile.is_busy for tile in self.tiles)

    @property
    def idle(self) -> int:
        return len(self.tiles) - self.in_trouble - self.busy

    @property
    def hours(self) -> Sequence[int]:
        """Runs of today by the hour at which they began, in the current time zone."""
        return [sum(hour) for hour in zip(NOTHING, *(tile.hours for tile in self.tiles), strict=True)]

    @property
    def runs_today(self) -> int:
        return sum(self.hours)

    @property
    def used_today(self) -> int:
        return sum(tile.runs_today > 0 for tile in self.tiles)


def read_wall(*, by: Caller, at: datetime) -> Wall:
    """Five queries, however many instruments there are."""
    instruments = list(Instrument.objects.visible_to(by).filter(status=InstrumentStatus.ACTIVE))
    names = [instrument.pk for instrument in instruments]
    midnight = localtime(at).replace(hour=0, minute=0, second=0, microsecond=0)
    watchers = Watcher.objects.active().filter(instrument__in=names).select_related("instrument")
    found = {watcher.instrument_id: watcher for watcher in watchers.defer("config_yaml")}
    latest, hours = _find_latest_runs(names, since=midnight), _count_by_hour(names, since=midnight)
    last = find_last_run_times(names)
    tiles = [
        Tile(
            instrument=instrument,
            state=_choose_state(found.get(instrument.pk), latest.get(instrument.pk), at=at),
            watcher=found.get(instrument.pk),
            run=latest.get(instrument.pk),
            last=last.get(instrument.pk),
            hours=hours.get(instrument.pk, NOTHING),
        )
        for instrument in instruments
    ]
    return Wall(sorted(tiles, key=_rank))


def _find_latest_runs(names: Sequence[str], *, since: datetime) -> Mapping[str, Run]:
    """Of each instrument that had one."""
    runs = Run.objects.active().filter(instrument__in=names, happened_at__gte=since)
    ordered = runs.order_by("instrument_id", "-happened_at", "-pk").distinct("instrument_id")
    shown = ordered.only("instrument_id", "run_id", "happened_at", "status", "processing_since")
    return {run.instrument_id: run for run in shown}


def _count_by_hour(names: Sequence[str], *, since: datetime) -> Mapping[str, Sequence[int]]:
    runs = Run.objects.active().filter(instrument__in=names, happened_at__gte=since)
    counted = runs.annotate(hour=TruncHour("happened_at")).order_by().values_list("instrument_id", "hour")
    found: dict[str, list[int]] = {}
    for name, hour, count in counted.annotate(runs=Count("pk")):
        day = localtime(hour)
        if day.date() == localtime(since).date():  # a clock that is ahead reports tomorrow's
            found.setdefault(name, [0] * HOURS)[day.hour] += count
    return found


def _choose_state(watcher: Watcher | None, run: Run | None, *, at: datetime) -> str:
    health = health_status(watcher, at=at) if watcher else "none"
    state = run.status_at(at) if run else None
    if watcher and health == ONLINE and state not in TROUBLE and is_blind(watcher):
        return BLIND
    if health == OFFLINE or state is None or state not in (*TROUBLE, *BUSY):
        return health
    return state


def _rank(tile: Tile) -> tuple[int, str, str]:
    order = (*TROUBLE, *BUSY, ONLINE)
    place = order.index(tile.state) if tile.state in order else len(order)
    return place, tile.instrument.display_name.casefold(), tile.instrument.pk
