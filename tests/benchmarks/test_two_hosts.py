"""What a second host of web servers adds, over one database (docs/performance.md, Two hosts).

`REQUESTS_PER_SECOND=0 pytest -m benchmark tests/benchmarks/test_two_hosts.py -s`: a host is a web server that has a
share of one core and no more (Linux's control groups), so that both fit this machine beside the database and who asks.
One and two take turns; each has clients of its own on kept connections, as behind a proxy that spreads them.
"""

import http.client
import itertools
import json
import statistics
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from operations.bench.over_http import HEARTBEAT_BODY
from operations.bench.serving import OUR_HTTP, SERVICE, run_server
from tests.factories import make_instrument, make_run, make_token_with_text, make_watcher

pytestmark = [pytest.mark.benchmark, pytest.mark.django_db(transaction=True)]
GROUPS, PERIOD, SHARE = Path("/sys/fs/cgroup/cpu"), 20_000, 0.25  # microseconds, of a core
ROUNDS, SECONDS, CLIENTS = 5, 4.0, 4
NUMBERS = itertools.count()


@contextmanager
def holding(pid: int) -> Iterator[None]:
    """Within it the process has SHARE of a core."""
    group = GROUPS / f"ids-bench-{pid}"
    group.mkdir()
    try:
        (group / "cpu.cfs_period_us").write_text(str(PERIOD))
        (group / "cpu.cfs_quota_us").write_text(str(int(PERIOD * SHARE)))
        (group / "cgroup.procs").write_text(str(pid))
        yield
        (GROUPS / "cgroup.procs").write_text(str(pid))
    finally:
        group.rmdir()


def ask_for(seconds: float, port: int, watcher: str, key: str) -> int:
    """A heartbeat, a list, a run and a new run, again and again; how many were answered."""
    line = http.client.HTTPConnection("127.0.0.1", port)
    headers = {"Authorization": key, "Content-Type": "application/json"}
    runs, end, answered = "/api/v1/instruments/hplc-2/runs", time.monotonic() + seconds, 0
    while time.monotonic() < end:
        for method, path, body in (
            ("POST", f"/api/v1/watchers/{watcher}/heartbeat", HEARTBEAT_BODY),
            ("GET", "/api/v1/instrument-runs?per_page=50", None),
            ("GET", f"{runs}/run%207", None),
            ("POST", runs, json.dumps({"run_id": f"new {next(NUMBERS)}"})),
        ):
            line.request(method, path, body=body, headers=headers)
            answer = line.getresponse()
            assert answer.status < 300, answer.read()
            answer.read()
            answered += 1
    line.close()
    return answered


@pytest.mark.skipif(not (GROUPS / "cpu.cfs_quota_us").exists(), reason="needs control groups (cpu, version 1)")
def test_a_second_host_adds_its_share(capsys):
    hplc = make_instrument(id="hplc-2")
    for number in range(60):
        make_run(instrument=hplc, run_id=f"run {number}")
    token, text = make_token_with_text()
    watcher = str(make_watcher(instrument=hplc, token=token).pk)
    ratios, rates = [], []

    def measure(ports: list[int]) -> float:
        asked = [port for port in ports for _ in range(CLIENTS)]
        with ThreadPoolExecutor(len(asked)) as pool:
            return sum(pool.map(lambda port: ask_for(SECONDS, port, watcher, f"Bearer {text}"), asked)) / SECONDS

    with ExitStack() as stack:
        servers = [stack.enter_context(run_server(SERVICE, *OUR_HTTP)) for _ in range(2)]
        for server in servers:
            stack.enter_context(holding(server.pid))
        ports = [server.port for server in servers]
        measure(ports)
        for number in range(ROUNDS):
            one, two = measure([ports[number % 2]]), measure(ports)
            rates.append((one, two))
            ratios.append(two / one)

    with capsys.disabled():
        one, two = (statistics.median(each) for each in zip(*rates, strict=True))
        sys.stdout.write(
            f"\none host {one:.0f} requests a second, two {two:.0f}; of each round {statistics.median(ratios):.2f}"
            f" ({min(ratios):.2f} to {max(ratios):.2f}); >= 1.8\n"
        )
    assert rates
