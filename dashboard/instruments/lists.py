"""The list of instruments: by status, with their health and how busy they are."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, QuerySet
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.authentication import caller_of_page
from dashboard.fragments import is_fragment_request
from dashboard.guard import page
from dashboard.parameters import read_window
from instruments import access
from instruments.catalogue import list_instruments
from instruments.instrument_types import list_types
from instruments.models import Instrument, InstrumentStatus
from runs.activity import count_runs_by_day, find_last_run_times
from watchers.models import Watcher
from watchers.status import health_status
from wire.clock import now
from wire.pagination import Page

DAYS, PER_PAGE = 14, 50
NO_RUNS = (0,) * DAYS
STATUS_TABS = (InstrumentStatus.ACTIVE, InstrumentStatus.PENDING, InstrumentStatus.INACTIVE)
HEALTH_STATES = ("online", "offline", "stopped", "registered", "none")
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
    def patterns(self) -> str:
        return ", ".join(self.watcher.file_patterns) if self.watcher else ""


@require_safe
@page(access.READ)
def instrument_list(request: HttpRequest) -> HttpResponse:
    """/instruments: tabs by status; text and health narrow what a tab shows."""
    by, at, query = caller_of_page(request), now(), request.GET
    counts = dict(list_instruments(by=by).order_by().values_list("status").annotate(n=Count("pk")))
    tab, (sort, descending) = _choose_tab(query, counts), _read_sort(query)
    fitting = [row for row in build_instrument_rows(list_instruments(status=tab, by=by), at=at) if _matches(row, query)]
    fitting.sort(key=lambda row: _sort_key(row, sort), reverse=descending)
    window = read_window(query, per_page=PER_PAGE)
    rows = fitting[window.start : window.stop]
    busy = count_runs_by_day([row.instrument.pk for row in rows], days=DAYS, at=at)
    shown = {
        "at": at,
        "url": request.path,
        "query": query,
        "tab": tab,
        "tabs": [(status, counts.get(status, 0)) for status in STATUS_TABS],
        "page": Page([(row, busy.get(row.instrument.pk, NO_RUNS)) for row in rows], window, len(fitting)),
        "sort": {"by": sort, "descending": descending},
        "health": HEALTH_STATES,
        "chosen": query.getlist("health"),
        "here": request.get_full_path(),
    }
    return render(
        request, "instruments/_table.html" if is_fragment_request(request) else "instruments/list.html", shown
    )


def build_instrument_rows(instruments: QuerySet[Instrument], *, at: datetime) -> list[InstrumentRow]:
    """With what their watchers say and when each ran last, in three queries however many they are."""
    found = list(instruments)
    names = [instrument.pk for instrument in found]
    watchers = {
        watcher.instrument_id: watcher
        for watcher in Watcher.objects.active().filter(instrument__in=names).defer("config_yaml")
    }
    last, titles = find_last_run_times(names), list_types()
    return [
        InstrumentRow(
            instrument,
            health_status(watchers[instrument.pk], at=at) if instrument.pk in watchers else "none",
            watchers.get(instrument.pk),
            titles.get(instrument.instrument_type, instrument.instrument_type),
            last.get(instrument.pk),
        )
        for instrument in found
    ]


def _choose_tab(query: QueryDict, counts: dict[str, int]) -> InstrumentStatus:
    """The one that is asked for; else what waits for somebody where nothing is active yet."""
    asked = query.get("status", "")
    if asked in InstrumentStatus.values:
        return InstrumentStatus(asked)
    waits = not counts.get(InstrumentStatus.ACTIVE) and counts.get(InstrumentStatus.PENDING)
    return InstrumentStatus.PENDING if waits else InstrumentStatus.ACTIVE


def _matches(row: InstrumentRow, query: QueryDict) -> bool:
    text, health = query.get("search", "").strip().casefold(), query.getlist("health")
    told = f"{row.instrument.pk} {row.instrument.display_name} {row.type_title}".casefold()
    return text in told and (not health or row.health in health)


def _read_sort(query: QueryDict) -> tuple[str, bool]:
    sort = query.get("sort", "")
    sort = sort if sort in SORT_DESCENDING_FIRST else "last"
    return sort, query.get("order", "desc" if SORT_DESCENDING_FIRST[sort] else "asc") == "desc"


def _sort_key(row: InstrumentRow, sort: str) -> Any:
    name = (row.instrument.display_name.casefold(), row.instrument.pk)
    if sort == "runs":
        return row.instrument.run_count, name
    if sort == "last":
        return row.last.timestamp() if row.last else 0.0, name
    return name
