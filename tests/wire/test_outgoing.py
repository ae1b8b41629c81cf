"""Calls to other services keep to their bounds, whatever the other side does."""

import pytest
import requests

from tests.outside import outside
from wire import outgoing
from wire.outgoing import RefusedCall, address_fault, bounded_session


@pytest.fixture
def other():
    with outside() as played:
        yield played


@pytest.mark.parametrize(
    "address",
    ["http://tracker.example", "http://10.0.0.8/api", "ftp://tracker.example", "file:///etc/passwd", "//tracker.io",
     "https://user:word@tracker.example", "https://tracker.example?key=1", "https://tracker.example#x", "https://",
     "https://träcker.example", "https://tracker.example:port", "http://127.0.0.1.nip.example", "http://localhost@evil"],
)  # fmt: skip
def test_an_address_is_https_and_nothing_but_an_address(address):
    assert address_fault(address)


@pytest.mark.parametrize("address", ["https://tracker.example/api/", "http://127.0.0.1:9", "http://localhost/x"])
def test_https_and_this_machine_are_called(address):
    assert address_fault(address) is None


@pytest.mark.parametrize("target", ["http://169.254.169.254/latest/meta-data", "https://other.example/", "/elsewhere"])
def test_a_redirect_is_not_followed(other, target):
    other.answer("/begin", {}, status=302, Location=target)
    other.answer("/elsewhere", {})

    with bounded_session() as session, pytest.raises(requests.TooManyRedirects):
        session.get(f"{other.url}/begin")

    assert [call.path for call in other.calls] == ["/begin"]


def test_plain_http_to_another_machine_is_not_even_tried():
    with bounded_session() as session, pytest.raises(RefusedCall):
        session.get("http://192.0.2.1/")


def test_an_answer_over_a_mebibyte_is_not_read(other):
    other.answer("/long", b"x" * (outgoing.MOST_BYTES + 1))

    with bounded_session() as session, pytest.raises(RefusedCall, match="too long"):
        session.get(f"{other.url}/long")


def test_an_answer_of_a_mebibyte_is(other):
    other.answer("/long", b"x" * outgoing.MOST_BYTES)

    with bounded_session() as session:
        assert len(session.get(f"{other.url}/long").content) == outgoing.MOST_BYTES


def test_nobody_waits_longer_than_the_bound_whatever_the_caller_says(other, monkeypatch):
    said = []
    monkeypatch.setattr("requests.adapters.HTTPAdapter.send", lambda self, request, **said_of: said.append(said_of))

    with bounded_session() as session, pytest.raises(AttributeError):
        session.get(f"{other.url}/slow", timeout=600)

    assert said[0]["timeout"] == 5
