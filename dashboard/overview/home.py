"""The first page, and the search over everything."""

from datetime import datetime

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.timezone import localtime
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts.authentication import caller_of_page
from accounts.tour import is_tour_offered
from dashboard.fragments import is_fragment_request
from dashboard.guard import page
from dashboard.overview.search_hits import read_hits
from dashboard.watchers.programs import list_programs
from overview import access
from overview.attention import find_attention
from overview.backups import find_last_backup, is_overdue
from overview.daily_counts import read_fortnight
from overview.first_steps import read_first_steps
from overview.home import list_latest_comments, list_latest_runs
from wire.clock import now


@never_cache
@require_safe
@page(access.HOME)
def home_page(request: HttpRequest) -> HttpResponse:
    by, at = caller_of_page(request), now()
    latest = list(list_latest_runs(by=by))
    if not latest:
        steps = read_first_steps(by=by)
        server = settings.PUBLIC_URL
        first = {
            "at": at,
            "steps": steps,
            "states": steps.states,
            "server": server,
            "api": f"{server}/api/v1",
            "programs": list_programs(request),
        }
        return render(request, "overview/first_run.html", first)
    shown = {
        "at": at,
        "today": localtime(at),
        "fortnight": read_fortnight(by=by, at=at),
        "attention": find_attention(by=by, at=at),
        "latest": [(run, run.status_at(at)) for run in latest],
        "comments": list_latest_comments(by=by),
        "offers_tour": by.user is not None and is_tour_offered(by.user, at=at),
        **(_describe_backup(at) if by.is_admin else {}),
    }
    return render(request, "overview/home.html", shown)


def _describe_backup(at: datetime) -> dict[str, object]:
    last = find_last_backup()
    return {"shows_backup": True, "backup": last, "backup_is_overdue": is_overdue(last, at=at)}


@never_cache
@require_safe
@page(access.SEARCH)
def search_page(request: HttpRequest) -> HttpResponse:
    """/search?q=…&scope=…: a page of its own, or for the palette only the hits."""
    shown = read_hits(
        request.GET.get("q", ""), scope=request.GET.get("scope", ""), by=caller_of_page(request), at=now()
    )
    return render(
        request, "overview/_palette_hits.html" if is_fragment_request(request) else "overview/search.html", shown
    )
