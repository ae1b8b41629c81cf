"""What the agent does, for Prometheus: off unless the configuration names an address, and on this computer only unless
it names another."""

import logging
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from instrument_watcher import __version__
from instrument_watcher.assembly import Parts
from instrument_watcher.journal.database import JournalUnavailable, JournalUnreadable
from instrument_watcher.watching.presence import FolderState

log = logging.getLogger("instrument_watcher")
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
PREFIX = "instrument_watcher_"


def metrics_text(parts: Parts) -> str:
    """The exposition format of Prometheus. Raises JournalUnavailable, JournalUnreadable."""
    activity, (files, size) = parts.activity, parts.journal.queue.waiting()
    instrument = f'instrument="{parts.config.instrument_id}"'
    is_held = int(parts.link.held.is_set())
    values: list[tuple[str, str, str, list[tuple[str, float]]]] = [
        ("info", "gauge", "The version that runs.", [(f'{instrument},version="{__version__}"', 1)]),
        ("files_waiting", "gauge", "Files that are to arrive.", [(instrument, files)]),
        ("bytes_waiting", "gauge", "Their bytes.", [(instrument, size)]),
        ("files_uploaded_total", "counter", "Files since the start.", [(instrument, activity.counted("files"))]),
        ("bytes_uploaded_total", "counter", "Their bytes.", [(instrument, activity.counted("bytes"))]),
        ("errors_total", "counter", "Errors since the start.", [(instrument, activity.counted("errors"))]),
        ("uptime_seconds", "gauge", "Since the start.", [(instrument, activity.uptime)]),
        ("service_up", "gauge", "Whether the service answers.", [(instrument, int(parts.link.is_up()))]),
        ("held", "gauge", "Whether the service refuses this installation.", [(instrument, is_held)]),
        ("paused", "gauge", "Whether somebody paused the uploads.", [(instrument, int(parts.pause.is_on()))]),
        ("last_scan_timestamp_seconds", "gauge", "The last look through.", [(instrument, activity.scanned_at or 0)]),
        (
            "folder_state", "gauge", "What is seen of the watched directory.",
            [(f'{instrument},state="{state.value}"', int(activity.folder is state)) for state in FolderState],
        ),
    ]  # fmt: skip
    lines = []
    for name, kind, meaning, samples in values:
        lines += [f"# HELP {PREFIX}{name} {meaning}", f"# TYPE {PREFIX}{name} {kind}"]
        lines += [f"{PREFIX}{name}{{{labels}}} {value}" for labels, value in samples]
    return "\n".join(lines) + "\n"


class MetricsServer:
    """Answers GET /metrics in threads of its own; nothing where no address is configured."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._server: ThreadingHTTPServer | None = None

    def start(self) -> None:
        """An address that is taken is told; the agent goes on without."""
        listen = self._parts.config.metrics_listen
        if listen is None:
            return
        host, _, port = listen.rpartition(":")
        try:
            self._server = ThreadingHTTPServer((host.strip("[]"), int(port)), _handler(self._parts))
        except OSError as error:
            log.error("Metrics cannot be served at %s: %s", listen, error.strerror)
            return
        threading.Thread(target=self._server.serve_forever, name="metrics", daemon=True).start()

    def stop(self) -> None:
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()


def _handler(parts: Parts) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        timeout = 10

        def do_GET(self) -> None:
            status, text = _answer(parts, self.path)
            body = text.encode()
            self.send_response(status)
            self.send_header("Content-Type", CONTENT_TYPE)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    return Handler


def _answer(parts: Parts, path: str) -> tuple[int, str]:
    if path.partition("?")[0] != "/metrics":
        return 404, "Metrics are at /metrics.\n"
    try:
        return 200, metrics_text(parts)
    except (JournalUnavailable, JournalUnreadable) as error:
        return 503, f"{error.message}\n"
