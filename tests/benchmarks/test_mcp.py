"""What a tool call costs the web process beside its REST route: CPU time, alternately, medians (docs/performance.md).

`pytest -m benchmark tests/benchmarks/test_mcp.py -s`
"""

import itertools
import os
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import httpx
import psutil
import pytest
from django.db import connection

from tests.factories import make_file, make_instrument, make_run, make_token_with_text
from tests.ports import free_port
from tests.service import CHECKOUT

pytestmark = [pytest.mark.benchmark, pytest.mark.django_db(transaction=True)]
REVISION = "2026-07-28"
META = {
    "io.modelcontextprotocol/protocolVersion": REVISION,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
}
OF_RUN = {"instrument_id": "hplc-2", "run_id": "run 7"}
PAIRS: list[tuple[str, str, dict[str, Any]]] = [
    ("/instrument-runs", "search_runs", {}),
    ("/instruments/hplc-2/runs/run%207", "get_run", OF_RUN),
    ("/instruments", "list_instruments", {}),
    ("/system/status", "get_system_status", {}),
    ("/whoami", "whoami", {}),
]
FAR = 2.5  # the target is 1.5


class Web:
    """A web process of its own, and callers that take turns, so that none meets its rate limit."""

    def __init__(self, process: psutil.Process, base: str) -> None:
        self.process, self.base, self.http = process, base, httpx.Client(timeout=30)
        self.turns = itertools.cycle([make_token_with_text()[1] for _ in range(60)])

    def bearer(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {next(self.turns)}"}

    def route(self, path: str) -> None:
        self.http.get(f"{self.base}/api/v1{path}", headers=self.bearer()).raise_for_status()

    def tool(self, name: str, arguments: dict[str, Any]) -> None:
        params = {"name": name, "arguments": arguments, "_meta": META}
        headers = self.bearer() | {"MCP-Protocol-Version": REVISION, "Mcp-Method": "tools/call", "Mcp-Name": name}
        headers["Accept"] = "application/json, text/event-stream"
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        answer = self.http.post(f"{self.base}/mcp/v1", json=body, headers=headers).raise_for_status()
        assert not answer.json()["result"].get("isError"), answer.text

    def milliseconds(self, call: Callable[[], None], times: int = 40) -> float:
        before = self.process.cpu_times()
        for _ in range(times):
            call()
        after = self.process.cpu_times()
        return (after.user + after.system - before.user - before.system) / times * 1000


@pytest.fixture
def web() -> Iterator[Web]:
    hplc = make_instrument(id="hplc-2")
    for number in range(60):
        run = make_run(
            instrument=hplc, run_id=f"run {number}", caller_metadata={"analyst": "Jenny", "wells": [1, 2], "t": 21.5}
        )
        for _ in range(4):
            make_file(run=run)
    port, name = free_port(), connection.settings_dict["NAME"]
    database = re.sub(r"(//[^/]*/)[^?]*", rf"\g<1>{name}", os.environ["DATABASE_URL"])
    environ = os.environ | {"PUBLIC_URL": f"http://127.0.0.1:{port}", "DATABASE_URL": database}
    command = [sys.executable, "-m", "uvicorn", "config.asgi:application", "--port", str(port), "--no-access-log"]
    with subprocess.Popen(command, env=environ, cwd=CHECKOUT, stderr=subprocess.DEVNULL) as server:
        found = Web(psutil.Process(server.pid), f"http://127.0.0.1:{port}")
        wait_until_alive(found.base)
        yield found
        server.terminate()


def wait_until_alive(base: str, *, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            httpx.get(f"{base}/livez", timeout=5).raise_for_status()
            return
        except httpx.HTTPError:
            time.sleep(0.1)
    raise TimeoutError(base)


def test_a_tool_call_costs_little_more_than_its_route(web, capsys):
    for path, tool, arguments in PAIRS:
        measured = [
            (web.milliseconds(partial(web.route, path)), web.milliseconds(partial(web.tool, tool, arguments)))
            for _ in range(8)
        ][1:]
        route, call = (statistics.median(values) for values in zip(*measured, strict=True))
        with capsys.disabled():
            sys.stdout.write(f"\n{tool:20} route {route:5.1f} ms   tool {call:5.1f} ms   ratio {call / route:.2f}")
        assert call / route < FAR
    with capsys.disabled():
        sys.stdout.write(f"\nresident {web.process.memory_info().rss / 1e6:.0f} MB")
