"""Calls to other services keep to their bounds, whatever the other side does."""

import socket

import pytest
import requests

from tests.outside import dripping, outside
from wire.outgoing import http_client as outgoing
from wire.outgoing.http_client import PublicAdapter, RefusedCall, address_fault, bounded_session


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
    other.answer("/long", b"x" * (outgoing.MAX_RESPONSE_BYTES + 1))

    with bounded_session() as session, pytest.raises(RefusedCall, match="too long"):
        session.get(f"{other.url}/long")


def test_an_answer_of_a_mebibyte_is(other):
    other.answer("/long", b"x" * outgoing.MAX_RESPONSE_BYTES)

    with bounded_session() as session:
        assert len(session.get(f"{other.url}/long").content) == outgoing.MAX_RESPONSE_BYTES


@pytest.mark.parametrize(
    "host",
    ["10.0.0.8", "192.168.1.1", "172.16.0.1", "100.64.0.1", "169.254.169.254", "127.0.0.1", "0.0.0.0", "224.0.0.1",
     "[::1]", "[::]", "[fe80::1]", "[fd00::1]", "[::ffff:127.0.0.1]", "[::ffff:169.254.169.254]", "[64:ff9b::a00:8]",
     "[2002:a00:8::]", "2130706433", "0x7f000001", "0177.0.0.1", "127.1", "localhost", "LOCALHOST",
     "[::127.0.0.1]", "[::ffff:0:127.0.0.1]", "[64:ff9b:1::7f00:1]", "[fec0::1]", "[3fff::1]", "[5f00::1]",
     "192.0.0.192", "192.88.99.1", "168.63.129.16"],
)  # fmt: skip
def test_what_is_not_public_is_not_called(settings, monkeypatch, host):
    settings.PRIVATE_HOSTS = []
    called = []
    monkeypatch.setattr("socket.create_connection", lambda *place, **options: called.append(place))

    with bounded_session() as session, pytest.raises(RefusedCall, match="private network"):
        session.get(f"https://{host}/")

    assert called == []


@pytest.mark.parametrize("named", ["127.0.0.1", "127.0.0.0/8", "10.0.0.0/8,127.0.0.1"])
def test_what_the_operator_named_is_called(other, settings, named):
    settings.PRIVATE_HOSTS = [*named.split(","), "127.0.0.1"]
    other.answer("/", {"here": True})

    with bounded_session() as session:
        assert session.get(f"{other.url}/").json() == {"here": True}


def test_what_the_operator_named_is_closed_to_addresses_of_strangers(other):
    with bounded_session(PublicAdapter) as session, pytest.raises(RefusedCall, match="private network"):
        session.get(f"{other.url}/")

    assert other.calls == []


def test_a_name_is_resolved_once_and_what_was_checked_is_called(monkeypatch):
    answers = [entry("198.35.26.96"), entry("127.0.0.1")]
    called = []
    monkeypatch.setattr("socket.getaddrinfo", lambda *asked, **options: [answers.pop(0)])
    monkeypatch.setattr("socket.create_connection", lambda place, **options: refuse(called, place))

    with bounded_session() as session, pytest.raises(requests.ConnectionError):
        session.get("https://rebinding.example/")

    assert (called, len(answers)) == ([("198.35.26.96", 443)], 1)


def test_a_name_with_one_private_address_among_others_is_not_called(monkeypatch, settings):
    settings.PRIVATE_HOSTS = []
    found = [entry("198.35.26.96"), entry("10.0.0.8")]
    monkeypatch.setattr("socket.getaddrinfo", lambda *asked, **options: found)

    with bounded_session() as session, pytest.raises(RefusedCall, match="private network"):
        session.get("https://mixed.example/")


def test_a_refused_call_is_a_security_event(settings, caplog):
    settings.PRIVATE_HOSTS = []

    with bounded_session() as session, pytest.raises(RefusedCall):
        session.get("https://169.254.169.254/latest/meta-data")

    assert [record.kind for record in caplog.records if record.name == "ids.security"] == ["call_refused"]


@pytest.mark.parametrize(
    ("scheme", "begins"),
    [
        ("http", b""),
        ("http", b"HTTP/1.1 200 OK\r\nX-Long: "),
        ("http", b"HTTP/1.1 200 OK\r\n\r\n"),
        ("http", b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"),
        ("http", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfff\r\n"),
        ("https", b"\x16\x03\x03\x40\x00"),
    ],
)
def test_a_service_that_drips_is_cut_off(monkeypatch, scheme, begins):
    """The bound is that of the whole call: each byte comes well within it, and there is no last one."""
    monkeypatch.setattr(outgoing.BoundedAdapter, "seconds", 0.6)

    with dripping(begins) as drip, bounded_session() as session, pytest.raises(requests.Timeout):
        session.get(f"{scheme}://127.0.0.1:{drip.port}/")


def test_the_calls_of_a_conversation_end_together(monkeypatch):
    with dripping() as drip, bounded_session() as session, outgoing.conversation(0.3):
        for _ in range(3):
            with pytest.raises(requests.Timeout):
                session.get(f"http://127.0.0.1:{drip.port}/")


def test_an_answer_that_was_compressed_unasked_is_not_unpacked(other):
    other.answer("/packed", b"x" * 100, Content_Encoding="gzip")

    with bounded_session() as session, pytest.raises(RefusedCall, match="compressed"):
        session.get(f"{other.url}/packed")

    assert other.calls[0].headers["Accept-Encoding"] == "identity"


def entry(address):
    """As `getaddrinfo` tells of one."""
    return (socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 443))


def refuse(called, place):
    called.append(place)
    raise ConnectionRefusedError
