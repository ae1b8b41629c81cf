"""How a page's script reaches the object store: where it sends bytes, and what the content policy allows for that."""

from functools import wraps
from urllib.parse import urlsplit

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from dashboard.guard import Page
from files.media_types import OCTET_STREAM
from files.storage import object_store
from files.storage.local import LocalStore


def sends_to_store(view: Page) -> Page:
    """A page whose script may send to the store, where that has an address of its own."""

    @wraps(view)
    def allowed(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
        response = view(request, *args, **kwargs)
        if origin := find_store_origin():
            response._csp_update = {"connect-src": [origin]}  # type: ignore[attr-defined]  # as django-csp reads it
        return response

    return allowed


def find_store_origin() -> str:
    """Scheme and host of the URLs that the store signs; empty where the service itself is the store."""
    store = object_store()
    if isinstance(store, LocalStore):
        return ""
    parts = urlsplit(store.presign_put("origin", size_bytes=0, content_type=OCTET_STREAM, crc32=None).url)
    return f"{parts.scheme}://{parts.netloc}"


def address_for_browser(url: str | None) -> str | None:
    """The local store answers under every name of the service: without a host its URLs are of the page's origin."""
    if url is None or not isinstance(object_store(), LocalStore):
        return url
    return urlsplit(url)._replace(scheme="", netloc="").geturl()
