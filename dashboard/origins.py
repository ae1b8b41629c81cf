"""Which of our pages a request was sent from, and to which its answer leads back."""

from urllib.parse import urlsplit

from django.http import HttpRequest
from django.utils.http import url_has_allowed_host_and_scheme


def page_before(request: HttpRequest) -> str:
    """Its path and query, or an empty text: htmx names the page in a header, a form's browser as the referrer."""
    url = request.headers.get("HX-Current-URL") or request.META.get("HTTP_REFERER", "")
    if not url_has_allowed_host_and_scheme(url, allowed_hosts={request.get_host()}):
        return ""
    parts = urlsplit(url)
    path = parts._replace(scheme="", netloc="", fragment="").geturl()
    return path if path.startswith("/") and not path.startswith("//") else ""


def read_return_address(request: HttpRequest, *, otherwise: str = "/runs") -> str:
    """The page the form stood on; never another host."""
    wanted = request.POST.get("next", "")
    return (
        wanted if wanted.startswith("/") and url_has_allowed_host_and_scheme(wanted, allowed_hosts=None) else otherwise
    )
