"""Files of 100 kB, four at once, one by one and through the routes that take many (docs/performance.md).

`REQUESTS_PER_SECOND=0 pytest -m benchmark tests/benchmarks/test_small_files.py -s`: a web process for each core, or as
many as WEB_CONCURRENCY says; objects on the disk below the temporary directory, synced as ever; the tests' database
does not sync.
"""

import http.client
import itertools
import json
import os
import re
import subprocess
import sys
import time
import zlib
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import urlsplit

import psutil
import pytest
from django.db import connection

from operations.embedded.programs import count_web_processes
from tests.benchmarks.test_mcp import wait_until_alive
from tests.benchmarks.test_requests import ended, processor_seconds
from tests.factories import make_instrument, make_run, make_token_with_text
from tests.ports import free_port
from tests.service import CHECKOUT

pytestmark = [pytest.mark.benchmark, pytest.mark.django_db(transaction=True)]
ROUNDS, CLIENTS, FILES_PER_CLIENT, TOGETHER = 4, 4, 50, 50
RUN = "/api/v1/instruments/hplc-2/runs/1"
NUMBERS = itertools.count()


class Sender:
    """One client with one kept connection."""

    def __init__(self, port: int, token: str) -> None:
        self.http = http.client.HTTPConnection("127.0.0.1", port)
        self.authorization = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def call(self, method: str, path: str, body: object) -> Any:
        self.http.request(method, path, json.dumps(body), self.authorization)
        answer = self.http.getresponse()
        read = answer.read()
        assert answer.status == 200, read
        return json.loads(read)

    def put(self, ticket: dict[str, Any], data: bytes) -> None:
        url = urlsplit(ticket["upload_url"])
        self.http.request(ticket["method"], f"{url.path}?{url.query}", data, ticket["headers"])
        answer = self.http.getresponse()
        assert answer.read() == b""
        assert answer.status == 200

    def send_singly(self, files: Sequence[bytes]) -> None:
        for data in files:
            ticket = self.call("POST", f"{RUN}/request-upload-url", announce(data))
            self.put(ticket, data)
            self.call("PATCH", f"/api/v1/files/{ticket['file_id']}", {"status": "uploaded"})

    def send_together(self, files: Sequence[bytes]) -> None:
        for begin in range(0, len(files), TOGETHER):
            datas = files[begin : begin + TOGETHER]
            results = self.call("POST", f"{RUN}/files:batch", {"files": [announce(data) for data in datas]})["results"]
            tickets = [result["body"] for result in results]
            for ticket, data in zip(tickets, datas, strict=True):
                self.put(ticket, data)
            asked = {"file_ids": [ticket["file_id"] for ticket in tickets]}
            confirmed = self.call("POST", f"{RUN}/files:confirm", asked)["results"]
            assert {result["body"]["status"] for result in confirmed} == {"uploaded"}


def announce(data: bytes) -> dict[str, Any]:
    name = f"scan {next(NUMBERS)}.raw"
    return {"filename": name, "size_bytes": len(data), "crc32": f"{zlib.crc32(data):08x}"}


def backends() -> list[psutil.Process]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pid FROM pg_stat_activity WHERE datname = current_database()")
        return [psutil.Process(pid) for (pid,) in cursor.fetchall()]


def list_tree(server: psutil.Process) -> list[psutil.Process]:
    return [server, *server.children(recursive=True)]


def test_small_files(tmp_path, capsys):
    make_run(instrument=make_instrument(id="hplc-2"), run_id="1")
    _, text = make_token_with_text()
    port, name = free_port(), connection.settings_dict["NAME"]
    database = re.sub(r"(//[^/]*/)[^?]*", rf"\g<1>{name}", os.environ["DATABASE_URL"])
    address = f"http://127.0.0.1:{port}"
    environ = os.environ | {"PUBLIC_URL": address, "DATABASE_URL": database, "IDS_DATA": str(tmp_path)}
    command = [sys.executable, "-m", "web", "--port", str(port)]
    command += ["--workers", str(count_web_processes()), "--share"]
    with subprocess.Popen(command, env=environ, cwd=CHECKOUT, stderr=subprocess.DEVNULL) as server, ended(server):
        wait_until_alive(address)
        senders, web = [Sender(port, text) for _ in range(CLIENTS)], list_tree(psutil.Process(server.pid))
        ways = {"one by one": Sender.send_singly, "together": Sender.send_together}
        for _, (way, send) in itertools.product(range(ROUNDS), ways.items()):
            said = measure_round(senders, send, web)
            with capsys.disabled():
                sys.stdout.write(f"\n{way:11} {said}   load {os.getloadavg()[0]:.1f}")


def measure_round(
    senders: list[Sender], send: Callable[[Sender, Sequence[bytes]], None], web: list[psutil.Process]
) -> str:
    files = [[os.urandom(100_000) for _ in range(FILES_PER_CLIENT)] for _ in senders]
    count, known = FILES_PER_CLIENT * CLIENTS, backends()
    before, began = (processor_seconds(web), processor_seconds(known), time.process_time()), time.monotonic()
    with ThreadPoolExecutor(CLIENTS) as pool:
        list(pool.map(send, senders, files))
    took = time.monotonic() - began
    after = processor_seconds(web), processor_seconds(backends()), time.process_time()
    web_ms, database_ms, client_ms = ((b - a) / count * 1000 for a, b in zip(before, after, strict=True))
    return (
        f"{count / took:6.1f} files/s   CPU a file: web {web_ms:5.2f} ms   database {database_ms:5.2f} ms   "
        f"client {client_ms:4.2f} ms"
    )
