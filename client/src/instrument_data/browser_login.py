"""A token by way of the browser: its person allows it there, and the browser brings a one-time code back to us.

We listen on this computer's own address; the code is good with a secret that never leaves this process (PKCE S256).
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
import platform
import queue
import secrets
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx

from instrument_data.errors import NotConnected, NotTrusted, ServiceAway, error_from, not_ours
from instrument_data.trust import explain_refusal, make_tls_context
from instrument_data.version import USER_AGENT

PAGE, EXCHANGE, CALLBACK = "/accounts/command-line/", "/api/v1/tokens/exchange", "/callback"
WAIT_SECONDS = 600.0
MAX_NAME = 100
ANSWERED = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>ids-data</title><link rel="icon" href="data:,">
<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
<body style="font: 1rem/1.5 system-ui, sans-serif; max-width: 32rem; margin: 20vh auto; padding: 0 1rem">
<h1 style="font-size: 1.25rem">{title}</h1><p>{text}</p></body></html>
"""
NOTHING = ("Nothing is here", "Go back to the window where ids-data runs.")
ARRIVED = ("ids-data has the answer", "You can close this page and go on in the window where it runs.")


@dataclass
class Login:
    """One login; `answers` holds what the browser brought: a code, or why there is none. The first counts."""

    url: str
    name: str = field(default_factory=lambda: f"ids-data on {platform.node() or 'a computer'}"[:MAX_NAME])
    verifier: str = field(default_factory=lambda: secrets.token_urlsafe(48), repr=False)
    state: str = field(default_factory=lambda: secrets.token_urlsafe(24), repr=False)
    answers: queue.Queue[tuple[str, str]] = field(default_factory=queue.Queue, repr=False)

    @property
    def challenge(self) -> str:
        return base64.urlsafe_b64encode(hashlib.sha256(self.verifier.encode()).digest()).rstrip(b"=").decode()

    @property
    def pairing(self) -> str:
        """What the page shows too: `ABCD-EFGH`."""
        letters = base64.b32encode(hashlib.sha256(self.challenge.encode()).digest()).decode()
        return f"{letters[:4]}-{letters[4:8]}"

    def address(self, port: int) -> str:
        """The page where a person allows it."""
        asked = {"code_challenge": self.challenge, "state": self.state, "port": port, "name": self.name}
        return f"{self.url}{PAGE}?{urlencode(asked)}"

    def read(self, address: str) -> tuple[str, str] | None:
        """(`code` or `error`, its value) of an address that the browser was sent to; None of any other."""
        parts = urlsplit(address)
        told = parse_qs(parts.query)
        if parts.path != CALLBACK or not hmac.compare_digest(_first(told, "state").encode(), self.state.encode()):
            return None
        return next(((kind, _first(told, kind)) for kind in ("error", "code") if _first(told, kind)), None)


def login_by_browser(url: str, *, show: Callable[[str, str], None], read_pasted: bool = False) -> str:
    """The text of a new token. `show` gets the page's address and the pairing code, and brings a person there.

    With `read_pasted` the address at which a browser on another computer ends may come by standard input.
    Raises NotConnected where it was denied or nobody answered, NotTrusted, ServiceAway, ServiceError.
    """
    login = Login(url)
    with httpx.Client(headers={"User-Agent": USER_AGENT}, verify=make_tls_context(), timeout=30.0) as service:
        _ask(service, "GET", f"{url}{PAGE}", login)
        with _listening(login) as port:
            show(login.address(port), login.pairing)
            if read_pasted:
                threading.Thread(target=_read_pasted, args=(login,), daemon=True).start()
            kind, told = _wait(login)
        if kind == "error":
            raise NotConnected("It was denied in the browser.")
        answer = _ask(service, "POST", f"{url}{EXCHANGE}", login, {"code": told, "code_verifier": login.verifier})
    told = _json_of(answer)
    if not isinstance(told, dict) or "token" not in told:
        raise ServiceAway(not_ours(url, answer.status_code))
    return str(told["token"])


def _ask(service: httpx.Client, method: str, url: str, login: Login, body: Any = None) -> httpx.Response:
    """Once: a code is good once."""
    try:
        answer = service.request(method, url, json=body)
    except httpx.TransportError as error:
        if (refused := explain_refusal(error)) is not None:
            raise NotTrusted(f"No connection to {login.url}: {refused}") from error
        raise ServiceAway(f"{login.url} does not answer: {error}") from error
    if method == "GET" and answer.status_code == 404:
        raise NotConnected(f"{login.url} offers no login by browser. With a token: ids-data login --token")
    if answer.status_code >= 400:
        body, request_id = _json_of(answer), answer.headers.get("X-Request-ID")
        raise error_from(answer.status_code, body, url=login.url, request_id=request_id)
    return answer


def _json_of(answer: httpx.Response) -> Any:
    try:
        return answer.json()
    except ValueError:
        return None


def _wait(login: Login) -> tuple[str, str]:
    try:
        return login.answers.get(timeout=WAIT_SECONDS)
    except queue.Empty:
        raise NotConnected(f"Nobody answered in the browser within {WAIT_SECONDS / 60:.0f} minutes.") from None


@contextmanager
def _listening(login: Login) -> Iterator[int]:
    """The port on 127.0.0.1 where the browser brings the answer."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            answer = login.read(self.path)
            title, text = NOTHING if answer is None else ARRIVED
            page = ANSWERED.format(title=title, text=text).encode()
            self.send_response(404 if answer is None else 200)
            for header in (
                ("Content-Type", "text/html; charset=utf-8"),
                ("Content-Length", str(len(page))),
                ("Cache-Control", "no-store"),
                ("Referrer-Policy", "no-referrer"),
                ("Connection", "close"),
            ):
                self.send_header(*header)
            self.end_headers()
            self.wfile.write(page)
            if answer is not None:
                login.answers.put(answer)

        def log_message(self, *_: object) -> None:
            """The address holds the code."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True  # a browser keeps connections that it may use later
    thread = threading.Thread(target=server.serve_forever, args=(0.1,), daemon=True)
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()


def _read_pasted(login: Login) -> None:
    """Line by line, until one is an answer. Read raw, so that nothing holds the process when it ends."""
    begun = b""
    while piece := os.read(0, 8_192):
        *lines, begun = (begun + piece).split(b"\n")
        for line in lines:
            if (answer := login.read(line.decode("ascii", "replace").strip())) is not None:
                login.answers.put(answer)
                return


def _first(told: dict[str, list[str]], name: str) -> str:
    return told.get(name, [""])[0]
