"""Processor time of the requests that are made most, of the web and of the database (docs/performance.md).

`pytest -m benchmark tests/benchmarks/test_requests.py -s`: in this process, and of a service that has little to do.
"""

import itertools
import json
import os
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import httpx
import psutil
import pytest
from django.db import connection
from django.test import Client

from operations.bench.over_http import HEARTBEAT_BODY
from tests.benchmarks.test_mcp import wait_until_alive
from tests.factories import make_file, make_instrument, make_run, make_token_with_text, make_watcher
from tests.ports import free_port
from tests.service import CHECKOUT

pytestmark = [pytest.mark.benchmark, pytest.mark.django_db(transaction=True)]
ROUNDS, TIMES = 7, 60
METADATA = {"analyst": "Jenny", "wells": [1, 2], "t": 21.5}
RUNS = "/api/v1/instruments/hplc-2/runs"
Send = Callable[[str, str, object], int]


@pytest.fixture
def requests():
    """The four requests, each as a method, a path and a body."""
    hplc = make_instrument(id="hplc-2")
    for number in range(60):
        run = make_run(instrument=hplc, run_id=f"run {number}", caller_metadata=METADATA)
        for _ in range(10 if number == 7 else 1):
            make_file(run=run)
    token, text = make_token_with_text()
    watcher, numbers = make_watcher(instrument=hplc, token=token), itertools.count()
    return text, {
        "GET one run": lambda: ("GET", f"{RUNS}/run%207", None),
        "heartbeat": lambda: ("POST", f"/api/v1/watchers/{watcher.pk}/heartbeat", json.loads(HEARTBEAT_BODY)),
        "create a run": lambda: ("POST", RUNS, {"run_id": f"new {next(numbers)}", "metadata": METADATA}),
        "list of 50": lambda: ("GET", "/api/v1/instrument-runs?per_page=50", None),
    }


@contextmanager
def ended(server: subprocess.Popen[bytes]) -> Iterator[None]:
    try:
        yield
    finally:
        server.terminate()


def processor_seconds(processes: list[psutil.Process]) -> float:
    return sum(one.cpu_times().user + one.cpu_times().system for one in processes)


def show(kind: str, requests, send: Send, used: Callable[[], tuple[float, float]], capsys) -> None:
    """A line a request: milliseconds of the web and of the database, medians of rounds that take turns."""
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in requests}
    for _ in range(ROUNDS):
        for name, make in requests.items():
            before = used()
            for _ in range(TIMES):
                assert send(*make()) < 300, name
            web, database = ((b - a) / TIMES * 1000 for a, b in zip(before, used(), strict=True))
            taken[name].append((web, database))
    for name, pairs in taken.items():
        web, database = (statistics.median(values) for values in zip(*pairs[1:], strict=True))
        with capsys.disabled():
            sys.stdout.write(
                f"\n{kind:11} {name:14} web {web:5.2f} ms   database {database:5.2f} ms   {web + database:5.2f}"
            )


def test_in_this_process(requests, capsys):
    text, asked = requests
    client = Client(headers={"Authorization": f"Bearer {text}"})

    def send(method: str, path: str, body: object) -> int:
        if body is None:
            return client.get(path).status_code
        return client.post(path, body, content_type="application/json").status_code

    def used() -> tuple[float, float]:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_backend_pid()")
            backend = psutil.Process(cursor.fetchone()[0])
        return time.process_time(), processor_seconds([backend])

    show("in-process", asked, send, used, capsys)


def test_of_a_service(requests, capsys):
    text, asked = requests
    port, name = free_port(), connection.settings_dict["NAME"]
    database = re.sub(r"(//[^/]*/)[^?]*", rf"\g<1>{name}", os.environ["DATABASE_URL"])
    environ = os.environ | {"PUBLIC_URL": f"http://127.0.0.1:{port}", "DATABASE_URL": database}
    command = [sys.executable, "-m", "uvicorn", "config.asgi:application", "--port", str(port), "--no-access-log"]
    with subprocess.Popen(command, env=environ, cwd=CHECKOUT, stderr=subprocess.DEVNULL) as server, ended(server):
        base, web = f"http://127.0.0.1:{port}", psutil.Process(server.pid)
        wait_until_alive(base)
        http = httpx.Client(timeout=30, headers={"Authorization": f"Bearer {text}"})

        def backends() -> list[psutil.Process]:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pid FROM pg_stat_activity WHERE datname = current_database()")
                return [psutil.Process(pid) for (pid,) in cursor.fetchall()]

        known: dict[int, psutil.Process] = {}

        def used() -> tuple[float, float]:
            known.update((one.pid, one) for one in backends())
            return processor_seconds([web]), processor_seconds([one for one in known.values() if one.is_running()])

        show(
            "service",
            asked,
            lambda method, path, body: (
                http.request(method, base + path, json=body).status_code
                if body is not None
                else http.get(base + path).status_code
            ),
            used,
            capsys,
        )
