"""Calls to other services: https (http to this machine only), 5 seconds, 1 MiB, no redirects, never to another host."""

from typing import Any
from urllib.parse import urlsplit

import requests
from requests.adapters import HTTPAdapter

SECONDS = 5
MOST_BYTES = 1024 * 1024
CHUNK = 64 * 1024
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


class RefusedCall(requests.RequestException):
    """The address or the answer is not one we deal with."""


def address_fault(address: str) -> str | None:
    """Why a service may not be called there, or None."""
    try:
        parts = urlsplit(address)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return "This is no address."
    if not host or parts.username or parts.password or parts.query or parts.fragment or not address.isascii():
        return "An address such as https://tracker.example.org is needed."
    if parts.scheme != "https" and not (parts.scheme == "http" and host in LOOPBACK):
        return "The address must begin with https://."
    return None


class BoundedAdapter(HTTPAdapter):
    """Holds every call of a session to these bounds, whatever its caller says."""

    def send(self, request: requests.PreparedRequest, *args: Any, **kwargs: Any) -> requests.Response:
        parts = urlsplit(request.url or "")
        if fault := address_fault(f"{parts.scheme}://{parts.netloc}"):
            raise RefusedCall(fault, request=request)
        kwargs.update(timeout=SECONDS, stream=True)
        response = super().send(request, *args, **kwargs)
        response._content = _read(response)
        return response


def bounded_session() -> requests.Session:
    """Proxies and certificates of the machine are respected, redirects are not followed."""
    session = requests.Session()
    session.mount("https://", BoundedAdapter())
    session.mount("http://", BoundedAdapter())
    session.max_redirects = 0
    return session


def _read(response: requests.Response) -> bytes:
    body = b""
    for chunk in response.iter_content(CHUNK):
        body += chunk
        if len(body) > MOST_BYTES:
            response.close()
            raise RefusedCall("The answer is too long.", response=response)
    return body
