"""The page of one instrument: its health, how busy it is, what its watcher looks for, and its runs."""

from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.authentication import caller_of_page
from accounts.guard import page
from instruments import access
from instruments.catalogue import InstrumentMissing, list_instruments, time_zones
from instruments.instrument_types import list_types
from instruments.pages.lists import rows_of
from notifications.models import Follow
from overview.history import read_instrument_history
from overview.telling import tell
from runs.activity import count_by_day
from runs.pages.filters import canonical, says_otherwise
from runs.pages.lists import answer, found_runs
from wire.clock import now
from wire.fragments import asks_for_fragment
from wire.pagination import Window

MONTH = 30
LATEST = Window(per_page=5)


@require_safe
@page(access.READ)
def instrument_page(request: HttpRequest, instrument_id: str) -> HttpResponse:
    """One instrument; the filters of its runs are those of /runs."""
    by, at, query = caller_of_page(request), now(), canonical(request.GET)
    if not asks_for_fragment(request) and says_otherwise(request.GET, query):
        return HttpResponseRedirect(f"{request.path}?{query.urlencode()}".removesuffix("?"))
    rows = rows_of(list_instruments(by=by).filter(pk=instrument_id), at=at)
    if not rows:
        raise InstrumentMissing
    shown: dict[str, Any] = found_runs(query, url=request.path, instrument=instrument_id, by=by, at=at)
    if not asks_for_fragment(request):
        days = count_by_day([instrument_id], days=MONTH, at=at).get(instrument_id, [0] * MONTH)
        shown |= {
            "row": rows[0],
            "instrument": rows[0].instrument,
            "days": days,
            "month": sum(days),
            "story": [tell(change) for change in read_instrument_history(instrument_id, window=LATEST, by=by).rows],
            "follows": Follow.objects.filter(user=by.user, instrument=instrument_id).exists(),
        }
    return answer(request, query, "instruments/detail.html", shown)


@require_safe
@page(access.CHANGE)
def edit_page(request: HttpRequest, instrument_id: str) -> HttpResponse:
    """The form that changes what an instrument is called and how its files are read."""
    instrument = list_instruments(by=caller_of_page(request)).filter(pk=instrument_id).first()
    if instrument is None:
        raise InstrumentMissing
    shown = {"instrument": instrument, "types": list_types(), "zones": sorted(time_zones())}
    return render(request, "instruments/edit.html", shown)
