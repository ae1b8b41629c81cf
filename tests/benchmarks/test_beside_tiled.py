"""The same tables asked of this service and of Tiled's server, over HTTP on kept connections, in turn.

`TILED=/path/to/bin/tiled pytest -m benchmark tests/benchmarks/test_beside_tiled.py -s`. Tiled has a venv of its own
(`pip install "tiled[all]"`). It reads the very Parquet file that our dataset is, and the same rows as CSV. Both ask for
a key. The processor time of ours is that of the web process and of its database; Tiled keeps its catalogue within.
"""

import os
import shutil
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import numpy as np
import psutil
import pyarrow.csv
import pyarrow.parquet
import pytest

from datasets.models import Dataset
from datasets.sources import locate
from operations.bench.processor_time import read_database_seconds, read_processor_seconds
from operations.bench.serving import SERVICE, run_server
from tests.benchmarks.test_datasets import PLATE
from tests.datasets.making import make_dataset
from tests.factories import make_token_with_text

TILED, KEY = os.environ.get("TILED", ""), "secret"
pytestmark = [
    pytest.mark.benchmark,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(not TILED, reason="TILED names no executable of Tiled"),
]
ROUNDS, START_SECONDS = 5, 90
TIMES = {"plate": 20, "curve": 3}  # requests a round
FORMATS = {"json": "&limit=100000", "csv": "", "arrow": ""}
Used = Callable[[], float]


@pytest.fixture
def tables() -> dict[str, Dataset]:
    """A plate of 96 wells and a curve of 50,000 points."""
    points = np.random.default_rng(1).normal(size=50_000)
    curve = {"wavelength": np.arange(50_000) / 100, "absorbance": points}
    return {
        "plate": make_dataset(PLATE, name="plate_absorbance", kind="plate"),
        "curve": make_dataset(curve, roles={"wavelength": "axis", "absorbance": "value"}),
    }


@pytest.fixture
def tiled(tables: dict[str, Dataset], tmp_path: Path) -> Iterator[tuple[str, Used]]:
    """Its address, and what it has computed so far."""
    for name, dataset in tables.items():
        (path,) = locate([dataset])
        shutil.copy(path, tmp_path / f"{name}.parquet")
        pyarrow.csv.write_csv(pyarrow.parquet.read_table(path), tmp_path / f"{name}_csv.csv")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [TILED, "serve", "directory", str(tmp_path), "--api-key", KEY, "--port", str(port)]
    environ = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    with subprocess.Popen(command, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            yield f"http://127.0.0.1:{port}/api/v1/table/full", lambda: read_processor_seconds(server.pid)
        finally:
            for one in [*psutil.Process(server.pid).children(recursive=True), psutil.Process(server.pid)]:
                one.terminate()


@contextmanager
def asking(key: str) -> Iterator[httpx.Client]:
    with httpx.Client(timeout=60, headers={"Authorization": key}) as http:
        yield http


def wait_for(http: httpx.Client, url: str) -> None:
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end:
        try:
            if http.get(url).is_success:
                return
        except httpx.HTTPError:
            pass
        time.sleep(0.2)
    raise TimeoutError(url)


@dataclass(frozen=True)
class Side:
    """One of the servers, asked for one table in one format."""

    http: httpx.Client
    url: str
    used: Used
    times: int

    def measure(self) -> tuple[float, float]:
        """Milliseconds a request: the median by the clock, and the mean of the processor."""
        before, seconds = self.used(), []
        for _ in range(self.times):
            began = time.perf_counter()
            answer = self.http.get(self.url)
            seconds.append(time.perf_counter() - began)
            assert answer.status_code == 200, answer.text
        return 1e3 * statistics.median(seconds), 1e3 * (self.used() - before) / self.times


def in_turn(*sides: Side) -> list[list[float]]:
    """Of each side the medians of the rounds but the first: clock and processor."""
    rounds = [[side.measure() for side in sides] for _ in range(ROUNDS)][1:]
    return [[statistics.median(values) for values in zip(*column, strict=True)] for column in zip(*rounds, strict=True)]


def describe(name: str, form: str, ours: list[float], *beside: list[float]) -> str:
    said = [f"\n{name:6}{form:6} ours {ours[0]:6.1f} ms, {ours[1]:6.1f} of processor"]
    for kind, theirs in zip(("Parquet", "CSV"), beside, strict=True):
        ratios = ", ".join(f"{one / other:.2f}" for one, other in zip(ours, theirs, strict=True))
        said.append(f" | Tiled's {kind} {theirs[0]:6.1f}, {theirs[1]:6.1f}: {ratios} (<= 0.5)")
    return "".join(said)


def test_ours_takes_half_the_time_of_tiled(tables, tiled, capsys):
    at_tiled, tiled_used = tiled
    text = make_token_with_text("files:read")[1]

    with run_server(SERVICE) as ours, asking(f"Bearer {text}") as mine, asking(f"Apikey {KEY}") as other:
        wait_for(mine, f"http://127.0.0.1:{ours.port}/livez")
        wait_for(other, f"{at_tiled}/plate?format=json")

        def our_used() -> float:
            return read_processor_seconds(ours.pid) + read_database_seconds()

        for name in os.environ.get("TILED_TABLES", "plate,curve").split(","):
            dataset = tables[name]
            rows = f"http://127.0.0.1:{ours.port}/api/v1/datasets/{dataset.pk}/rows"
            for form, more in FORMATS.items():
                measured = in_turn(
                    Side(mine, f"{rows}?format={form}{more}", our_used, TIMES[name]),
                    Side(other, f"{at_tiled}/{name}?format={form}", tiled_used, TIMES[name]),
                    Side(other, f"{at_tiled}/{name}_csv?format={form}", tiled_used, TIMES[name]),
                )
                with capsys.disabled():
                    sys.stdout.write(describe(name, form, *measured))
