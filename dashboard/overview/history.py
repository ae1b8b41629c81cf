"""The whole history of a run or of an instrument, page by page."""

from typing import Any
from zoneinfo import ZoneInfo

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts.authentication import caller_of_page
from accounts.trail.exports import list_detached_months
from dashboard.guard import page
from instruments.catalogue import find_instrument
from overview import access
from overview.change_sentences import describe_change
from overview.history import Change, read_instrument_history, read_run_history
from runs.addresses import path_of_run
from runs.lifecycle import find_run
from wire.clock import now
from wire.lists.pagination import Page, read_window

PER_PAGE = 50


@never_cache
@require_safe
@page(access.RUN_HISTORY)
def run_history(request: HttpRequest, instrument_id: str, run_id: str) -> HttpResponse:
    by, window = caller_of_page(request), read_window(request.GET, per_page=PER_PAGE)
    run = find_run(instrument=instrument_id, run_id=run_id, by=by)
    found = read_run_history(instrument=instrument_id, run_id=run_id, window=window, by=by)
    place = path_of_run(instrument_id, run_id)
    return _render_history(
        request,
        found,
        {
            "name": run.run_id,
            "place": place,
            "zone": run.instrument.time_zone,
            "is_run": True,
            "detached": list_detached_months(),
        },
    )


@never_cache
@require_safe
@page(access.INSTRUMENT_HISTORY)
def instrument_history(request: HttpRequest, instrument_id: str) -> HttpResponse:
    by, window = caller_of_page(request), read_window(request.GET, per_page=PER_PAGE)
    instrument = find_instrument(instrument_id, by=by)
    found = read_instrument_history(instrument_id, window=window, by=by)
    place = f"/instruments/{instrument_id}"
    return _render_history(
        request, found, {"name": instrument.display_name, "place": place, "zone": instrument.time_zone}
    )


def _render_history(request: HttpRequest, found: Page[Change], about: dict[str, Any]) -> HttpResponse:
    lines = [describe_change(change, zone=ZoneInfo(about["zone"])) for change in found.rows]
    shown = {"page": found, "lines": lines, "query": request.GET, "url": request.path, "at": now()}
    return render(request, "overview/history.html", shown | about)
