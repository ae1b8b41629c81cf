"""Settings: whether stored bytes are still what they were, and how far the trail is sealed."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.trail.verification import list_heads
from dashboard.guard import page
from files.integrity.findings import list_findings, read_integrity
from files.storage import replica_store
from overview import access
from wire.clock import now


@require_safe
@page(access.STORE)
def integrity_page(request: HttpRequest) -> HttpResponse:
    """How far reading stored bytes again has come, what it found, and where the seals of the trail end."""
    at, has_replica, heads = now(), replica_store() is not None, list_heads()
    shown = {
        "at": at,
        "state": read_integrity(at=at),
        "findings": list_findings(),
        "has_replica": has_replica,
        "heads": "\n".join(head.to_json() for head in heads),
        "sealed_on": max((head.day for head in heads), default=None),
    }
    return render(request, "settings/integrity.html", shown)
