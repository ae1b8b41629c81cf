"""Settings: who uses how much of the store, and when it is full."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from dashboard.guard import page
from overview import access
from overview.space import read_space
from wire.clock import now

MAX_LINES = 50  # of one table


@require_safe
@page(access.STORE)
def space_page(request: HttpRequest) -> HttpResponse:
    """As counted within the last hour."""
    report = read_space(at=now())
    if report is None:
        return render(request, "settings/space.html", {"report": None})
    tables = [
        ("Kind", report.kinds),
        ("Instrument", report.instruments[:MAX_LINES]),
        ("Group", report.groups[:MAX_LINES]),
        ("Project", report.projects[:MAX_LINES]),
        ("Year of the run", report.years[:MAX_LINES]),
        ("Media type", report.media_types[:MAX_LINES]),
        ("Week in which it came", report.weeks if any(week.size_bytes for week in report.weeks) else []),
    ]
    return render(request, "settings/space.html", {"report": report, "tables": tables})
