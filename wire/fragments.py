"""Whether a page is asked for whole, or only the part that htmx swaps."""

from django.http import HttpRequest


def asks_for_fragment(request: HttpRequest) -> bool:
    """htmx says so in a header; a browser that goes back through its history asks for the whole page."""
    return request.headers.get("HX-Request") == "true" and "HX-History-Restore-Request" not in request.headers
