"""A watcher of a few lines, as somebody would write it from the documentation: plain HTTP, no code of the service.

It remembers nothing: after a crash it says everything again, and the service must make that harmless.
"""

import hashlib
import socket
import time
import zlib
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

import requests

TIMEOUT = 60
READ_BACK = "being read back"


class ScriptedWatcher:
    def __init__(self, url: str, token: str, instrument: str) -> None:
        self.url, self.instrument = f"{url}/api/v1", instrument
        self.session = requests.Session()
        self.session.headers["Authorization"] = f"Bearer {token}"
        self.id = ""

    def call(self, method: str, path: str, body: Any = None, *, expect: int | tuple[int, ...] = 200) -> Any:
        answer = self.session.request(method, self.url + path, json=body, timeout=TIMEOUT)
        wanted = (expect,) if isinstance(expect, int) else expect
        assert answer.status_code in wanted, f"{method} {path}: {answer.status_code} {answer.text[:500]}"
        return answer.json()

    def register(self) -> None:
        """A second registration of the same PC is told whose place is taken: its own."""
        about = {"instrument_id": self.instrument, "hostname": "lab-pc-7", "agent_version": "1.0.0"}
        answer = self.call("POST", "/watchers/register", about, expect=(201, 409))
        self.id = answer["watcher_id"] if "watcher_id" in answer else answer["error"]["details"]["existing_watcher_id"]

    def push_config(self, text: str) -> None:
        checksum = hashlib.sha256(text.encode()).hexdigest()
        self.call("PUT", f"/watchers/{self.id}/config", {"config_yaml": text, "checksum": checksum})

    def heartbeat(self, **fields: Any) -> Any:
        return self.call("POST", f"/watchers/{self.id}/heartbeat", {"status": "watching", **fields})

    def send_events(self, events: list[dict[str, Any]]) -> Any:
        return self.call("POST", f"/watchers/{self.id}/events", {"events": events}, expect=201)

    def report(self, run_id: str, files: Mapping[str, bytes]) -> Any:
        detected = [{**named(path), "size_bytes": len(data)} for path, data in files.items()]
        body = {"run_id": run_id, "source": "watcher", "watcher_id": self.id, "detected_files": detected}
        return self.call("POST", f"/instruments/{self.instrument}/runs", body, expect=(200, 201))

    def ask_for_url(self, run_id: str, path: str, data: bytes) -> Any:
        body = {
            **named(path),
            "size_bytes": len(data),
            "sha256": hashlib.sha256(data).hexdigest(),
            "crc32": f"{zlib.crc32(data):08x}",
        }
        return self.call("POST", f"/instruments/{self.instrument}/runs/{run_id}/request-upload-url", body)

    def upload(self, run_id: str, path: str, data: bytes) -> int:
        """Whatever was done before, at the end the file is there."""
        ticket = self.ask_for_url(run_id, path, data)
        if ticket["already_uploaded"]:
            return int(ticket["file_id"])
        if ticket["upload_type"] == "multipart":
            self.send_parts(ticket, data)
        else:
            put(ticket["upload_url"], ticket["headers"], data)
            self.call("PATCH", f"/files/{ticket['file_id']}", {"status": "uploaded"})
        return int(ticket["file_id"])

    def send_parts(self, ticket: Mapping[str, Any], data: bytes, *, only: int | None = None) -> None:
        """All parts, or the first `only` of them, as if the power went then."""
        size = ticket["part_size"]
        pieces = [data[start : start + size] for start in range(0, len(data), size)]
        assert len(pieces) == ticket["part_count"]
        path, etags = f"/files/{ticket['file_id']}/multipart-upload", []
        for number, piece in enumerate(pieces[:only], start=1):
            asked = {
                "upload_id": ticket["upload_id"],
                "parts": [{"part_number": number, "crc32": f"{zlib.crc32(piece):08x}"}],
            }
            part = self.call("POST", f"{path}/part-urls", asked)["parts"][0]
            etags.append({"part_number": number, "etag": put(part["upload_url"], part["headers"], piece)})
        if only is None:
            self.complete(path, {"upload_id": ticket["upload_id"], "parts": etags})

    def complete(self, path: str, body: Mapping[str, Any]) -> None:
        """Where the store compares no checksums, large files are read back first; Retry-After says until when."""
        answer = self.session.post(f"{self.url}{path}/complete", json=body, timeout=TIMEOUT)
        while answer.status_code == 503 and READ_BACK in answer.text:
            time.sleep(int(answer.headers["Retry-After"]))
            answer = self.session.post(f"{self.url}{path}/complete", json=body, timeout=TIMEOUT)
        assert answer.status_code == 200, f"POST {path}/complete: {answer.status_code} {answer.text[:500]}"

    def serve_queue(self, files: Mapping[str, bytes]) -> int:
        """Upload what people asked for; how many files that were."""
        waiting = self.call("GET", f"/watchers/{self.id}/upload-queue")["data"]
        for one in waiting:
            self.upload(one["run_id"], one["relative_path"], files[one["relative_path"]])
        return len(waiting)


def put(url: str, headers: Mapping[str, str], data: bytes) -> str:
    answer = requests.put(url, data=data, headers=headers, timeout=TIMEOUT)
    assert answer.ok, answer.text
    return answer.headers["ETag"]


def put_half(url: str, headers: Mapping[str, str], data: bytes) -> None:
    """The cable is pulled in the middle of the body."""
    parts = urlsplit(url)
    lines = [f"PUT {parts.path}?{parts.query} HTTP/1.1", f"Host: {parts.netloc}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    with socket.create_connection((str(parts.hostname), parts.port or 80), timeout=TIMEOUT) as connection:
        connection.sendall("\r\n".join(lines).encode() + b"\r\n\r\n" + data[: len(data) // 2])


def named(path: str) -> dict[str, str]:
    return {"filename": path.rpartition("/")[2], "relative_path": path}


def event(kind: str, number: int) -> dict[str, Any]:
    at = datetime.now(UTC).isoformat().replace("+00:00", "Z")
    identity = f"00000000-0000-4000-8000-{number:012}"
    return {"id": identity, "event_type": kind, "timestamp": at, "message": f"{kind} {number}"}
