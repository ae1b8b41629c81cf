"""The page of one instrument: its health, how busy it is, what its watcher looks for, and its runs."""

from collections.abc import Mapping
from typing import Any
from zoneinfo import ZoneInfo

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.authentication import caller_of_page
from dashboard.fragments import is_fragment_request
from dashboard.guard import page
from dashboard.instruments.lists import build_instrument_rows
from dashboard.runs.filters import canonicalize_query, needs_redirect
from dashboard.runs.lists import build_run_list_context, redirect_to_view, render_run_list
from dashboard.runs.saved_views import find_default_address
from dashboard.store_access import sends_to_store
from instruments import access
from instruments.catalogue import InstrumentMissing, check_rule_over, list_instruments
from instruments.groups.catalogue import list_groups_of
from instruments.instrument_types import list_types
from instruments.models import Instrument
from notifications.models import Follow
from overview.change_sentences import describe_change
from overview.history import read_instrument_history
from runs.activity import count_runs_by_day
from wire.clock import now
from wire.lists.pagination import Window
from wire.time_zones import known_time_zones
from wire.versions import version_of

DAYS_SHOWN = 30
FORM_FIELDS = ("display_name", "instrument_type", "time_zone", "expect_files_every_hours", "visibility")
LATEST_CHANGES_WINDOW = Window(per_page=5)


@require_safe
@page(access.READ)
@sends_to_store
def instrument_page(request: HttpRequest, instrument_id: str) -> HttpResponse:
    """One instrument; the filters of its runs are those of /runs."""
    by, at, query = caller_of_page(request), now(), canonicalize_query(request.GET)
    if not is_fragment_request(request) and needs_redirect(request.GET, query):
        return redirect_to_view(request, query)
    if not request.GET and not is_fragment_request(request):
        address = find_default_address(instrument_id, by=by)
        if address:
            return HttpResponseRedirect(address)
    rows = build_instrument_rows(list_instruments(by=by).filter(pk=instrument_id), at=at)
    if not rows:
        raise InstrumentMissing
    shown: dict[str, Any] = build_run_list_context(query, url=request.path, instrument=instrument_id, by=by, at=at)
    if not is_fragment_request(request):
        days = count_runs_by_day([instrument_id], days=DAYS_SHOWN, at=at).get(instrument_id, [0] * DAYS_SHOWN)
        shown |= {
            "row": rows[0],
            "instrument": rows[0].instrument,
            "may_change": by.rules(instrument_id),
            "days": days,
            "month": sum(days),
            "story": [
                describe_change(change, zone=ZoneInfo(rows[0].instrument.time_zone))
                for change in read_instrument_history(instrument_id, window=LATEST_CHANGES_WINDOW, by=by).rows
            ],
            "follows": Follow.objects.visible_to(by).filter(instrument=instrument_id).exists(),
        }
    return render_run_list(request, query, "instruments/detail.html", shown)


@require_safe
@page(access.CHANGE)
def edit_instrument_page(request: HttpRequest, instrument_id: str) -> HttpResponse:
    """The form that changes what an instrument is called and how its files are read."""
    by = caller_of_page(request)
    instrument = list_instruments(by=by).filter(pk=instrument_id).first()
    if instrument is None:
        raise InstrumentMissing
    check_rule_over(instrument_id, by=by)
    return render_edit_form(request, instrument, {name: getattr(instrument, name) for name in FORM_FIELDS})


def render_edit_form(
    request: HttpRequest,
    instrument: Instrument,
    given: Mapping[str, Any],
    *,
    faults: Any = None,
    is_outdated: bool = False,
) -> HttpResponse:
    """The form as it was given; with what was refused, by field, it is 400, and 412 where another one was saved."""
    shown = {
        "instrument": instrument,
        "given": given,
        "faults": faults or {},
        "is_outdated": is_outdated,
        "version": given.get("version") or version_of(*instrument.changeable_values),
        "types": list_types(),
        "zones": sorted(known_time_zones()),
        "groups": list_groups_of(instrument),
    }
    status = 412 if is_outdated else 400 if faults else 200
    return render(request, "instruments/edit.html", shown, status=status)
