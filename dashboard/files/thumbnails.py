"""The small pictures of the run list."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from accounts.authentication import caller_of_page
from dashboard.guard import page
from files import access
from files.thumbnails.keeping import find_thumbnail

FOR_EVER = "private, max-age=31536000, immutable"  # the address names the bytes: other ones have another
POLICY = "default-src 'none'; sandbox"


@require_safe
@page(access.READ)
def thumbnail(request: HttpRequest, instrument_id: str, run_id: str, key: str) -> HttpResponse:
    """What a run looks like. Under the key of an earlier picture the present one is shown, and not kept."""
    found = find_thumbnail(instrument=instrument_id, run_id=run_id, by=caller_of_page(request))
    headers = {
        "Cache-Control": FOR_EVER if key == found.digest else "private, no-cache",
        "Content-Security-Policy": POLICY,
        "X-Content-Type-Options": "nosniff",
    }
    return HttpResponse(bytes(found.data), content_type=found.content_type, headers=headers)
