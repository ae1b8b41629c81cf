"""uvicorn's HTTP, with an end to what comes before a body: `--http config.http:BoundedHttp`."""

import asyncio
import json
import time

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

import config.celery  # noqa: F401 (names the settings: uvicorn reads this module before the application)
from config.request_log import note_request
from wire.errors import ServiceError, ValidationError, envelope
from wire.ids import new_id
from wire.metrics import count_refusal

MOST_BYTES = 64 * 1024  # of a request line and its headers
SECONDS = 30.0  # within which they arrive


class HeadTooLarge(ServiceError):
    status, code = 431, "VALIDATION_ERROR"


class BoundedHttp(HttpToolsProtocol):
    """Refuses in the envelope what is no HTTP or has no end; ends what does not come."""

    _head_bytes = 0
    _is_in_head = True
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as in uvicorn's own
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if not self._is_in_head or self.transport.is_closing():
            return
        self._head_bytes += len(data)
        self._wait()
        if self._head_bytes > MOST_BYTES:
            self._refuse(HeadTooLarge(f"The request line and the headers may have {MOST_BYTES} bytes."))

    def on_message_begin(self) -> None:
        self._is_in_head = True
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        self._is_in_head, self._head_bytes = False, 0
        self._forget_timer()
        super().on_headers_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        self._forget_timer()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        self._refuse(ValidationError("This is no HTTP request."))

    def _refuse(self, error: ServiceError) -> None:
        """At once, and the connection ends. An answer that is under way is only cut off."""
        if self.cycle is None or self.cycle.response_complete:
            count_refusal(error)
            note_request(method="", route="", status=error.status, started=time.perf_counter())
            body = json.dumps(envelope(error)).encode()
            head = (
                f"content-type: application/json\r\ncontent-length: {len(body)}\r\nx-request-id: {new_id()}\r\n"
                "cache-control: no-store\r\nconnection: close\r\n\r\n"
            )
            self.transport.write(STATUS_LINE[error.status] + head.encode() + body)
        self.transport.close()

    def _wait(self) -> None:
        if self._timer is None:
            self._timer = self.loop.call_later(SECONDS, self.transport.close)

    def _forget_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
