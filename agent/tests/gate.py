"""A door before the service that can be told to answer some calls itself, and keeps what was asked."""

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import requests

Answer = tuple[int, dict[str, Any] | str]
Rule = Callable[[str, str, Any], Answer | None]


class Gate:
    """A context. `rule` is given method, path and body of each call; what it does not answer, the service does.

    In its answers the address of the service becomes `told_url`, so that bytes go that way. It does not see the fields
    that are hidden from it, as one of an earlier version, which does not know them.
    """

    def __init__(
        self,
        url: str,
        rule: Rule = lambda method, path, body: None,
        *,
        told_url: str | None = None,
        hidden: tuple[str, ...] = (),
    ) -> None:
        self.rule, self._target, self._told_url, self._hidden = rule, url, told_url or url, hidden
        self.asked: list[tuple[str, str, Any]] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> "Gate":
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def bodies(self, path_end: str) -> list[Any]:
        return [body for _, path, body in self.asked if path.endswith(path_end)]

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        gate = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_call(self) -> None:
                content = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                body = json.loads(content) if content else None
                gate.asked.append((self.command, self.path, body))
                own = gate.rule(self.command, self.path, body)
                status, answer = (own[0], _bytes_of(own[1])) if own else self._passed_on(body)
                self.send_response(status)
                self.send_header("Content-Type", "text/html" if own and isinstance(own[1], str) else "application/json")
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_call  # noqa: N815

            def _passed_on(self, body: Any) -> tuple[int, bytes]:
                headers = {
                    name: self.headers[name] for name in ("Authorization", "Content-Type") if name in self.headers
                }
                url = f"{gate._target}{self.path}"
                seen = {name: value for name, value in (body or {}).items() if name not in gate._hidden}
                content = None if body is None else json.dumps(seen)
                passed = requests.request(self.command, url, data=content, headers=headers, timeout=60)
                told = passed.content.replace(gate._target.encode(), gate._told_url.encode())
                return passed.status_code, told

            def log_message(self, *_: object) -> None:
                pass

        return Handler


def _bytes_of(body: dict[str, Any] | str) -> bytes:
    return (body if isinstance(body, str) else json.dumps(body)).encode()


def conflict(message: str, **details: Any) -> Answer:
    """409, as the service words it."""
    return 409, {"error": {"code": "CONFLICT", "message": message, "details": details}}
