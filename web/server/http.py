"""uvicorn's HTTP, with an end to what comes before a body: `http="web.server.http:BoundedHttp"`."""

import asyncio
import json
import os
import select
import time
from collections.abc import Callable
from typing import Any

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")  # uvicorn reads this module before the application
from django.conf import settings

from web.security_headers import build_security_headers
from web.server.query_server import HAND_OVER
from web.stream.route import wants_stream
from web.telemetry.request_log import log_request
from wire.errors import ServiceError, ServiceUnavailable, ValidationError, build_envelope
from wire.ids import new_id
from wire.telemetry.metrics import count_refusal

MAX_HEAD_BYTES = 64 * 1024  # of a request line and its headers
HEAD_TIMEOUT_SECONDS = 30.0  # within which they arrive


class HeadTooLarge(ServiceError):
    status, code = 431, "VALIDATION_ERROR"

    def __init__(self) -> None:
        super().__init__(f"The request line and the headers may have {MAX_HEAD_BYTES} bytes.")


class TooManyConnections(ServiceUnavailable):
    def __init__(self) -> None:
        super().__init__("Too many connections are open.", retry_after=2)


def write_refusal(error: ServiceError) -> bytes:
    """A whole answer, the last one of its connection."""
    body = json.dumps(build_envelope(error)).encode()
    named = "".join(f"{k.lower()}: {v}\r\n" for k, v in (build_security_headers() | error.headers).items())
    head = (
        f"{named}content-type: application/json\r\ncontent-length: {len(body)}\r\nx-request-id: {new_id()}\r\n"
        "cache-control: no-store\r\nconnection: close\r\n\r\n"
    )
    return STATUS_LINE[error.status] + head.encode() + body


class BoundedHttp(HttpToolsProtocol):
    """Refuses in the envelope what is no HTTP or has no end; ends what does not come. Connections have a number."""

    linger_seconds = 1.0  # how long an idle connection still takes a request when the server ends
    _head_bytes = 0
    _is_in_head = True
    _timer: asyncio.TimerHandle | None = None
    _is_last_request = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as in uvicorn's own
        super().connection_made(transport)
        self._start_timer()
        if len(self.connections) > settings.WEB_CONNECTIONS and not self._end_idle_connection():
            self._refuse(TooManyConnections())

    @property
    def is_idle(self) -> bool:
        """No request of it is under way, nor a part of one."""
        return not self._head_bytes and (self.cycle is None or self.cycle.response_complete)

    def _end_idle_connection(self) -> bool:
        """Make room for this one: whoever asks comes before whoever might."""
        others: Any = (other for other in self.connections if other is not self)
        idle = next((other for other in others if other.is_idle and not other.transport.is_closing()), None)
        if idle is not None:
            idle.transport.close()
        return idle is not None

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if not self._is_in_head or self.transport.is_closing():
            return
        self._head_bytes += len(data)
        self._start_timer()
        if self._head_bytes > MAX_HEAD_BYTES:
            self._refuse(HeadTooLarge())

    def on_message_begin(self) -> None:
        self._is_in_head = True
        super().on_message_begin()
        self.scope["extensions"] = {HAND_OVER: {"hand_over": self.hand_over}}

    def on_headers_complete(self) -> None:
        self._is_in_head, self._head_bytes = False, 0
        self._cancel_timer()
        super().on_headers_complete()
        if self._is_last_request:
            self.cycle.keep_alive = False

    def hand_over(self, take: Callable[[int], bool]) -> bool:
        """Whether `take`, which is told the descriptor, has sent the connection to another process that answers.

        Not where anything of an answer is still to be sent, or more was asked already: that would be lost. Nor while
        this server ends: the other may, too.
        """
        cycle: Any = self.cycle
        is_busy = self.pipeline or self._is_in_head or cycle.response_started or self.transport.get_write_buffer_size()
        if is_busy or self._is_last_request or self.transport.is_closing():
            return False
        if not take(self.transport.get_extra_info("socket").fileno()):
            return False
        cycle.disconnected = True
        self.transport.close()
        return True

    def shutdown(self) -> None:
        """The server ends. A request may be on its way here: it is answered, and its sender told to connect anew.

        A proxy finds meanwhile that nobody listens, and asks another server.
        """
        self._is_last_request = True
        cycle: Any = self.cycle
        if cycle is None or cycle.response_complete:
            self._linger()
        elif not cycle.response_started:
            cycle.keep_alive = False
        else:
            self._end_stream()  # any other answer has begun without a word of the end: on_response_complete lingers

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self._is_last_request and not self.transport.is_closing():
            self._linger()

    def _linger(self) -> None:
        self.loop.call_later(self.linger_seconds, self._end_if_idle)

    def _end_stream(self) -> None:
        """Who only listens is told at once that the server goes; others get their answer."""
        cycle: Any = self.cycle
        if wants_stream(cycle.scope):
            cycle.disconnected = True
            cycle.message_event.set()

    def _end_if_idle(self) -> None:
        if self.is_idle and self._has_unread():
            self._linger()
        elif self.is_idle:
            self.transport.close()

    def _has_unread(self) -> bool:
        """Whether a request has come that the loop has not read yet."""
        if self.transport.is_closing():
            return False
        unread = select.poll()
        unread.register(self.transport.get_extra_info("socket").fileno(), select.POLLIN)
        return bool(unread.poll(0))

    def connection_lost(self, exc: Exception | None) -> None:
        self._cancel_timer()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        is_too_long = len(getattr(self, "url", b"")) >= MAX_HEAD_BYTES  # no parser of addresses reads so many
        self._refuse(HeadTooLarge() if is_too_long else ValidationError("This is no HTTP request."))

    def _refuse(self, error: ServiceError) -> None:
        """At once, and the connection ends. An answer that is under way is only cut off."""
        if self._nobody_answers():
            count_refusal(error)
            log_request(method="", route="", status=error.status, started=time.perf_counter())
            self.transport.write(write_refusal(error))
        self.transport.close()

    def _nobody_answers(self) -> bool:
        """Nor will: a request whose own body is no HTTP gets no other answer, where none has begun."""
        cycle: Any = self.cycle
        if cycle is None or cycle.response_complete:
            return True
        if cycle.response_started or not cycle.more_body or self.pipeline:
            return False
        cycle.disconnected = True
        cycle.message_event.set()
        return True

    def _start_timer(self) -> None:
        if self._timer is None:
            self._timer = self.loop.call_later(HEAD_TIMEOUT_SECONDS, self.transport.close)

    def _cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
