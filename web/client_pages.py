"""/client/: the Python client as people install it, and as pip finds it (--find-links)."""

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from web.client_wheel import build_wheel


@require_safe
def client_page(request: HttpRequest) -> HttpResponse:
    """Open to everybody: pip has no session, and the sources are public."""
    shown = {"wheel": build_wheel(), "server": settings.PUBLIC_URL, "is_plain": settings.PUBLIC_URL.startswith("http:")}
    return render(request, "api/client.html", shown)


@require_safe
def download_wheel(request: HttpRequest, filename: str) -> HttpResponse:
    wheel = build_wheel()
    if filename != wheel.filename:
        raise Http404
    answer = HttpResponse(wheel.data, content_type="application/zip")
    answer["Content-Disposition"] = f'attachment; filename="{wheel.filename}"'
    answer["ETag"] = f'"{wheel.sha256}"'
    return answer
