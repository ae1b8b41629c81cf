"""Where links to a run are made and ended, by whoever shares it and by admins."""

from uuid import UUID

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.authentication import caller_of_page
from dashboard.guard import page
from dashboard.notices import Notice, add_notice
from runs import access
from runs.addresses import run_address
from runs.lifecycle import RunIsDeleted, describe_run
from runs.sharing.links import choose_end, end_links, list_links, list_links_of, share_run
from runs.sharing.models import MAX_DAYS, USUAL_DAYS
from wire.clock import now
from wire.errors import ValidationError

MAX_SHOWN = 200


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@page(access.SHARE)
def share_page(request: HttpRequest, instrument_id: str, run_id: str) -> HttpResponse:
    """Of one run: those one has made, and a new one, whose address is shown once."""
    by, at = caller_of_page(request), now()
    run = describe_run(instrument=instrument_id, run_id=run_id, by=by)
    if request.method == "POST" and request.POST.get("do") == "end":
        return _end(request, back=f"{run_address(run)}/share")
    shown = {"run": run, "url": run_address(run), "at": at, "max_days": MAX_DAYS, "days": USUAL_DAYS}
    status = 200
    if request.method == "POST":
        days = request.POST.get("days", "")
        try:
            number = int(days) if days.isascii() and days.isdigit() and len(days) <= 4 else 0
            end = choose_end(days=number, at=at)
            new = share_run(instrument=instrument_id, run_id=run_id, expires_at=end, by=by, at=at)
            shown |= {"new": new.link, "address": f"{settings.PUBLIC_URL.rstrip('/')}{new.path}"}
        except (ValidationError, RunIsDeleted) as refused:
            told = (refused.details or {}).get("fields", {}).get("days")
            shown |= {"faults": told or [refused.message], "days": days}
            status = refused.status
    shown["links"] = list_links_of(instrument=instrument_id, run_id=run_id, by=by, at=at)[:MAX_SHOWN]
    return render(request, "sharing/share.html", shown, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
@page(access.SHARED_LINKS)
def link_list(request: HttpRequest) -> HttpResponse:
    """All open ones, for admins."""
    if request.method == "POST":
        return _end(request, back="/settings/shared-links")
    at = now()
    links = list(list_links(by=caller_of_page(request), at=at)[: MAX_SHOWN + 1])
    shown = {"links": links[:MAX_SHOWN], "are_more": len(links) > MAX_SHOWN, "at": at}
    return render(request, "sharing/list.html", shown)


def _end(request: HttpRequest, *, back: str) -> HttpResponse:
    ids = []
    for one in request.POST.getlist("link")[:MAX_SHOWN]:
        try:
            ids.append(UUID(one))
        except ValueError:
            raise ValidationError(fields={"link": ["This is no id of a link."]}) from None
    ended = end_links(ids, by=caller_of_page(request), at=now())
    add_notice(request, Notice("The link has ended." if ended else "It had ended already."))
    return HttpResponseRedirect(back)
