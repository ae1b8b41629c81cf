"""What held-open bodies cost: `pytest -m benchmark tests/benchmarks/test_body_memory.py`."""

import os
import socket
import subprocess
import sys
from contextlib import ExitStack, suppress
from urllib.parse import urlsplit

import psutil
import pytest
import requests

from tests.live_server import address_of, listening
from tests.service import CHECKOUT
from tests.web.front_door import CREDENTIAL

pytestmark = pytest.mark.benchmark
MIB = 1024 * 1024
CONNECTIONS, BODY_BYTES = 150, 4 * MIB
SERVER = "tests.benchmarks.body_server:application"


@pytest.mark.parametrize(("credential", "most_mib"), [({}, 40), (CREDENTIAL, 200)], ids=["anonymous", "well-formed"])
def test_150_bodies_of_4_mib_that_do_not_end(capsys, credential, most_mib):
    with listening() as sock, ExitStack() as held:
        command = [
            sys.executable,
            "-m",
            "uvicorn",
            SERVER,
            "--fd",
            str(sock.fileno()),
            "--http",
            "web.server.http:BoundedHttp",
        ]
        server = subprocess.Popen([*command, "--log-level", "error"], pass_fds=[sock.fileno()], cwd=CHECKOUT)
        held.callback(server.wait, 20)
        held.callback(server.terminate)
        url = address_of(sock)
        requests.get(url, timeout=60)
        before = psutil.Process(server.pid).memory_info().rss

        for _ in range(CONNECTIONS):
            held.enter_context(send_all_but_the_end(url, credential))
        requests.get(url, timeout=20)
        grown = (psutil.Process(server.pid).memory_info().rss - before) / MIB

    with capsys.disabled():
        print(f"\n{CONNECTIONS} bodies of {BODY_BYTES // MIB} MiB held open: {grown:+.0f} MiB, pid {os.getpid()}")
    assert grown < most_mib


def send_all_but_the_end(url, credential):
    """As much of it as the server takes within a moment."""
    parts = urlsplit(url)
    connection = socket.create_connection((parts.hostname, parts.port), timeout=2)
    lines = "".join(f"{name}: {value}\r\n" for name, value in credential.items())
    head = f"POST /api/v1/instruments/a/runs HTTP/1.1\r\nHost: a\r\nContent-Length: {BODY_BYTES}\r\n{lines}\r\n"
    with suppress(OSError):
        connection.sendall(head.encode() + bytes(BODY_BYTES - 1))
    return connection
