"""The short way to the plain answer is the way of the library."""

import pytest
from rest_framework.exceptions import NotAcceptable
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request
from rest_framework.test import APIRequestFactory

from wire.negotiation import JsonNegotiation

ACCEPTED = [
    None,
    "",
    "*/*",
    "application/json",
    "application/json; indent=4",
    "application/*",
    "text/csv",
    "text/csv, application/json;q=0.5",
    "text/html,application/xhtml+xml,*/*;q=0.8",
    "nonsense",
]


class CsvRenderer(BaseRenderer):
    media_type, format = "text/csv", "csv"


def choose(negotiation, accepted, offered, query):
    headers = {} if accepted is None else {"HTTP_ACCEPT": accepted}
    request = Request(APIRequestFactory().get(f"/{query}", **headers))
    try:
        return negotiation().select_renderer(request, offered)
    except NotAcceptable:
        return 406


@pytest.mark.parametrize("accepted", ACCEPTED)
@pytest.mark.parametrize("renderers", [[JSONRenderer], [JSONRenderer, CsvRenderer], [CsvRenderer]])
@pytest.mark.parametrize("query", ["", "?format=json"])
def test_the_same_is_chosen(accepted, renderers, query):
    offered = [renderer() for renderer in renderers]

    assert choose(JsonNegotiation, accepted, offered, query) == choose(
        DefaultContentNegotiation, accepted, offered, query
    )
