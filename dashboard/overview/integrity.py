"""Settings: whether stored bytes are still what they were."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from dashboard.guard import page
from files.integrity.findings import list_findings, read_integrity
from files.storage import replica_store
from overview import access
from wire.clock import now


@require_safe
@page(access.STORE)
def integrity_page(request: HttpRequest) -> HttpResponse:
    """How far reading stored bytes again has come, and what it found."""
    at, has_replica = now(), replica_store() is not None
    shown = {"at": at, "state": read_integrity(at=at), "findings": list_findings(), "has_replica": has_replica}
    return render(request, "settings/integrity.html", shown)
