"""Web servers that are measured over HTTP: one process of four threads each, asked over eight kept connections."""

import http.client
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from django.conf import settings
from django.db import connection
from psycopg.conninfo import make_conninfo

from operations.embedded.commands import build_web_command
from operations.embedded.programs import QUERY_NICENESS
from operations.embedded.sockets import listen_in
from web.server.query_server import QUERY_SOCKET

OUR_HTTP = ("--http", "web.server.http:BoundedHttp")  # which hands connections over, and bounds what comes on them
SERVICE, FLOOR = "config.asgi:application", "tests.benchmarks.floor:application"
CONNECTIONS, THREADS, SECONDS, ROUNDS = 8, 4, 4.0, 2
UNLIMITED_RATES = {  # counted as always, never refused
    "REQUESTS_PER_SECOND": "1000000",
    "REQUEST_BURST": "10000000",
    "EVENTS_PER_SECOND": "1000000",
    "EVENT_BURST": "10000000",
}


@dataclass(frozen=True)
class Request:
    """What every connection asks for again and again; anything but 200 ends the measure."""

    method: str
    path: str
    token: str
    body: str | None = None


@dataclass(frozen=True)
class Server:
    port: int
    pid: int

    @property
    def resident_bytes(self) -> int:
        pages = int(Path(f"/proc/{self.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")

    def measure_rate(self, request: Request) -> float:
        """Answers a second."""
        with ThreadPoolExecutor(CONNECTIONS) as pool:
            until = time.perf_counter() + SECONDS
            answers = sum(pool.map(lambda _: _send_requests(self.port, request, until), range(CONNECTIONS)))
        return answers / SECONDS


def measure_rates(request: Request, *servers: Server) -> list[float]:
    """Of each server the better of two rounds, taken by turns."""
    rounds = [[server.measure_rate(request) for server in servers] for _ in range(ROUNDS)]
    return [max(column) for column in zip(*rounds, strict=True)]


@contextmanager
def run_server(application: str, *options: str) -> Iterator[Server]:
    """One uvicorn on a free port of this machine; ended afterwards."""
    port = _free_port()
    command = [sys.executable, "-m", "uvicorn", application, "--port", str(port), "--log-level", "critical", *options]
    process = subprocess.Popen(command, cwd=settings.BASE_DIR, env=_build_environment(), stderr=subprocess.DEVNULL)
    try:
        _wait_for(port, process)
        yield Server(port, process.pid)
    finally:
        process.terminate()
        process.wait()


@contextmanager
def run_query_server() -> Iterator[None]:
    """Web servers that are started within it, with OUR_HTTP, hand over what may take long."""
    with TemporaryDirectory() as folder, listen_in(Path(folder) / "queries.sock") as listener:
        served = ["--fd", str(listener.fileno()), "--workers", "1", "--queries", "600"]
        process = subprocess.Popen(
            [sys.executable, *build_web_command(*served)],
            cwd=settings.BASE_DIR,
            env=_build_environment(),
            pass_fds=[listener.fileno()],
            stderr=subprocess.DEVNULL,
        )
        os.setpriority(os.PRIO_PROCESS, process.pid, QUERY_NICENESS)
        os.environ[QUERY_SOCKET] = str(listener.getsockname())
        try:
            yield
        finally:
            del os.environ[QUERY_SOCKET]
            process.terminate()
            process.wait()


def _build_environment() -> dict[str, str]:
    known = {name: str(value) for name, value in connection.get_connection_params().items() if value is not None}
    address = {name: known[name] for name in ("host", "port", "user", "password", "dbname") if name in known}
    return os.environ | UNLIMITED_RATES | {"DATABASE_URL": make_conninfo(**address), "WEB_THREADS": str(THREADS)}


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise RuntimeError("The web server does not start. The floor needs the packages of requirements-test.lock.")


def _send_requests(port: int, request: Request, until: float) -> int:
    """How many answers came after the first two, which warm the connection."""
    line, answers = http.client.HTTPConnection("127.0.0.1", port), -2
    headers = {"Authorization": f"Bearer {request.token}", "Content-Type": "application/json"}
    while time.perf_counter() < until:
        line.request(request.method, request.path, body=request.body, headers=headers)
        answer = line.getresponse()
        answer.read()
        if answer.status != 200:
            raise RuntimeError(f"{request.path} answered {answer.status}.")
        answers += 1
    line.close()
    return max(answers, 0)
