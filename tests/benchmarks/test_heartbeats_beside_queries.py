"""Heartbeats while four queries over datasets run, beside calm, in turn (docs/performance.md).

`pytest -m benchmark tests/benchmarks/test_heartbeats_beside_queries.py -s`: one web process, and the one that
queries are handed over to; a heartbeat every 50 ms at its moment, so that a late answer counts as late; whoever queries
is a process of its own and asks again at once.
"""

import http.client
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import psutil
import pytest

from operations.bench.over_http import HEARTBEAT_BODY
from operations.bench.serving import OUR_HTTP, SERVICE, run_query_server, run_server
from tests.benchmarks.test_datasets import make_axis_dataset
from tests.factories import make_instrument, make_token_with_text, make_watcher

pytestmark = [pytest.mark.benchmark, pytest.mark.django_db(transaction=True)]
ROUNDS, SECONDS, EVERY, MANY_ROWS = 3, 5.0, 0.05, 5_000_000
QUERIES = (
    "rows?format=arrow",
    "rows?format=csv&columns=absorbance",
    "rows?aggregate=median:absorbance&aggregate=stddev:absorbance&where=absorbance:gt:-1",
    "rows?format=arrow&order_by=-absorbance&limit=1000",
)
ASK_ALWAYS = """
import sys, urllib.request
address, key = sys.argv[1:]
while True:
    with urllib.request.urlopen(urllib.request.Request(address, headers={"Authorization": key})) as answer:
        while answer.read(1 << 20):
            pass
    print(flush=True)
"""


@contextmanager
def querying(base: str, key: str) -> Iterator[list[int]]:
    """Four at once; how many answers each had, at the end."""
    commands = [[sys.executable, "-c", ASK_ALWAYS, f"{base}/{query}", key] for query in QUERIES]
    asking = [subprocess.Popen(command, stdout=subprocess.PIPE) for command in commands]
    answers: list[int] = []
    try:
        time.sleep(1)
        yield answers
        assert [one.poll() for one in asking] == [None] * len(asking)
    finally:
        for one in asking:
            one.terminate()
            answers.append(one.communicate()[0].count(b"\n"))


class Heart:
    """One watcher on a kept connection."""

    def __init__(self, port: int, path: str, key: str) -> None:
        self.line, self.path = http.client.HTTPConnection("127.0.0.1", port), path
        self.headers = {"Authorization": key, "Content-Type": "application/json"}

    def beat(self) -> None:
        self.line.request("POST", self.path, body=HEARTBEAT_BODY, headers=self.headers)
        answer = self.line.getresponse()
        assert answer.status == 200, answer.read()
        answer.read()

    def beat_for(self, seconds: float) -> list[float]:
        """From the moment that each was due."""
        began, taken = time.perf_counter(), []
        for number in range(int(seconds / EVERY)):
            due = began + number * EVERY
            time.sleep(max(0.0, due - time.perf_counter()))
            self.beat()
            taken.append(time.perf_counter() - due)
        return taken


def at(share: float, taken: list[float]) -> float:
    """Milliseconds."""
    return 1e3 * sorted(taken)[int(share * len(taken))]


def test_heartbeats_do_not_wait_for_queries(capsys, monkeypatch):
    dataset = make_axis_dataset(MANY_ROWS, monkeypatch)
    token, text = make_token_with_text()
    watcher = make_watcher(instrument=make_instrument(), token=token)
    key, path = f"Bearer {text}", f"/api/v1/watchers/{watcher.pk}/heartbeat"
    calm: list[float] = []
    beside: list[float] = []
    answers: list[int] = []

    with run_query_server(), run_server(SERVICE, *OUR_HTTP) as server:
        heart, base = Heart(server.port, path, key), f"http://127.0.0.1:{server.port}/api/v1/datasets/{dataset.pk}"
        heart.beat_for(2)
        for _ in range(ROUNDS):
            calm += heart.beat_for(SECONDS)
            with querying(base, key) as answered:
                beside += heart.beat_for(SECONDS)
            answers += answered

    assert sum(answers) >= ROUNDS
    with capsys.disabled():
        for name, taken in (("calm", calm), ("four queries", beside)):
            sys.stdout.write(f"\n{name:12} median {at(0.5, taken):6.1f} ms, p99 {at(0.99, taken):6.1f} ms")
        ratio = at(0.99, beside) / at(0.99, calm)
        load = psutil.getloadavg()[0]
        sys.stdout.write(f"\np99 {ratio:.2f} (<= 2), {sum(answers)} answers, load {load:.1f}\n")
