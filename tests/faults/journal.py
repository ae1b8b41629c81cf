"""What a client did and was told, and what it left behind: the two must agree."""

import hashlib
import time
import zlib
from collections.abc import Callable
from typing import Any

import requests


def store_run(
    call: Callable[..., requests.Response], name: str, files: dict[str, bytes], *, instrument: str = "faults-1"
) -> str:
    """A run with these files stored; its path."""
    call("POST", "/instruments", {"id": instrument})
    path = f"/instruments/{instrument}/runs/{name}"
    assert call("POST", f"/instruments/{instrument}/runs", {"run_id": name}).status_code in (200, 201)
    for filename, data in files.items():
        store_file(call, path, filename, data)
    return path


def store_file(call: Callable[..., requests.Response], path: str, filename: str, data: bytes) -> int:
    """A file of a run, stored unless its bytes are there; its id."""
    about = {"filename": filename, "size_bytes": len(data), "crc32": f"{zlib.crc32(data):08x}"}
    about["sha256"] = hashlib.sha256(data).hexdigest()
    ticket = call("POST", f"{path}/request-upload-url", about).json()
    if not ticket["already_uploaded"]:
        assert requests.put(ticket["upload_url"], data=data, headers=ticket["headers"], timeout=60).ok
        assert call("PATCH", f"/files/{ticket['file_id']}", {"status": "uploaded"}).status_code == 200
    return int(ticket["file_id"])


def wait_until(is_so: Callable[[], Any], *, seconds: float, why: str, pause: float = 0.1) -> Any:
    """What `is_so` answers once it is true; fails with `why` after so many seconds. Bounded, never lucky."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := is_so():
            return found
        time.sleep(pause)
    raise AssertionError(f"not within {seconds} s: {why}")


def ready_archive(call: Callable[..., requests.Response], path: str, *, seconds: float) -> dict[str, Any]:
    """Polls until the archive is ready, as a person's browser would."""

    def poll() -> dict[str, Any] | None:
        answer = call("GET", f"{path}/download-archive", headers={"Accept": "application/json"})
        assert answer.status_code in (200, 202), answer.text
        return answer.json() if answer.status_code == 200 else None

    return wait_until(poll, seconds=seconds, why="the archive is ready")
