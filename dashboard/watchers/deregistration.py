"""Deregistering watchers: asked once more, because an agent has to be set up again afterwards."""

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.views.decorators.http import require_POST

from accounts.authentication import caller_of_page
from dashboard.guard import page
from dashboard.notices import Notice, add_notice
from dashboard.parameters import read_ids
from watchers import access
from watchers.fleet import list_watchers
from watchers.registration import deregister_watcher
from wire.clock import now


@require_POST
@page(access.DEREGISTER)
def deregister_selected(request: HttpRequest) -> HttpResponse:
    """The first time it asks, with the names; with `sure` it is done."""
    by = caller_of_page(request)
    chosen = list_watchers(by=by).filter(pk__in=read_ids(request.POST.getlist("watcher"), of="watchers"))
    watchers = list(chosen)
    if "sure" not in request.POST and watchers:
        return render(request, "watchers/deregister.html", {"watchers": watchers})
    for watcher in watchers:
        deregister_watcher(watcher.pk, by=by, at=now())
    done = f"{len(watchers)} watcher{'' if len(watchers) == 1 else 's'} deregistered."
    add_notice(request, Notice(done if watchers else "No watcher was selected.", is_bad=not watchers))
    return HttpResponseRedirect("/watchers")
