"""The broker and cache is killed, or stopped for a minute: no write fails, nothing is lost, the backlog drains."""

import os
import signal
import threading
import time

import pytest

from tests.faults.journal import ready_archive, store_run, wait_until

pytestmark = pytest.mark.faults

AWAY_SECONDS = {"stopped": 60, "killed": 10}  # what was killed is back after a second
DRAIN_SECONDS = 30
STALL = 1.0  # seconds; below it a doubled answer says more of the machine than of the service


class Writer:
    """Comments on a run, again and again, and keeps a journal of what it was told and how long that took."""

    def __init__(self, call, path) -> None:
        self.call, self.path = call, path
        self.statuses: list[int] = []
        self.seconds: list[float] = []
        self.stopped = threading.Event()
        self.thread = threading.Thread(target=self._work)

    def _work(self) -> None:
        while not self.stopped.is_set():
            began = time.monotonic()
            answer = self.call("POST", f"{self.path}/comments", {"body": f"note {len(self.statuses)}"})
            self.seconds.append(time.monotonic() - began)
            self.statuses.append(answer.status_code)
            self.stopped.wait(0.05)

    def __enter__(self) -> "Writer":
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopped.set()
        self.thread.join()

    def p99(self) -> float:
        return sorted(self.seconds)[int(len(self.seconds) * 0.99) - 1]


@pytest.mark.parametrize("way", ["stopped", "killed"])
def test_no_write_fails_and_the_backlog_drains(service, call, way, tell):
    path = store_run(call, f"calm-{way}", {"a.csv": b"a"})
    archived = [store_run(call, f"{way}-{number}", {"a.csv": str(number).encode()}) for number in range(5)]
    with Writer(call, path) as calm:
        time.sleep(10)

    with Writer(call, path) as stormy:
        take_away(service, way)
        for run in archived:
            assert call("GET", f"{run}/download-archive").status_code == 202
        time.sleep(AWAY_SECONDS[way])
        bring_back(service, way)
        began = time.monotonic()
        for run in archived:
            ready_archive(call, run, seconds=DRAIN_SECONDS - (time.monotonic() - began))
        drained = time.monotonic() - began

    assert set(calm.statuses + stormy.statuses) == {201}
    total = call("GET", path).json()["comment_count"]
    assert total == len(calm.statuses) + len(stormy.statuses)
    paces = f"p99 {calm.p99() * 1000:.0f} ms calm, {stormy.p99() * 1000:.0f} ms while away"
    saw = f"{way}: {paces}, {total} writes, drained in {drained:.1f} s"
    tell(saw)
    assert stormy.p99() <= max(2 * calm.p99(), STALL), saw


def take_away(service, way: str) -> None:
    for pid in service.pids("valkey"):
        os.kill(pid, signal.SIGSTOP if way == "stopped" else signal.SIGKILL)


def bring_back(service, way: str) -> None:
    """The supervisor brings back what was killed; what was stopped goes on."""
    if way == "stopped":
        for pid in service.pids("valkey"):
            os.kill(pid, signal.SIGCONT)
    wait_until(lambda: service.pids("valkey"), seconds=30, why="valkey runs")
