"""Settling which of two installations a watcher is."""

from uuid import UUID

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.views.decorators.http import require_POST

from accounts.authentication import caller_of_page
from dashboard.guard import page
from dashboard.notices import Notice, add_notice
from watchers import access
from watchers.instances import settle_instance
from watchers.serializers import InstanceSerializer
from wire.clock import now
from wire.inputs import read_body


@require_POST
@page(access.SETTLE_INSTANCE)
def settle_watcher_instance(request: HttpRequest, watcher_id: UUID) -> HttpResponse:
    asked = read_body(InstanceSerializer, request.POST.dict())
    settle_instance(watcher_id, **asked, by=caller_of_page(request), at=now())
    add_notice(request, Notice("Settled. Heartbeats of the other computer are refused."))
    return HttpResponseRedirect(f"/watchers/{watcher_id}")
