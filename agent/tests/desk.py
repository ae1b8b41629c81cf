"""The desk that trades enrolment codes, in front of a service that has none yet: everything else is passed on.

It follows the interface: POST /api/v1/enrol without a credential; a code that is not good is 404.
"""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

import requests

PATH = "/api/v1/enrol"
PASSED_ON = ("Authorization", "Content-Type", "Accept", "User-Agent")


class Desk:
    """A context. `codes` are the instruments by code; `asked` is every request to enrol, with its credential."""

    def __init__(self, url: str, *, token: str, codes: dict[str, str]) -> None:
        self.asked: list[tuple[dict[str, Any], str | None]] = []
        kept = {"service": url, "token": token, "codes": dict(codes), "asked": self.asked}
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), kept))
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> "Desk":
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    service: ClassVar[str]
    token: ClassVar[str]
    codes: ClassVar[dict[str, str]]
    asked: ClassVar[list[tuple[dict[str, Any], str | None]]]

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.path == PATH:
            self._enrol(json.loads(body))
        else:
            self._pass_on(body)

    def do_GET(self) -> None:
        if self.path == PATH:
            self._answer(405, {"error": {"code": "METHOD_NOT_ALLOWED", "message": "GET is not served here."}})
        else:
            self._pass_on(self.rfile.read(int(self.headers.get("Content-Length") or 0)))

    do_PUT = do_PATCH = do_DELETE = do_POST  # noqa: N815 http.server's names

    def _enrol(self, asked: dict[str, Any]) -> None:
        self.asked.append((asked, self.headers.get("Authorization")))
        instrument = self.codes.pop(asked["code"], None)
        if instrument is None:
            return self._answer(404, {"error": {"code": "NOT_FOUND", "message": "No such code."}})
        body = {name: asked[name] for name in ("hostname", "os_info", "agent_version")}
        made = requests.post(
            f"{self.service}/api/v1/watchers/register",
            json={"instrument_id": instrument, **body},
            headers={"Authorization": f"Bearer {self.token}"},
            timeout=60,
        ).json()
        answer = {"token": self.token, "instrument_id": instrument, "watcher_id": made["watcher_id"]}
        return self._answer(201, answer | {"public_url": self.service, "release_public_key": "a key"})

    def _pass_on(self, body: bytes) -> None:
        headers = {name: self.headers[name] for name in PASSED_ON if name in self.headers}
        answer = requests.request(self.command, f"{self.service}{self.path}", data=body, headers=headers, timeout=60)
        self._send(answer.status_code, answer.content, answer.headers.get("Content-Type", ""))

    def _answer(self, status: int, content: dict[str, Any]) -> None:
        self._send(status, json.dumps(content).encode(), "application/json")

    def _send(self, status: int, content: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 http.server's name
        """Tests are quiet."""
