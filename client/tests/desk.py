"""A real HTTP server on loopback that gives the answers it was told to, in their order, and keeps the questions."""

import json
import ssl
import threading
from collections.abc import Iterable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

ROOT = "/api/v1"


@dataclass
class Question:
    method: str
    path: str
    query: list[tuple[str, str]]
    headers: dict[str, str]
    body: bytes

    def asked(self, name: str) -> list[str]:
        return [value for key, value in self.query if key == name]


@dataclass
class Answer:
    body: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    cut_after: int | None = None  # bytes, of those that were promised

    def to_bytes(self) -> bytes:
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


def refusal(code: str, message: str, *, status: int, details: Any = None, **headers: str) -> Answer:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer({"error": {"code": code, "message": message, "details": details}}, status, named)


class Desk:
    def __init__(self, *, tls: ssl.SSLContext | None = None) -> None:
        self.questions: list[Question] = []
        self._answers: dict[tuple[str, str], list[Answer]] = {}
        desk = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_any(self) -> None:
                desk._answer(self)

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_any  # noqa: N815

            def log_message(self, *_: object) -> None:
                """Nobody reads it."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        if tls is not None:
            self._server.socket = tls.wrap_socket(self._server.socket, server_side=True)
        self.url = f"{'https' if tls else 'http'}://127.0.0.1:{self._server.server_port}"

    def tell(self, method: str, path: str, *answers: Answer) -> None:
        """What is answered under a path of the interface; the last answer stays."""
        self._answers[method, path if path.startswith("/store") else ROOT + path] = list(answers)

    def asked(self, path: str) -> list[Question]:
        full = path if path.startswith("/store") else ROOT + path
        return [one for one in self.questions if one.path == full]

    def _answer(self, handler: BaseHTTPRequestHandler) -> None:
        parts = urlsplit(handler.path)
        body = handler.rfile.read(int(handler.headers.get("Content-Length") or 0))
        query = parse_qsl(parts.query, keep_blank_values=True)
        self.questions.append(Question(handler.command, parts.path, query, dict(handler.headers), body))
        told = self._answers.get((handler.command, parts.path), [refusal("NOT_FOUND", "Not here.", status=404)])
        answer = told.pop(0) if len(told) > 1 else told[0]
        data = answer.to_bytes()
        handler.send_response(answer.status)
        for name, value in answer.headers.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(data)))
        handler.end_headers()
        handler.wfile.write(data[: answer.cut_after])
        if answer.cut_after is not None:
            handler.close_connection = True

    def __enter__(self) -> "Desk":
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


def listed(rows: Iterable[Any]) -> Answer:
    rows = list(rows)
    return Answer({"data": rows, "pagination": {"per_page": 100, "total": len(rows), "next_cursor": None}})
