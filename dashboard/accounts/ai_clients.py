"""The AI clients that act for somebody."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.access import CONNECTIONS
from accounts.authentication import caller_of_page
from accounts.oauth.connections import MCP_PATHS, disconnect_client, list_connections
from dashboard.guard import page
from wire.clock import now


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@page(CONNECTIONS)
def ai_clients(request: HttpRequest) -> HttpResponse:
    """The AI clients that act for the person who looks; each can be disconnected."""
    by = caller_of_page(request)
    if request.method == "POST":
        disconnect_client(request.POST.get("client_id", ""), by=by)
        return redirect(request.path)
    endpoint = settings.PUBLIC_URL + MCP_PATHS[0]
    context = {"connections": list_connections(by=by), "endpoint": endpoint, "at": now()}
    return render(request, "accounts/ai_clients.html", context)
