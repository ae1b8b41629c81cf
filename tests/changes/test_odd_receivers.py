"""Receivers that break off, drip or say too much: each call ends in an answer that can be written down."""

import gzip
import socket
import ssl
import struct
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from changes.webhooks import receivers
from changes.webhooks.receivers import post_message
from tests.outside import listening, outside

HEAD = b"HTTP/1.1 200 OK\r\n"


@contextmanager
def receiver(answer: Callable[[socket.socket], None]) -> Iterator[str]:
    """One that answers each connection so, on this machine."""

    def hear_and_answer(connection: socket.socket) -> None:
        connection.recv(65536)
        answer(connection)

    with listening(hear_and_answer) as port:
        yield f"http://127.0.0.1:{port}/"


def reset(connection: socket.socket) -> None:
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def break_off(connection: socket.socket) -> None:
    connection.sendall(HEAD + b"Content-Length: 1000\r\n\r\nhalf")


def reset_in_the_body(connection: socket.socket) -> None:
    break_off(connection)
    time.sleep(0.2)
    reset(connection)


def reset_in_a_chunk(connection: socket.socket) -> None:
    connection.sendall(HEAD + b"Transfer-Encoding: chunked\r\n\r\n3e8\r\nhalf")


def send_no_chunk(connection: socket.socket) -> None:
    connection.sendall(HEAD + b"Transfer-Encoding: chunked\r\n\r\nno length\r\nhalf")


def send_no_http(connection: socket.socket) -> None:
    connection.sendall(b"\x00\xff not HTTP\r\n\r\n")


def send_bad_length(connection: socket.socket) -> None:
    connection.sendall(HEAD + b"Content-Length: -7\r\n\r\nhalf")


def send_many_headers(connection: socket.socket) -> None:
    connection.sendall(HEAD + b"X: y\r\n" * 1000 + b"\r\n")


def drip_in_the_body(connection: socket.socket) -> None:
    connection.sendall(HEAD + b"Content-Length: 1000\r\n\r\n")
    while True:
        connection.sendall(b"x")
        time.sleep(0.1)


def drip_in_the_head(connection: socket.socket) -> None:
    connection.sendall(HEAD)
    while True:
        connection.sendall(b"X: y\r\n")
        time.sleep(0.1)


def send_a_gigabyte(connection: socket.socket) -> None:
    connection.sendall(HEAD + b"Content-Length: 1073741824\r\n\r\n")
    for _ in range(1024):
        connection.sendall(bytes(1 << 20))


def send_without_end(connection: socket.socket) -> None:
    connection.sendall(HEAD + b"Transfer-Encoding: chunked\r\n\r\n")
    while True:
        connection.sendall(b"10000\r\n" + bytes(0x10000) + b"\r\n")


def send_what_unpacks_to_a_gigabyte(connection: socket.socket) -> None:
    packed = gzip.compress(gzip.compress(bytes(1 << 24)))
    connection.sendall(HEAD + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(packed) + packed)


def go_on_before_the_answer(connection: socket.socket) -> None:
    while True:
        connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")


def say_nothing(connection: socket.socket) -> None:
    connection.recv(1)
    time.sleep(30)


ODD = (
    *(reset, break_off, reset_in_the_body, reset_in_a_chunk, send_no_chunk, send_no_http, send_bad_length),
    *(send_a_gigabyte, send_without_end, send_what_unpacks_to_a_gigabyte, go_on_before_the_answer),
    *(send_many_headers, drip_in_the_body, drip_in_the_head, say_nothing),
)


@pytest.mark.parametrize("answer", ODD)
def test_every_call_ends_in_time_and_in_an_answer(answer, monkeypatch):
    monkeypatch.setattr(receivers.ReceiverAdapter, "seconds", 1.0)
    began = time.monotonic()

    with receiver(answer) as url:
        told = post_message(url, b"{}", headers={})

    assert time.monotonic() - began < 30
    assert told.error or told.http_status is not None


@pytest.mark.parametrize("answer", [break_off, reset_in_the_body, reset_in_a_chunk, send_no_chunk])
def test_who_said_200_has_the_message_whatever_becomes_of_the_rest(answer):
    with receiver(answer) as url:
        told = post_message(url, b"{}", headers={})

    assert (told.http_status, told.is_success) == (200, True)


@pytest.mark.parametrize("answer", [send_a_gigabyte, send_without_end, send_what_unpacks_to_a_gigabyte])
def test_of_an_answer_without_end_a_kibibyte_is_read(answer):
    sent = []

    def count(connection: socket.socket) -> None:
        whole = connection.sendall
        counting = SimpleNamespace(sendall=lambda data: sent.append(len(data)) or whole(data))
        answer(counting)

    with receiver(count) as url:
        told = post_message(url, b"{}", headers={})

    assert told.is_success
    assert len(told.text) <= receivers.KEPT_BYTES
    assert sum(sent) < 32 << 20  # what the sockets of both sides hold


@pytest.mark.parametrize(
    "target", ["http://127.0.0.1:9/inner", "http://169.254.169.254/latest/meta-data/", "file:///etc/passwd", "/again"]
)
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_nobody_is_led_elsewhere(status, target):
    with outside() as played:
        played.answer("/", {}, status=status, Location=target)
        told = post_message(f"{played.url}/", b"{}", headers={})

    assert (told.http_status, told.is_success) == (status, False)
    assert [(call.method, call.path) for call in played.calls] == [("POST", "/")]


def test_a_name_that_comes_to_mean_this_machine_after_it_was_checked_leads_nowhere(monkeypatch):
    """The name server says a public address first, and one of this machine each time after."""
    told_addresses = iter(["198.35.26.96"])
    called = []

    def resolve(host, port, **_):
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (next(told_addresses, "127.0.0.1"), port))]

    def connect(place, **_):
        called.append(place)
        raise ConnectionRefusedError

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    monkeypatch.setattr(socket, "create_connection", connect)

    first = post_message("https://rebinding.example/", b"{}", headers={})
    second = post_message("https://rebinding.example/", b"{}", headers={})

    assert called == [("198.35.26.96", 443)]
    assert "could not be reached" in first.error
    assert "private network" in second.error


@pytest.mark.parametrize(
    ("named", "is_known", "is_believed"),
    [("localhost", True, True), ("somebody.else.example", True, False), ("localhost", False, False)],
)
def test_a_certificate_is_of_the_receivers_name_and_of_somebody_who_is_believed(
    named, is_known, is_believed, monkeypatch, tmp_path
):
    certificate = make_certificate(named, tmp_path / "receiver.pem")
    serving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    serving.load_cert_chain(certificate)
    trusting = ssl.create_default_context(cafile=certificate if is_known else None)
    monkeypatch.setattr(receivers, "build_tls_context", lambda: trusting)
    heard = []

    def answer(connection: socket.socket) -> None:
        with serving.wrap_socket(connection, server_side=True) as secured:
            while not b"".join(heard).endswith(b"{}"):
                heard.append(secured.recv(65536))
            secured.sendall(HEAD + b"Content-Length: 0\r\n\r\n")

    with listening(answer) as port, ThreadPoolExecutor(1) as pool:  # a thread has a session of its own
        told = pool.submit(post_message, f"https://localhost:{port}/", b"{}", headers={}).result()

    assert told.is_success is is_believed
    assert is_believed or (told.error, heard) == ("The certificate of the receiver is not good.", [])


def make_certificate(host: str, place: Path) -> Path:
    """Of this host, signed by itself, with its key."""
    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host)])
    at = datetime.now(UTC)
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    builder = builder.serial_number(1).not_valid_before(at - timedelta(days=1)).not_valid_after(at + timedelta(days=1))
    builder = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
    secret = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    place.write_bytes(secret + builder.sign(key, hashes.SHA256()).public_bytes(Encoding.PEM))
    return place
