"""Calls to other services: https, an end after 5 seconds in all, 1 MiB, no redirects, and only where we may go.

http is spoken to hosts that the operator named (wire/outgoing/addresses.py). The deadline is that of the whole call:
a watchdog cuts the connection, however slowly bytes drip. The address that was checked is the one that is called.
"""

import contextlib
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import requests
from requests.adapters import HTTPAdapter
from requests.utils import select_proxy
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool

from wire.outgoing.addresses import SERVICES, AddressRefused, Reach, is_named, literal_fault, resolve_host
from wire.telemetry.security_events import SecurityEvent, record_security_event

TIMEOUT_SECONDS = 5.0
CONVERSATION_SECONDS = 8.0  # of several calls that somebody waits for
MAX_RESPONSE_BYTES = 1024 * 1024
CHUNK_BYTES = 16 * 1024
DEFAULT_PORTS = {"http": 80, "https": 443}


class RefusedCall(requests.RequestException):
    """The address or the answer is not one we deal with."""


class LostAnswer(requests.RequestException):
    """The request went out whole and its answer did not come: what it asked for may be done."""


class LateAnswer(LostAnswer, requests.Timeout):
    pass


class BrokenAnswer(LostAnswer, requests.ConnectionError):
    pass


@dataclass
class OutgoingCall:
    """One call under way. `addresses` were checked; None leaves them to the machine's proxy."""

    ends_at: float
    addresses: tuple[str, ...] | None = None
    is_sent: bool = False
    is_cut: bool = False
    _guards: list[socket.socket] = field(default_factory=list)

    @property
    def remaining(self) -> float:
        return max(0.001, self.ends_at - time.monotonic())

    def connect(self, port: int) -> socket.socket:
        """A connection to the first address that takes one."""
        problem = OSError("The host has no address.")
        for address in self.addresses or ():
            try:
                return socket.create_connection((address, port), timeout=self.remaining)
            except OSError as refused:
                problem = refused
        raise problem

    def guard(self, connected: socket.socket) -> socket.socket:
        """The same connection, which `cut` ends even while TLS is being agreed on."""
        self._guards.append(connected.dup())
        if self.is_cut:
            self.cut()
        return connected

    def cut(self) -> None:
        self.is_cut = True
        for guard in self._guards:
            with contextlib.suppress(OSError):
                guard.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        for guard in self._guards:
            guard.close()


_call: ContextVar[OutgoingCall] = ContextVar("outgoing_call")
_conversation_end: ContextVar[float | None] = ContextVar("conversation_end", default=None)


@contextmanager
def conversation(seconds: float | None = None) -> Iterator[None]:
    """All calls within it, of whatever session, end so many seconds from now, CONVERSATION_SECONDS by default."""
    token = _conversation_end.set(time.monotonic() + (seconds or CONVERSATION_SECONDS))
    try:
        yield
    finally:
        _conversation_end.reset(token)


def address_fault(address: str, *, reach: Reach = SERVICES) -> str | None:
    """Why a service may not be called there, or None."""
    try:
        parts = urlsplit(address)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return "This is no address."
    if not host or parts.username or parts.password or parts.query or parts.fragment or not address.isascii():
        return "An address such as https://tracker.example.org is needed."
    if parts.scheme != "https" and not (parts.scheme == "http" and is_named(host, reach=reach)):
        return "The address must begin with https://."
    return literal_fault(host, reach=reach)


class PinnedConnectionMixin:
    """Mixed into urllib3's connections: they go where the call was allowed to, and end with it."""

    port: int

    def _new_conn(self) -> socket.socket:
        call = _call.get()
        opened: Any = super()
        return call.guard(opened._new_conn() if call.addresses is None else call.connect(self.port))

    def getresponse(self) -> Any:
        _call.get().is_sent = True
        opened: Any = super()
        return opened.getresponse()


class PinnedHttp(PinnedConnectionMixin, HTTPConnection):
    pass


class PinnedHttps(PinnedConnectionMixin, HTTPSConnection):
    pass


class PinnedHttpPool(HTTPConnectionPool):
    ConnectionCls = PinnedHttp


class PinnedHttpsPool(HTTPSConnectionPool):
    ConnectionCls = PinnedHttps


POOL_CLASSES = {"http": PinnedHttpPool, "https": PinnedHttpsPool}


class BoundedAdapter(HTTPAdapter):
    """Holds every call of a session to these bounds, whatever its caller says."""

    only_public = False
    reach = SERVICES
    seconds = TIMEOUT_SECONDS

    def init_poolmanager(self, *args: Any, **kwargs: Any) -> None:
        super().init_poolmanager(*args, **kwargs)
        self.poolmanager.pool_classes_by_scheme = POOL_CLASSES

    def proxy_manager_for(self, *args: Any, **kwargs: Any) -> Any:
        manager = super().proxy_manager_for(*args, **kwargs)
        manager.pool_classes_by_scheme = POOL_CLASSES
        return manager

    def send(self, request: requests.PreparedRequest, *args: Any, **kwargs: Any) -> requests.Response:
        call = begin_call(
            request,
            proxies=kwargs.get("proxies") or {},
            only_public=self.only_public,
            reach=self.reach,
            seconds=self.seconds,
        )
        watchdog = threading.Timer(call.remaining, call.cut)
        watchdog.daemon = True
        watchdog.start()
        token = _call.set(call)
        try:
            return self._send_bounded(call, request, *args, **kwargs)
        except RefusedCall:
            raise
        except (requests.RequestException, OSError) as fault:
            if call.is_sent:
                raise _describe_loss(call, fault, request) from None
            if call.is_cut:
                raise requests.Timeout("The answer did not come in time.", request=request) from None
            raise
        finally:
            _call.reset(token)
            watchdog.cancel()
            call.close()
            self.poolmanager.clear()  # no connection outlives the call that was allowed to make it

    def _send_bounded(
        self, call: OutgoingCall, request: requests.PreparedRequest, *args: Any, **kwargs: Any
    ) -> requests.Response:
        request.headers["Accept-Encoding"] = "identity"
        kwargs.update(timeout=call.remaining, stream=True)
        response = super().send(request, *args, **kwargs)
        response._content = self.read_answer(response)
        if call.is_cut:
            raise requests.Timeout("The answer did not come in time.", request=request)
        return response

    def read_answer(self, response: requests.Response) -> bytes:
        """What of an answer is kept. Raises RefusedCall."""
        return _read_bounded(response)


class PublicAdapter(BoundedAdapter):
    """For addresses that strangers name: what an operator named for admins is closed to them."""

    only_public = True


def bounded_session(
    adapter: type[BoundedAdapter] = BoundedAdapter, *, session: requests.Session | None = None
) -> requests.Session:
    """Proxies and certificates of the machine are respected, redirects are not followed."""
    session = session or requests.Session()
    session.mount("https://", adapter())
    session.mount("http://", adapter())
    session.max_redirects = 0
    return session


def begin_call(
    request: requests.PreparedRequest,
    *,
    proxies: Any,
    only_public: bool = False,
    reach: Reach = SERVICES,
    seconds: float = TIMEOUT_SECONDS,
) -> OutgoingCall:
    """The call of a request, to where it may go; a proxy resolves names itself. Raises RefusedCall."""
    parts, started = urlsplit(request.url or ""), time.monotonic()
    ends_at = min(started + seconds, _conversation_end.get() or float("inf"))
    if ends_at <= started:
        raise requests.Timeout("The answer did not come in time.", request=request)
    fault = address_fault(f"{parts.scheme}://{parts.netloc}", reach=reach)
    call = OutgoingCall(ends_at)
    try:
        if not fault and not select_proxy(request.url or "", proxies):
            port = parts.port or DEFAULT_PORTS[parts.scheme]
            call.addresses = resolve_host(
                parts.hostname or "", port, seconds=call.remaining, only_public=only_public, reach=reach
            )
    except AddressRefused as refused:
        fault = str(refused)
    if fault:
        record_security_event(SecurityEvent.CALL_REFUSED, reason=fault)
        raise RefusedCall(fault, request=request)
    return call


def _describe_loss(call: OutgoingCall, fault: Exception, request: requests.PreparedRequest) -> LostAnswer:
    if call.is_cut or isinstance(fault, requests.Timeout):
        return LateAnswer("The answer did not come in time.", request=request)
    return BrokenAnswer(f"The answer broke off ({type(fault).__name__}).", request=request)


def _read_bounded(response: requests.Response) -> bytes:
    if response.headers.get("Content-Encoding", "identity").lower() != "identity":
        response.close()
        raise RefusedCall("The answer is compressed, which was not asked for.", response=response)
    body = b""
    for chunk in response.iter_content(CHUNK_BYTES):
        body += chunk
        if len(body) > MAX_RESPONSE_BYTES:
            response.close()
            raise RefusedCall("The answer is too long.", response=response)
    return body
