"""What a script does to upload a file: ask where, send, say so."""

import hashlib
from pathlib import PurePosixPath
from typing import Any

import requests

from files.storage.checksums import crc32_of
from runs.models import Run
from tests.clients import Api


def path_of(run: Run) -> str:
    return f"/api/v1/instruments/{run.instrument_id}/runs/{run.run_id}"


def announced(data: bytes, path: str = "scan.raw", **more: Any) -> dict[str, Any]:
    return {
        "filename": PurePosixPath(path).name,
        "relative_path": path,
        "size_bytes": len(data),
        "sha256": hashlib.sha256(data).hexdigest(),
        "crc32": crc32_of(data),
        **more,
    }


def ask(api: Api, run: Run, data: bytes, path: str = "scan.raw", **more: Any) -> dict[str, Any]:
    """The answer of request-upload-url."""
    answer: Any = api.post(f"{path_of(run)}/request-upload-url", announced(data, path, **more))
    assert answer.status_code == 200, answer.content
    return answer.json()


def put(ticket: dict[str, Any], data: bytes) -> requests.Response:
    return requests.request(
        ticket.get("method", "PUT"), ticket["upload_url"], data=data, headers=ticket["headers"], timeout=30
    )


def say_uploaded(api: Api, file_id: int) -> Any:
    return api.patch(f"/api/v1/files/{file_id}", {"status": "uploaded"})


def upload(api: Api, run: Run, data: bytes, path: str = "scan.raw", **more: Any) -> int:
    """The whole way; the id of the file."""
    ticket = ask(api, run, data, path, **more)
    assert put(ticket, data).ok
    assert say_uploaded(api, ticket["file_id"]).status_code == 200
    return ticket["file_id"]


def part_sums(ticket: dict[str, Any], data: bytes) -> list[dict[str, Any]]:
    return [
        {"part_number": number + 1, "crc32": crc32_of(part_of(ticket, data, number + 1))}
        for number in range(ticket["part_count"])
    ]


def part_of(ticket: dict[str, Any], data: bytes, part_number: int) -> bytes:
    size = ticket["part_size"]
    return data[(part_number - 1) * size : part_number * size]


def send_parts(api: Api, ticket: dict[str, Any], data: bytes) -> list[dict[str, Any]]:
    """Every part through its own URL; what `complete` is told of them."""
    asked = {"upload_id": ticket["upload_id"], "parts": part_sums(ticket, data)}
    answer: Any = api.post(f"/api/v1/files/{ticket['file_id']}/multipart-upload/part-urls", asked)
    assert answer.status_code == 200, answer.content
    sent = []
    for part in answer.json()["parts"]:
        stored = put(part, part_of(ticket, data, part["part_number"]))
        assert stored.ok, stored.text
        sent.append({"part_number": part["part_number"], "etag": stored.headers["ETag"]})
    return sent


def complete(api: Api, ticket: dict[str, Any], sent: list[dict[str, Any]]) -> Any:
    path = f"/api/v1/files/{ticket['file_id']}/multipart-upload/complete"
    return api.post(path, {"upload_id": ticket["upload_id"], "parts": sent})


def part_urls(api, ticket, parts):
    path = f"/api/v1/files/{ticket['file_id']}/multipart-upload/part-urls"
    return api.post(path, {"upload_id": ticket["upload_id"], "parts": parts})


def abort(api, ticket):
    return api.delete(f"/api/v1/files/{ticket['file_id']}/multipart-upload", {"upload_id": ticket["upload_id"]})
