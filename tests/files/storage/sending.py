"""What a client without credentials does with a signed request."""

import io
import socket
from collections.abc import Iterable
from dataclasses import replace
from urllib.parse import urlsplit

import requests

from files.storage.interface import SignedRequest

REFUSED = range(400, 500)


def send(signed: SignedRequest, body: bytes | Iterable[bytes]) -> requests.Response:
    return requests.request(signed.method, signed.url, data=body, headers=signed.headers, timeout=60)


def without(signed: SignedRequest, header: str) -> SignedRequest:
    return replace(signed, headers={name: value for name, value in signed.headers.items() if name != header})


def with_header(signed: SignedRequest, header: str, value: str) -> SignedRequest:
    return replace(signed, headers=signed.headers | {header: value})


def with_url(signed: SignedRequest, old: str, new: str) -> SignedRequest:
    assert old in signed.url
    return replace(signed, url=signed.url.replace(old, new))


def send_partly(signed: SignedRequest, body: bytes) -> bytes:
    """Announces all, sends `body`, and closes its side; what the store says to that."""
    with opened(signed) as connection:
        connection.sendall(body)
        connection.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: connection.recv(65536), b""))


def opened(signed: SignedRequest) -> socket.socket:
    """A connection on which the head of the request was sent."""
    target = urlsplit(signed.url)
    headers = "".join(f"{name}: {value}\r\n" for name, value in signed.headers.items())
    connection = socket.create_connection((target.hostname, target.port), timeout=60)
    head = f"{signed.method} {target.path}?{target.query} HTTP/1.1\r\nHost: {target.netloc}\r\n{headers}\r\n"
    connection.sendall(head.encode())
    return connection


HELLO = b"hello world"


def put(store, key, data=HELLO, content_type="text/plain"):
    return store.put(key, io.BytesIO(data), size_bytes=len(data), content_type=content_type)


def read(store, key, **bounds):
    with store.open_range(key, **bounds) as source:
        return source.read()
