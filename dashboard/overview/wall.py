"""/wall: the fleet and today's runs on a screen in the laboratory, refreshed for ever."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.timezone import localtime
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts.authentication import caller_of_page
from dashboard.guard import page
from overview import access
from overview.home import list_latest_runs
from overview.wall import read_wall
from wire.clock import now


@never_cache
@require_safe
@page(access.HOME)
def wall_page(request: HttpRequest) -> HttpResponse:
    """Without names of people: whoever passes by reads it."""
    by, at = caller_of_page(request), now()
    shown = {
        "at": at,
        "today": localtime(at),
        "until_now": f":{localtime(at).hour + 1}",
        "wall": read_wall(by=by, at=at),
        "latest": [(run, run.status_at(at)) for run in list_latest_runs(by=by)],
    }
    return render(request, "overview/wall.html", shown)
