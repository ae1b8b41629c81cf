"""The list of instruments: by status, with their health and how busy they are."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, DateTimeField, Q, QuerySet, Value
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.authentication import caller_of_page
from accounts.callers import Caller
from dashboard.fragments import is_fragment_request
from dashboard.guard import page
from dashboard.name_order import spell
from dashboard.parameters import read_window
from instruments import access
from instruments.catalogue import list_instruments
from instruments.instrument_types import list_types
from instruments.models import Instrument, InstrumentStatus
from runs.activity import count_runs_by_day, with_last_run_time
from watchers.folders import find_silence_of_files, is_blind
from watchers.models import Watcher
from watchers.status import health_status
from wire.clock import now
from wire.lists.pagination import Page

DAYS, PER_PAGE = 14, 50
NO_RUNS = (0,) * DAYS
STATUS_TABS = (InstrumentStatus.ACTIVE, InstrumentStatus.PENDING, InstrumentStatus.INACTIVE)
NO_WATCHER, NOT_READ = "none", Value(None, DateTimeField())
HEALTH_STATES = ("online", "offline", "stopped", "registered", NO_WATCHER)
SORT_DESCENDING_FIRST = {"name": False, "runs": True, "last": True}  # and whether each begins with the largest


@dataclass(frozen=True)
class InstrumentRow:
    """One instrument as the list shows it."""

    instrument: Instrument
    health: str
    watcher: Watcher | None
    type_title: str
    last: datetime | None

    @property
    def is_blind(self) -> bool:
        return self.watcher is not None and is_blind(self.watcher)

    @property
    def silent_since(self) -> datetime | None:
        return find_silence_of_files(self.watcher) if self.watcher else None

    @property
    def patterns(self) -> str:
        return ", ".join(self.watcher.file_patterns) if self.watcher else ""


@dataclass(frozen=True)
class BriefInstrument:
    """What an instrument is chosen and sorted by: all are looked at, and a page of them is shown."""

    id: str
    display_name: str
    type_title: str
    run_count: int
    last: datetime | None  # read where it is sorted by
    health: str  # likewise where it is asked for


@require_safe
@page(access.READ)
def instrument_list(request: HttpRequest) -> HttpResponse:
    """/instruments: tabs by status; text and health narrow what a tab shows."""
    by, at, query = caller_of_page(request), now(), request.GET
    counts, offline = _count_by_status(by=by, at=at)
    tab, (sort, descending) = _choose_tab(query, counts), _read_sort(query)
    instruments = list_instruments(status=tab, by=by)
    fitting = [one for one in _list_briefly(instruments, query, sort=sort, at=at) if _matches(one, query)]
    fitting = _sort(fitting, sort, descending=descending)
    window = read_window(query, per_page=PER_PAGE)
    shown_ids = [one.id for one in fitting[window.start : window.stop]]
    rows = _build_rows_in_order(shown_ids, by=by, at=at)
    busy = count_runs_by_day(shown_ids, days=DAYS, at=at)
    shown = {
        "at": at,
        "url": request.path,
        "query": query,
        "tab": tab,
        "tabs": [(status, counts.get(status, 0)) for status in STATUS_TABS],
        "page": Page([(row, busy.get(row.instrument.pk, NO_RUNS)) for row in rows], window, len(fitting)),
        "sort": {"by": sort, "descending": descending},
        "health": HEALTH_STATES,
        "offline": offline,
        "chosen": query.getlist("health"),
        "here": request.get_full_path(),
    }
    return render(
        request, "instruments/_table.html" if is_fragment_request(request) else "instruments/list.html", shown
    )


def build_instrument_rows(instruments: QuerySet[Instrument], *, at: datetime) -> list[InstrumentRow]:
    """With what their watchers say and when each ran last, in two queries however many they are."""
    found = list(with_last_run_time(instruments))
    names = [instrument.pk for instrument in found]
    active = Watcher.objects.active().filter(instrument__in=names).select_related("instrument")
    watchers = {watcher.instrument_id: watcher for watcher in active.defer("config_yaml")}
    titles = list_types()
    return [
        InstrumentRow(
            instrument,
            health_status(watchers[instrument.pk], at=at) if instrument.pk in watchers else NO_WATCHER,
            watchers.get(instrument.pk),
            titles.get(instrument.instrument_type, instrument.instrument_type),
            vars(instrument)["last_run_at"],
        )
        for instrument in found
    ]


def _count_by_status(*, by: Caller, at: datetime) -> tuple[dict[str, int], int]:
    """How many there are of each status, and of how many active ones the watcher is offline."""
    is_offline = Q(status=InstrumentStatus.ACTIVE, pk__in=Watcher.objects.offline(at).values("instrument_id"))
    found = list_instruments(by=by).order_by().values("status")
    counts = list(found.annotate(n=Count("pk"), offline=Count("pk", filter=is_offline)))
    return {one["status"]: one["n"] for one in counts}, sum(one["offline"] for one in counts)


def _choose_tab(query: QueryDict, counts: dict[str, int]) -> InstrumentStatus:
    """The one that is asked for; else what waits for somebody where nothing is active yet."""
    asked = query.get("status", "")
    if asked in InstrumentStatus.values:
        return InstrumentStatus(asked)
    waits = not counts.get(InstrumentStatus.ACTIVE) and counts.get(InstrumentStatus.PENDING)
    return InstrumentStatus.PENDING if waits else InstrumentStatus.ACTIVE


def _list_briefly(
    instruments: QuerySet[Instrument], query: QueryDict, *, sort: str, at: datetime
) -> list[BriefInstrument]:
    timed: QuerySet[Any, Any] = instruments.annotate(last_run_at=NOT_READ)
    if sort == "last":
        timed = with_last_run_time(instruments)
    titles = list_types()
    health = _map_health(instruments, at=at) if query.getlist("health") else {}
    return [
        BriefInstrument(pk, name, titles.get(kind, kind), run_count, last, health.get(pk, NO_WATCHER))
        for pk, name, kind, run_count, last in timed.values_list(
            "pk", "display_name", "instrument_type", "run_count", "last_run_at"
        )
    ]


def _map_health(instruments: QuerySet[Instrument], *, at: datetime) -> dict[str, str]:
    active = Watcher.objects.active().filter(instrument__in=instruments.order_by().values("pk")).defer("config_yaml")
    return {watcher.instrument_id: health_status(watcher, at=at) for watcher in active}


def _build_rows_in_order(ids: Sequence[str], *, by: Caller, at: datetime) -> list[InstrumentRow]:
    rows = build_instrument_rows(list_instruments(by=by).filter(pk__in=ids), at=at)
    return sorted(rows, key=lambda row: ids.index(row.instrument.pk))


def _matches(one: BriefInstrument, query: QueryDict) -> bool:
    text, health = query.get("search", "").strip().casefold(), query.getlist("health")
    told = f"{one.id} {one.display_name} {one.type_title}".casefold()
    return text in told and (not health or one.health in health)


def _read_sort(query: QueryDict) -> tuple[str, bool]:
    sort = query.get("sort", "")
    sort = sort if sort in SORT_DESCENDING_FIRST else "last"
    return sort, query.get("order", "desc" if SORT_DESCENDING_FIRST[sort] else "asc") == "desc"


def _sort(found: list[BriefInstrument], sort: str, *, descending: bool) -> list[BriefInstrument]:
    """Those that are equal stand by their names."""
    by_name = sorted(found, key=lambda one: (spell(one.display_name), one.id))
    if sort == "name":
        return by_name[::-1] if descending else by_name
    return sorted(by_name, key=lambda one: one.run_count if sort == "runs" else _read_time(one), reverse=descending)


def _read_time(one: BriefInstrument) -> float:
    return one.last.timestamp() if one.last else 0.0
