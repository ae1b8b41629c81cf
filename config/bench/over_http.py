"""P3: the run list over HTTP against the floor, a bare Django view, each served by one process of four threads."""

import http.client
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from django.conf import settings
from django.db import connection
from psycopg.conninfo import make_conninfo

from config.bench.history import History
from config.bench.laboratory import Laboratory
from config.bench.measuring import Line

PATH = "/api/v1/instrument-runs"
SERVICE, FLOOR = "config.asgi:application", "tests.benchmarks.floor:application"
CONNECTIONS, THREADS, SECONDS, ROUNDS = 8, 4, 4.0, 2
TARGET = 0.25


def run_list_over_http(lab: Laboratory, history: History) -> Iterator[Line]:
    """Requests a second, in two rounds by turns; the better round of each."""
    with _served(SERVICE) as service, _served(FLOOR) as floor:
        ports, rates = (service, floor), {service: 0.0, floor: 0.0}
        for _ in range(ROUNDS):
            for port in ports:
                rates[port] = max(rates[port], _rate(port, lab.token_text))
    ours, partner = rates[service], rates[floor]
    ratio = ours / partner
    what = "run list over HTTP, 8 connections; the floor"
    yield Line("P3", what, f"{ours:.0f} req/s", f"{partner:.0f} req/s", ratio, f">= {TARGET} times", ratio >= TARGET)


@contextmanager
def _served(application: str) -> Iterator[int]:
    """One uvicorn on a free port of this machine; killed at the end."""
    port = _free_port()
    command = [sys.executable, "-m", "uvicorn", application, "--port", str(port), "--log-level", "critical"]
    server = subprocess.Popen(command, cwd=settings.BASE_DIR, env=_environment(), stderr=subprocess.DEVNULL)
    try:
        _wait_for(port, server)
        yield port
    finally:
        server.terminate()
        server.wait()


def _environment() -> dict[str, str]:
    known = {name: str(value) for name, value in connection.get_connection_params().items() if value is not None}
    address = {name: known[name] for name in ("host", "port", "user", "password", "dbname") if name in known}
    ours = {"DATABASE_URL": make_conninfo(**address), "WEB_THREADS": str(THREADS), "REQUESTS_PER_SECOND": "0"}
    return os.environ | ours


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _wait_for(port: int, server: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and server.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise RuntimeError("The web server does not start. The floor needs the packages of requirements-test.lock.")


def _rate(port: int, token: str) -> float:
    """Answers a second over eight kept connections, after each was warm."""
    with ThreadPoolExecutor(CONNECTIONS) as pool:
        until = time.perf_counter() + SECONDS
        answers = sum(pool.map(lambda _: _ask(port, token, until), range(CONNECTIONS)))
    return answers / SECONDS


def _ask(port: int, token: str, until: float) -> int:
    line, answers = http.client.HTTPConnection("127.0.0.1", port), -2
    while time.perf_counter() < until:
        line.request("GET", PATH, headers={"Authorization": f"Bearer {token}"})
        answer = line.getresponse()
        answer.read()
        if answer.status != 200:
            raise RuntimeError(f"{PATH} answered {answer.status}.")
        answers += 1
    line.close()
    return max(answers, 0)
