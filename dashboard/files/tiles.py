"""A stack of planes on a page: what its viewer loads, and the tiles it asks for."""

import hashlib
from dataclasses import dataclass

from django.contrib.staticfiles import finders
from django.http import HttpRequest, HttpResponse
from django.templatetags.static import static
from django.views.decorators.http import require_safe

from accounts.authentication import caller_of_page
from dashboard.guard import page
from files import access
from files.drawing.stack import StackView
from files.tiles import read_tile

LIBRARY = "openseadragon/openseadragon.min.js"  # from npm: ./ids installs it
FOR_EVER = "private, max-age=31536000, immutable"  # the address names the bytes: other ones get another key


@dataclass(frozen=True)
class StackOnPage:
    """What is drawn, and where its tiles and the library that shows them are; without it the picture stays."""

    stack: StackView
    address: str
    library: str


def put_on_page(stack: StackView) -> StackOnPage:
    key = hashlib.sha256((stack.tiles.storage_key or "").encode()).hexdigest()[:12]
    library = static(LIBRARY) if finders.find(LIBRARY) else ""
    return StackOnPage(stack, f"/files/{stack.tiles.pk}/tiles/{key}", library)


@require_safe
@page(access.READ)
def tile(request: HttpRequest, file_id: int, key: str, start: int, length: int) -> HttpResponse:
    """A bounded piece of the file of tiles; `key` only tells one version of the file from another."""
    data = read_tile(file_id, start=start, length=length, by=caller_of_page(request))
    headers = {"Cache-Control": FOR_EVER, "X-Content-Type-Options": "nosniff"}
    return HttpResponse(data, content_type="application/octet-stream", headers=headers)
