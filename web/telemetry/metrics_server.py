"""/metrics of a machine that runs workers and no web server: `METRICS_LISTEN`, such as 127.0.0.1:9101.

All processes of a machine may have the same address. One of them gets it and answers for all; when that one ends,
another takes the address over. It tells what the machine's processes counted; no database is asked.
"""

import logging
import threading
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from django.core.exceptions import ImproperlyConfigured
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from web.telemetry.metrics_collectors import MachineCollector, register
from wire.telemetry.metrics_files import format_counts

log = logging.getLogger(__name__)
TAKE_OVER_SECONDS = 5.0
REQUEST_SECONDS = 10  # a client that says nothing does not keep its thread


class MetricsHandler(BaseHTTPRequestHandler):
    timeout = REQUEST_SECONDS
    server_version = "ids"
    sys_version = ""

    def do_GET(self) -> None:
        if self.path == "/metrics":
            self._answer(HTTPStatus.OK, format_counts() + generate_latest(register(MachineCollector())))
        elif self.path == "/livez":
            self._answer(HTTPStatus.OK, b"ok\n")
        else:
            self._answer(HTTPStatus.NOT_FOUND, b"There is /metrics and /livez.\n")

    def _answer(self, status: HTTPStatus, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", CONTENT_TYPE_LATEST)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """A scrape is no news."""


class MetricsServer(ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = True


def serve_metrics(listen: str) -> threading.Thread:
    """Answer from a thread of this process, as soon as no other of the machine does. Raises ImproperlyConfigured."""
    address = parse_address(listen)
    thread = threading.Thread(target=_serve_for_ever, args=[address], name="metrics server", daemon=True)
    thread.start()
    return thread


def parse_address(listen: str) -> tuple[str, int]:
    host, _, port = listen.rpartition(":")
    if not host or not (port.isascii() and port.isdigit()) or int(port) > 65_535:
        raise ImproperlyConfigured(f"METRICS_LISTEN is {listen!r}; an address and a port are needed: 127.0.0.1:9101.")
    return host, int(port)


def _serve_for_ever(address: tuple[str, int]) -> None:
    pause = threading.Event()
    while True:
        try:
            with MetricsServer(address, MetricsHandler) as server:
                log.info("metrics are told at %s:%s", *server.server_address[:2])
                server.serve_forever()
        except OSError as problem:  # another process has it
            log.debug("metrics are not told here: %s", problem)
        pause.wait(TAKE_OVER_SECONDS)
