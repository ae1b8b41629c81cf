"""The disk of the whole service is full: writes are 503, reading works, and with room it goes on by itself."""

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress

import pytest

from tests.faults.checker import differences, embedded_database, on_disk
from tests.faults.journal import store_run, wait_until
from tests.faults.load import Load
from tests.service import Service

pytestmark = pytest.mark.faults

SIZE_MIB = 700  # a twentieth of it, 35 MiB, is kept for the database
FULL_SECONDS = 10
BLOCK = 4096


@pytest.fixture(scope="module")
def service(tmp_path_factory) -> Iterator[Service]:
    """On a small file system of its own."""
    place = tmp_path_factory.mktemp("full") / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={SIZE_MIB}m,mode=755", "tmpfs", str(place)]
    if os.geteuid() != 0 or subprocess.run(mount, check=False, capture_output=True).returncode != 0:
        pytest.skip("only root can mount a small file system, and not in every container")
    try:
        with Service(place / "data", REQUESTS_PER_SECOND="0") as running:  # load is not what is limited
            yield running
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


def fill(service, *, leave: int) -> None:
    """Somebody else's file takes all but `leave` bytes."""
    with (service.data.parent / "filler").open("wb", buffering=0) as file, suppress(OSError):
        while (free := os.statvfs(service.data).f_bavail) > leave // BLOCK:
            file.write(bytes(min(free - leave // BLOCK, 1024) * BLOCK))


@pytest.mark.parametrize("leave", [10 * 2**20, 0], ids=["nearly", "wholly"])
def test_writes_are_503_reading_works_and_it_recovers(service, call, token, tell, leave):
    path = store_run(call, f"before-{leave}", {"a.raw": b"bytes"})
    with Load(service.url, token, name=f"full-{leave}") as load:
        time.sleep(2)
        fill(service, leave=leave)
        full = time.monotonic() + 1.5  # the service looks once a second
        reads = []
        while time.monotonic() < full + FULL_SECONDS:
            reads += [call("GET", path).status_code, call("GET", "/instruments").status_code]
            time.sleep(0.5)
        refused = {entry.status for entry in load.journal.entries if full < entry.began < time.monotonic() - 1}
        (service.data.parent / "filler").unlink()
        wait_until(
            lambda: call("POST", "/instruments/faults-1/runs", {"run_id": f"after-{leave}"}).ok, seconds=30, why="room"
        )
        time.sleep(1)
        settled = time.monotonic()
        time.sleep(2)

    died = [part for part in ("postgres", "valkey", "web", "worker") if f"{part} ended" in service.log.read_text()]
    tell(
        f"{leave} bytes left for {FULL_SECONDS} s: {len(reads)} reads, {died or 'nothing'} died; {load.journal.story()}"
    )
    assert f"ended with code -{signal.SIGBUS}" not in service.log.read_text()
    assert set(reads) == {200}
    assert refused == {503}
    assert set(load.journal.statuses()) <= {200, 201, 503}
    assert load.journal.without_advice() == []
    assert {entry.status for entry in load.journal.entries if entry.began > settled} <= {200, 201}
    assert differences(embedded_database(service.data), on_disk(service.data), load.journal) == []
