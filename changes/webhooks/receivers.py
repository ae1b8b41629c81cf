"""Calls to receivers: where they may go, for how long, and what is kept of an answer.

https to public addresses; to this machine also http; into private networks where WEBHOOK_PRIVATE_HOSTS names them. The
walls are those of all calls outwards (wire/outgoing/http_client.py).
"""

import os
import ssl
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from http.cookiejar import DefaultCookiePolicy
from typing import Any
from urllib.parse import urlsplit

import certifi
import requests
from django.conf import settings
from urllib3.exceptions import HTTPError

from wire.outgoing.addresses import Reach
from wire.outgoing.http_client import BoundedAdapter, LostAnswer, RefusedCall, address_fault, bounded_session

RECEIVERS = Reach("WEBHOOK_PRIVATE_HOSTS", lambda: settings.WEBHOOK_PRIVATE_HOSTS, to_loopback=True)
CALL_SECONDS = 10.0
KEPT_BYTES = 1024
GONE = 410
UNANSWERED = f"The message was sent, and no answer came within {CALL_SECONDS:g} seconds or before the end."


@dataclass(frozen=True)
class Answer:
    """How a call went. `http_status` is None where no answer came, `error` then says why."""

    http_status: int | None
    duration_ms: int
    error: str = ""
    text: str = ""

    @property
    def is_success(self) -> bool:
        return self.http_status is not None and 200 <= self.http_status < 300

    @property
    def is_gone(self) -> bool:
        return self.http_status == GONE


class ReceiverAdapter(BoundedAdapter):
    """Reads the beginning of an answer only, whatever it is; certificates are loaded once for all calls."""

    reach = RECEIVERS
    seconds = CALL_SECONDS

    def init_poolmanager(self, *args: Any, **kwargs: Any) -> None:
        super().init_poolmanager(*args, **kwargs, ssl_context=build_tls_context())

    def cert_verify(self, conn: Any, url: Any, verify: Any, cert: Any) -> None:
        """The context has them."""
        if verify is not True:
            super().cert_verify(conn, url, verify, cert)

    def read_answer(self, response: requests.Response) -> bytes:
        """Who sent a status has said how it went: what breaks off behind it is no failure."""
        kept = b""
        with suppress(HTTPError):
            kept = response.raw.read(KEPT_BYTES, decode_content=False)
        response.close()
        return kept


class ReceiverSession(requests.Session):
    """A redirect is an answer as any other, and no success: what it says is kept."""

    def get_redirect_target(self, resp: requests.Response) -> None:
        return None


@cache
def build_tls_context() -> ssl.SSLContext:
    """Loading some hundred certificates takes longer than all the rest of a call."""
    bundle = os.environ.get("REQUESTS_CA_BUNDLE") or os.environ.get("CURL_CA_BUNDLE")
    return ssl.create_default_context(cafile=bundle or certifi.where())


class _Sessions(threading.local):
    """One session for each thread; it keeps no cookie, as one receiver's would reach others of its host."""

    def __init__(self) -> None:
        self.session = bounded_session(ReceiverAdapter, session=ReceiverSession())
        self.session.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))


_sessions = _Sessions()


def url_fault(url: str) -> str | None:
    """Why nothing is sent there, or None. Unlike other services' addresses it may have a query."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "This is no address."
    if parts.fragment or any(sign.isspace() for sign in url) or not url.isascii():
        return "An address such as https://receiver.example.org/events is needed."
    return address_fault(f"{parts.scheme}://{parts.netloc}{parts.path}", reach=RECEIVERS)


def post_message(url: str, body: bytes, *, headers: Mapping[str, str]) -> Answer:
    """Raises nothing: what went wrong is part of the answer."""
    started = time.perf_counter()
    try:
        answer = _sessions.session.post(url, data=body, headers=dict(headers), allow_redirects=False)
    except (requests.RequestException, HTTPError, OSError, ValueError) as fault:
        return Answer(None, _milliseconds_since(started), error=_describe(fault))
    text = answer.content.decode("utf-8", "replace").replace("\x00", "\ufffd")
    return Answer(answer.status_code, _milliseconds_since(started), text=text)


def _milliseconds_since(started: float) -> int:
    return round((time.perf_counter() - started) * 1000)


def _describe(fault: Exception) -> str:
    if isinstance(fault, RefusedCall):
        return str(fault)
    if isinstance(fault, LostAnswer):
        return UNANSWERED
    if isinstance(fault, requests.Timeout):
        return f"No answer within {CALL_SECONDS:g} seconds."
    if isinstance(fault, requests.exceptions.SSLError):
        return "The certificate of the receiver is not good."
    return f"The receiver could not be reached ({type(fault).__name__})."
