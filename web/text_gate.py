"""What no query of the database can hold, NUL and lone surrogates, is refused before any form sees it.

No keyboard types those. Other control characters come with what people paste: of them the fields themselves speak,
beside what was typed. Under /api they speak of all.
"""

from collections.abc import Callable, Iterator

from django.http import HttpRequest, HttpResponse

from web.refusal_pages import render_refusal
from wire.error_responses import is_api_request
from wire.errors import NotFound, ValidationError
from wire.input_gate import CONTROL_CHARACTERS, find_storage_fault

Handler = Callable[[HttpRequest], HttpResponse]


class TextGate:
    """Addresses, cookies, queries and forms hold text that can be stored."""

    def __init__(self, handler: Handler) -> None:
        self.handler = handler

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if CONTROL_CHARACTERS.search(request.path_info) or find_storage_fault([request.path_info]):
            return render_refusal(request, NotFound("There is nothing at this address."))
        if fault := find_storage_fault(list_texts(request)):
            return render_refusal(request, ValidationError(fault))
        return self.handler(request)


def list_texts(request: HttpRequest) -> Iterator[str]:
    """The values of cookies, and outside /api the names and values of the query and of a form."""
    yield from request.COOKIES.values()
    if is_api_request(request):
        return
    for sent in (request.GET, request.POST) if request.method == "POST" else (request.GET,):
        for name, values in sent.lists():
            yield name
            yield from values
