"""The list of instruments: by status, with their health and how busy they are."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, QuerySet
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.authentication import caller_of_page
from accounts.guard import page
from instruments import access
from instruments.catalogue import list_instruments
from instruments.instrument_types import list_types
from instruments.models import Instrument, InstrumentStatus
from runs.activity import count_by_day, last_runs
from watchers.models import Watcher
from watchers.status import health_of
from wire.clock import now
from wire.fragments import asks_for_fragment
from wire.pagination import Page, Window

DAYS, PER_PAGE = 14, 50
QUIET = (0,) * DAYS
TABS = (InstrumentStatus.ACTIVE, InstrumentStatus.PENDING, InstrumentStatus.INACTIVE)
HEALTH = ("online", "offline", "stopped", "registered", "none")
SORTS = {"name": False, "runs": True, "last": True}  # and whether each begins with the largest


@dataclass(frozen=True)
class Row:
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
    tab, (sort, descending) = _tab(query, counts), _sort(query)
    fitting = [row for row in rows_of(list_instruments(status=tab, by=by), at=at) if _fits(row, query)]
    fitting.sort(key=lambda row: _key(row, sort), reverse=descending)
    window = _window(query)
    rows = fitting[window.start : window.stop]
    busy = count_by_day([row.instrument.pk for row in rows], days=DAYS, at=at)
    shown = {
        "at": at,
        "url": request.path,
        "query": query,
        "tab": tab,
        "tabs": [(status, counts.get(status, 0)) for status in TABS],
        "page": Page([(row, busy.get(row.instrument.pk, QUIET)) for row in rows], window, len(fitting)),
        "sort": {"by": sort, "descending": descending},
        "health": HEALTH,
        "chosen": query.getlist("health"),
        "here": request.get_full_path(),
    }
    return render(request, "instruments/_table.html" if asks_for_fragment(request) else "instruments/list.html", shown)


def rows_of(instruments: QuerySet[Instrument], *, at: datetime) -> list[Row]:
    """With what their watchers say and when each ran last, in three queries however many they are."""
    found = list(instruments)
    names = [instrument.pk for instrument in found]
    watchers = {
        watcher.instrument_id: watcher
        for watcher in Watcher.objects.active().filter(instrument__in=names).defer("config_yaml")
    }
    last, titles = last_runs(names), list_types()
    return [
        Row(
            instrument,
            health_of(watchers[instrument.pk], at=at) if instrument.pk in watchers else "none",
            watchers.get(instrument.pk),
            titles.get(instrument.instrument_type, instrument.instrument_type),
            last.get(instrument.pk),
        )
        for instrument in found
    ]


def _window(query: QueryDict) -> Window:
    asked = query.get("page", "")
    is_number = asked.isascii() and asked.isdigit() and len(asked) <= 6
    return Window(page=max(1, int(asked)) if is_number else 1, per_page=PER_PAGE)


def _tab(query: QueryDict, counts: dict[str, int]) -> InstrumentStatus:
    """The one that is asked for; else what waits for somebody where nothing is active yet."""
    asked = query.get("status", "")
    if asked in InstrumentStatus.values:
        return InstrumentStatus(asked)
    waits = not counts.get(InstrumentStatus.ACTIVE) and counts.get(InstrumentStatus.PENDING)
    return InstrumentStatus.PENDING if waits else InstrumentStatus.ACTIVE


def _fits(row: Row, query: QueryDict) -> bool:
    text, health = query.get("search", "").strip().casefold(), query.getlist("health")
    told = f"{row.instrument.pk} {row.instrument.display_name} {row.type_title}".casefold()
    return text in told and (not health or row.health in health)


def _sort(query: QueryDict) -> tuple[str, bool]:
    sort = query.get("sort", "")
    sort = sort if sort in SORTS else "last"
    return sort, query.get("order", "desc" if SORTS[sort] else "asc") == "desc"


def _key(row: Row, sort: str) -> Any:
    name = (row.instrument.display_name.casefold(), row.instrument.pk)
    if sort == "runs":
        return row.instrument.run_count, name
    if sort == "last":
        return row.last.timestamp() if row.last else 0.0, name
    return name
