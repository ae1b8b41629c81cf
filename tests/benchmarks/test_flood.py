"""Two thousand files of one instrument at once: read at the pace of single files, passed by those of another.

`pytest -m benchmark tests/benchmarks/test_flood.py -s`.
"""

import statistics
import sys
import time
from collections.abc import Iterator
from typing import Any

import psutil
import pytest
import requests

from tests.faults.journal import store_file, store_run, wait_until
from tests.faults.queue_watch import QueueWatch
from tests.service import Service

pytestmark = pytest.mark.benchmark
SCOPES = "instruments:read,instruments:create,runs:create,runs:upload,files:read,files:update"
FILES, SINGLE_FILES, WARMING = 2_000, 100, 20
SLOWER, PASSES_WITHIN = 1.2, 10.0  # times a single file's; seconds
EVERY = 5.0  # seconds, until the next file of the other instrument
ENDED = {"completed", "failed"}


@pytest.fixture
def service(tmp_path) -> Iterator[Service]:
    with Service(tmp_path / "data", REQUESTS_PER_SECOND="0") as running:
        yield running


@pytest.fixture
def call(service):
    session = requests.Session()
    session.trust_env = False
    session.headers["Authorization"] = f"Bearer {service.manage('create_token', 'bench', '--scopes', SCOPES).strip()}"

    def send(method: str, path: str, body: Any = None) -> requests.Response:
        return session.request(method, f"{service.url}/api/v1{path}", json=body, timeout=60)

    return send


def test_a_flood_is_read_at_the_pace_of_single_files(service, call, capsys):
    quiet = store_run(call, "one", {}, instrument="quiet-1")
    single = [pass_by(call, quiet, f"single-{number}.csv") for number in range(WARMING + SINGLE_FILES)][WARMING:]
    with QueueWatch(service) as watch:
        readers = [psutil.Process(pid) for pid in service.pids("reader")]
        for reader in readers:
            reader.suspend()
        store_run(call, "flood", {f"{number}.csv": table(number) for number in range(FILES)})
        assert watch.waiting == FILES

        began, passed = time.monotonic(), list[float]()
        for reader in readers:
            reader.resume()
        while watch.waiting:
            passed.append(pass_by(call, quiet, f"passing-{len(passed)}.csv"))
            time.sleep(EVERY)
        took = time.monotonic() - began

    pace = statistics.median(single)
    with capsys.disabled():
        sys.stdout.write(
            f"\na single file {pace:.3f} s; {FILES} at once {took:.0f} s, {took / FILES:.3f} s each,"
            f" {took / FILES / pace:.2f} times as long (target {SLOWER});"
            f" {len(passed)} of another instrument meanwhile: median {statistics.median(passed):.2f} s, longest"
            f" {max(passed):.2f} s (target {PASSES_WITHIN}); {watch.longest_queue} tasks at most\n"
        )
    assert watch.excesses == []
    assert took / FILES <= SLOWER * pace
    assert max(passed) <= PASSES_WITHIN


def table(number: int) -> bytes:
    return f"nm,AU\n1,{number}\n2,3\n3,4\n".encode()


def pass_by(call, run: str, filename: str) -> float:
    """Seconds until a file of another instrument's run is read, from when it is stored."""
    file_id = store_file(call, run, filename, table(len(filename)))
    began = time.monotonic()
    read = f"/files/{file_id}"
    wait_until(lambda: call("GET", read).json()["status"] in ENDED, seconds=120, why="it is read", pause=0.01)
    return time.monotonic() - began
