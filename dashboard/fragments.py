"""Whether a page is asked for whole, or only the part that htmx swaps, and the address that it has then."""

from collections.abc import Collection
from urllib.parse import unquote, urlsplit

from django.http import HttpRequest, HttpResponse, QueryDict


def is_fragment_request(request: HttpRequest) -> bool:
    """htmx says so in a header; a browser that goes back through its history asks for the whole page."""
    return request.headers.get("HX-Request") == "true" and "HX-History-Restore-Request" not in request.headers


def build_address(request: HttpRequest, path: str, *, own: Collection[str]) -> str:
    """The page at `path` with a fragment's own parameters as asked for; those of its other fragments stay."""
    shown = urlsplit(request.headers.get("HX-Current-URL", ""))
    query = QueryDict(shown.query if unquote(shown.path) == unquote(path) else "", mutable=True)
    for name in own:
        query.pop(name, None)
        if said := [value for value in request.GET.getlist(name) if value]:
            query.setlist(name, said)
    return f"{path}?{query.urlencode()}".removesuffix("?")


def push_address(response: HttpResponse, request: HttpRequest, address: str, *, header: str = "HX-Push-Url") -> None:
    """Tell the browser the address of what it shows now; no second entry in its history for the same one."""
    shown = urlsplit(request.headers.get("HX-Current-URL", ""))
    if f"{shown.path}?{shown.query}".removesuffix("?") != address:
        response[header] = address
