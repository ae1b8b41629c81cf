"""The page over HTTP: which requests are answered, and how."""

import logging
from collections.abc import Mapping
from functools import cache
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from io import BufferedReader
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from instrument_watcher.journal.database import JournalUnavailable, JournalUnreadable
from instrument_watcher.local_page.actions import Actions, BadForm
from instrument_watcher.local_page.keys import SECONDS, Purpose, Tickets, cookie_name, seconds_good, sign
from instrument_watcher.local_page.loopback import HOST, WRITE_SECONDS, TimelyReader
from instrument_watcher.local_page.page import page_of, refusal_page
from instrument_watcher.local_page.view import Viewer

log = logging.getLogger("instrument_watcher")
MOST_BYTES = 1024  # of a form
STATIC = {
    "/page.css": "text/css",
    "/lists.css": "text/css",
    "/page.js": "text/javascript",
    "/mark.svg": "image/svg+xml",
}
PLACE = Path(__file__).with_name("static")
HOW_TO_OPEN = "Open it from the start menu of this computer, “Instrument watcher”, or with this command:"
OPEN = "instrument-watcher open"
WHOSE = "Watcher-Page"  # header: another agent may have this one's port once it has ended
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self';"
        " form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",  # with no-referrer a form would be sent with the origin "null"
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
    "Connection": "close",
}


class PageHandler(BaseHTTPRequestHandler):
    """One request, one connection. `handler_of` makes the class that a server is given."""

    key: bytes
    tickets: Tickets
    viewer: Viewer
    actions: Actions

    def setup(self) -> None:
        super().setup()
        self.rfile.close()
        self.rfile = BufferedReader(TimelyReader(self.connection))

    def do_GET(self) -> None:
        path, query = self._address()
        if self._is_misdirected():
            self._refuse(421, "Not here", "This address is of another computer, or of another program.")
        elif path in STATIC:
            self._send(200, _static(path), kind=STATIC[path])
        elif path == "/open":
            self._open(query.get("ticket", ""))
        elif not (left := self._session_left()):
            self._lock_out("This page is locked")
        elif path == "/":
            cookie = {} if left > SECONDS[Purpose.SESSION] / 2 else self._cookie()
            self._send(
                200, page_of(self.viewer.view(), name=cookie_name(self.key), done=query.get("done", "")), **cookie
            )
        elif path in self.actions.by_path:
            self._refuse(405, "Only by its button", "Go back to the page.", Allow="POST")
        else:
            self._refuse(404, "Nothing is here", "The page is at the address without anything behind it.")

    do_HEAD = do_GET  # noqa: N815 http.server's name

    def do_POST(self) -> None:
        path, _ = self._address()
        act = self.actions.by_path.get(path)
        if self._is_misdirected():
            self._refuse(421, "Not here", "This address is of another computer, or of another program.")
        elif not self._session_left():
            self._lock_out("This page is locked")
        elif self.headers.get("Origin") != self._origin():
            self._refuse(403, "Not from here", "Only this page's own buttons do that.")
        elif act is None:
            self._refuse(404, "Nothing is here", "The page does nothing of that name.")
        elif (form := self._form()) is None:
            self._refuse(413, "Too much", f"A form of at most {MOST_BYTES} bytes is taken.")
        else:
            try:
                act(form)
            except BadForm as error:
                self._refuse(400, "That cannot be done", str(error))
            except (JournalUnavailable, JournalUnreadable) as error:
                self._refuse(503, "Not now", error.message)
            else:
                self.viewer.forget()
                self._send(303, b"", Location=f"/?done={path}")

    def _open(self, ticket: str) -> None:
        """Trade a ticket for a cookie. It leads to the page, and nowhere else."""
        if self.tickets.use(ticket):
            self._send(303, b"", Location="/", **self._cookie())
        elif self._session_left():
            self._send(303, b"", Location="/")
        else:
            self._lock_out("This address was used, or is too old")

    def _address(self) -> tuple[str, dict[str, str]]:
        try:
            parts = urlsplit(self.path)
            return parts.path, dict(parse_qsl(parts.query, max_num_fields=8))
        except ValueError:
            return "", {}

    def _origin(self) -> str:
        return f"http://{HOST}:{self.server.server_port}"  # type: ignore[attr-defined] # every HTTPServer has it

    def _is_misdirected(self) -> bool:
        """A name that somebody made to mean this computer (DNS rebinding), or a proxy."""
        return f"http://{self.headers.get('Host')}" != self._origin()

    def _session_left(self) -> float:
        """Seconds; 0 where nobody with a key asks."""
        wanted = cookie_name(self.key)
        for pair in self.headers.get("Cookie", "").split(";"):
            name, _, value = pair.strip().partition("=")
            if name == wanted:
                return seconds_good(self.key, Purpose.SESSION, value)
        return 0.0

    def _cookie(self) -> dict[str, str]:
        signed, seconds = sign(self.key, Purpose.SESSION), SECONDS[Purpose.SESSION]
        text = f"{cookie_name(self.key)}={signed}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Strict"
        return {"Set-Cookie": text}

    def _form(self) -> Mapping[str, str] | None:
        """None where it is too long, or does not say how long it is."""
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdigit()) or len(length) > 5 or int(length) > MOST_BYTES:
            return None
        try:
            return dict(parse_qsl(self.rfile.read(int(length)).decode("utf-8", "replace"), max_num_fields=8))
        except ValueError:
            return {}

    def _lock_out(self, title: str) -> None:
        self._send(401, refusal_page(title, HOW_TO_OPEN, command=OPEN))

    def _refuse(self, status: int, title: str, said: str, **headers: str) -> None:
        self._send(status, refusal_page(title, said), **headers)

    def _send(self, status: int, body: bytes, *, kind: str = "text/html", **headers: str) -> None:
        self.connection.settimeout(WRITE_SECONDS)
        self.send_response(status)
        lengths = {"Content-Type": f"{kind}; charset=utf-8", "Content-Length": str(len(body))}
        whose = {WHOSE: cookie_name(self.key)}
        for name, value in (HEADERS | whose | lengths | headers).items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """What http.server itself does not take: another method, a line too long, no HTTP at all."""
        self.close_connection = True
        self.request_version = self.protocol_version  # else what says nothing of HTTP would get no status line
        self._refuse(
            HTTPStatus.METHOD_NOT_ALLOWED if code == HTTPStatus.NOT_IMPLEMENTED else code,
            "That is not understood",
            "The page is at the address without anything behind it.",
        )

    def version_string(self) -> str:
        return "instrument-watcher"

    def log_message(self, *_: Any) -> None:
        pass


def handler_of(key: bytes, viewer: Viewer, actions: Actions) -> type[PageHandler]:
    attributes = {"key": key, "tickets": Tickets(key), "viewer": viewer, "actions": actions}
    return type("Handler", (PageHandler,), attributes)


@cache
def _static(path: str) -> bytes:
    return (PLACE / path.lstrip("/")).read_bytes()
