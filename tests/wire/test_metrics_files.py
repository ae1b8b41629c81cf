"""What processes count outlives them; what they say of themselves does not."""

import re
import subprocess
import sys

import pytest
from django.db import connection

from wire import metrics_files
from wire.metrics_files import format_counts
from wire.process_metrics import ProcessSampler

COUNT = """
from wire.metrics import count_request
from wire.process_metrics import PROCESSES
count_request(method="GET", route="test/of/folding", status=200, seconds=0.01)
PROCESSES.labels("ended").set(1)
"""


@pytest.fixture
def folder(monkeypatch, tmp_path):
    monkeypatch.setenv("PROMETHEUS_MULTIPROC_DIR", str(tmp_path))
    metrics_files.is_counting.cache_clear()
    yield tmp_path
    metrics_files.is_counting.cache_clear()


def value_of(line_begins: str) -> float | None:
    found = re.search(rf"^{re.escape(line_begins)} (\S+)$", format_counts().decode(), re.M)
    return float(found[1]) if found else None


def test_counts_of_ended_processes_stay_and_their_files_do_not_pile_up(folder):
    assert metrics_files.is_counting()
    for _ in range(3):
        subprocess.run([sys.executable, "-c", COUNT], check=True, timeout=120)

    assert value_of('ids_requests_total{method="GET",route="test/of/folding",status="200"}') == 3
    assert value_of('ids_request_seconds_count{method="GET",route="test/of/folding"}') == 3
    assert value_of('ids_processes{role="ended"}') is None
    assert sorted(path.name for path in folder.glob("*.db")) == ["counter_0.db", "histogram_0.db"]


def test_what_was_folded_is_added_to(folder):
    assert metrics_files.is_counting()
    subprocess.run([sys.executable, "-c", COUNT], check=True, timeout=120)
    format_counts()
    subprocess.run([sys.executable, "-c", COUNT], check=True, timeout=120)

    assert value_of('ids_requests_total{method="GET",route="test/of/folding",status="200"}') == 2


@pytest.mark.django_db
def test_a_process_tells_its_memory_and_its_connections(client):
    sampler = ProcessSampler("test")
    connection.pool.open()  # the test before may have closed it
    client.get("/readyz")

    sampler.sample()

    assert value_of('ids_process_resident_memory_bytes{role="test"}') > 1_000_000
    assert value_of('ids_database_pool_max_connections{role="test"}') > 0


def test_the_pool_s_sums_are_counted_once():
    assert metrics_files.is_counting()
    sampler = ProcessSampler("sums")

    sampler._note_pool({"requests_num": 5, "requests_wait_ms": 250, "pool_size": 3, "pool_available": 1})
    sampler._note_pool({"requests_num": 7, "requests_wait_ms": 500, "pool_size": 3, "pool_available": 3})

    assert value_of('ids_database_pool_requests_total{role="sums"}') == 7
    assert value_of('ids_database_pool_wait_seconds_total{role="sums"}') == 0.5
    assert value_of('ids_database_pool_connections{role="sums",state="in_use"}') == 0
