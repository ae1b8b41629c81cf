"""One instrument sends more files than are soon read: each is queued once, and the file of another passes them."""

import hashlib
import threading
import time
import zlib

import psycopg
import pytest
import redis
import requests

from operations.embedded.sockets import choose_socket_directory
from operations.embedded.valkey import Valkey
from tests.faults.checker import embedded_database
from tests.faults.journal import store_run, wait_until

pytestmark = pytest.mark.faults

FILES = 500
PASSES_WITHIN = 10  # seconds
ON_THE_WAY = 6  # tasks that workers have taken from the queue and whose jobs they have not leased yet, or the reverse
WAITING = "SELECT count(*) FROM processing_processingjob WHERE state IN ('waiting', 'running')"


class Watch:
    """Compares the queue with what waits, again and again."""

    def __init__(self, service) -> None:
        sockets = choose_socket_directory(service.data)
        self.queue = redis.Redis.from_url(Valkey(data=service.data, sockets=sockets, log=service.data / "log").url)
        self.database = psycopg.connect(embedded_database(service.data), autocommit=True)
        self.seen: list[tuple[int, int]] = []
        self.stopped = threading.Event()
        self.thread = threading.Thread(target=self._work)

    def waiting(self) -> int:
        [(count,)] = self.database.execute(WAITING)
        return int(count)

    def _work(self) -> None:
        while not self.stopped.wait(0.2):
            before, queued = self.waiting(), int(self.queue.llen("processing"))
            self.seen.append((queued, max(before, self.waiting())))  # jobs may come, or go, between two looks

    def __enter__(self) -> "Watch":
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopped.set()
        self.thread.join()
        self.database.close()


def store_file(call, instrument: str, *, filename: str = "a.csv") -> int:
    """One file of another instrument; its id."""
    data = b"nm,AU\n1,2\n2,3\n3,4\n"
    call("POST", "/instruments", {"id": instrument})
    call("POST", f"/instruments/{instrument}/runs", {"run_id": "one"})
    about = {"filename": filename, "size_bytes": len(data), "crc32": f"{zlib.crc32(data):08x}"}
    about["sha256"] = hashlib.sha256(data).hexdigest()
    ticket = call("POST", f"/instruments/{instrument}/runs/one/request-upload-url", about).json()
    assert requests.put(ticket["upload_url"], data=data, headers=ticket["headers"], timeout=60).ok
    assert call("PATCH", f"/files/{ticket['file_id']}", {"status": "uploaded"}).status_code == 200
    return ticket["file_id"]


def test_a_flood_is_queued_once_and_another_instruments_file_passes_it(service, call, tell):
    path = store_run(call, "flood", {f"{n}.csv": f"nm,AU\n1,{n}\n2,3\n3,4\n".encode() for n in range(FILES)})
    text = service.manage("create_token", "again", "--scopes", "runs:reprocess").strip()
    with Watch(service) as watch:
        again = call("POST", f"{path}/reprocess", headers={"Authorization": f"Bearer {text}"})
        assert again.json()["files_queued"] == FILES

        file_id = store_file(call, "quiet-1")
        began = time.monotonic()
        wait_until(
            lambda: call("GET", f"/files/{file_id}").json()["status"] == "completed", seconds=120, why="it is read"
        )
        passed, left = time.monotonic() - began, watch.waiting()
        wait_until(lambda: watch.waiting() == 0, seconds=480, why="the flood is read")

    took = time.monotonic() - began
    longest = max(queued for queued, _ in watch.seen)
    tell(f"{FILES} files in {took:.0f} s, {longest} tasks at most; the other in {passed:.1f} s, when {left} were left")
    assert [(queued, waiting) for queued, waiting in watch.seen if queued > 1.1 * waiting + ON_THE_WAY] == []
    assert left > 0
    assert passed <= PASSES_WITHIN
