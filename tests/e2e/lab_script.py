"""What a lab's own script does with the service: plain requests, a token, and nothing else."""

import hashlib
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import requests
from requests.adapters import HTTPAdapter
from urllib3 import Retry

BLOCK = 1024 * 1024
PART_URLS = 16
READ_BACK = "being read back"
PATIENT = Retry(  # a 429 is answered as it asks: wait, then again
    total=20, connect=0, read=False, status_forcelist=(429,), allowed_methods=None, raise_on_status=False
)


class LabScript:
    """One token at one service."""

    def __init__(self, base_url: str, token: str) -> None:
        self.root = f"{base_url}/api/v1"
        self.http = requests.Session()
        self.http.trust_env = False
        self.http.mount(base_url, HTTPAdapter(max_retries=PATIENT))
        self.http.headers["Authorization"] = f"Bearer {token}"

    def call(self, method: str, path: str, body: Any = None, **query: Any) -> Any:
        answer = self.http.request(method, self.root + path, json=body, params=query, timeout=60)
        assert answer.ok, f"{method} {path}: {answer.status_code} {answer.text}"
        return answer.json()

    def find_runs(self, **query: Any) -> list[str]:
        return [run["run_id"] for run in self.call("GET", "/instrument-runs", **query)["data"]]

    def upload(self, run: str, path: Path, relative_path: str, **more: Any) -> int:
        """Send one file of a run, at once or in parts; its id."""
        said = {"filename": path.name, "relative_path": relative_path, **sums(path), **more}
        ticket = self.call("POST", f"{run}/request-upload-url", said)
        if ticket["already_uploaded"]:
            return ticket["file_id"]
        if ticket["upload_type"] == "multipart":
            return self._upload_parts(ticket, path)
        with path.open("rb") as data:
            body = data if said["size_bytes"] else b""  # requests would send an empty file in chunks
            store(ticket["method"], ticket["upload_url"], data=body, headers=ticket["headers"])
        self.call("PATCH", f"/files/{ticket['file_id']}", {"status": "uploaded"})
        return ticket["file_id"]

    def download(self, file_id: int) -> str:
        """The SHA-256 of what a person would get, by way of the redirect."""
        answer = self.http.get(f"{self.root}/files/{file_id}/download", allow_redirects=False, timeout=60)
        assert answer.status_code == 302, answer.text
        digest = hashlib.sha256()
        for block in store("GET", answer.headers["Location"], stream=True).iter_content(BLOCK):
            digest.update(block)
        return digest.hexdigest()

    def _upload_parts(self, ticket: dict[str, Any], path: Path) -> int:
        upload = f"/files/{ticket['file_id']}/multipart-upload"
        numbers, sent = range(1, ticket["part_count"] + 1), []
        for first in range(0, len(numbers), PART_URLS):
            parts = [
                {"part_number": number, "crc32": crc32(part_of(path, ticket, number))}
                for number in numbers[first : first + PART_URLS]
            ]
            asked = {"upload_id": ticket["upload_id"], "parts": parts}
            for part in self.call("POST", f"{upload}/part-urls", asked)["parts"]:
                data = b"".join(part_of(path, ticket, part["part_number"]))
                stored = store("PUT", part["upload_url"], data=data, headers=part["headers"])
                sent.append({"part_number": part["part_number"], "etag": stored.headers["ETag"]})
        self._complete(upload, {"upload_id": ticket["upload_id"], "parts": sent})
        return ticket["file_id"]

    def _complete(self, upload: str, body: dict[str, Any]) -> None:
        """Where the store compares no checksums, large files are read back first; Retry-After says until when."""
        answer = self.http.post(f"{self.root}{upload}/complete", json=body, timeout=60)
        while answer.status_code == 503 and READ_BACK in answer.text:
            time.sleep(int(answer.headers["Retry-After"]))
            answer = self.http.post(f"{self.root}{upload}/complete", json=body, timeout=60)
        assert answer.ok, f"POST {upload}/complete: {answer.status_code} {answer.text}"


def path_of(instrument: str, run_id: str) -> str:
    return f"/instruments/{instrument}/runs/{quote(run_id, safe='')}"


def store(method: str, url: str, **more: Any) -> requests.Response:
    """A call to the object store: the signed URL is all it gets."""
    answer = requests.request(method, url, timeout=120, **more)
    assert answer.ok, f"{method} of the store: {answer.status_code} {answer.text[:300]}"
    return answer


def sums(path: Path) -> dict[str, Any]:
    digest, checksum, size = hashlib.sha256(), 0, 0
    for block in blocks(path):
        digest.update(block)
        checksum = zlib.crc32(block, checksum)
        size += len(block)
    return {"size_bytes": size, "sha256": digest.hexdigest(), "crc32": f"{checksum:08x}"}


def crc32(pieces: Iterator[bytes]) -> str:
    checksum = 0
    for piece in pieces:
        checksum = zlib.crc32(piece, checksum)
    return f"{checksum:08x}"


def part_of(path: Path, ticket: dict[str, Any], part_number: int) -> Iterator[bytes]:
    size = ticket["part_size"]
    return blocks(path, start=(part_number - 1) * size, length=size)


def blocks(path: Path, *, start: int = 0, length: int | None = None) -> Iterator[bytes]:
    left = path.stat().st_size if length is None else length
    with path.open("rb") as data:
        data.seek(start)
        while left and (block := data.read(min(BLOCK, left))):
            left -= len(block)
            yield block
