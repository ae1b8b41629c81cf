"""What processes count outlives them; what they say of themselves does not."""

import errno
import os
import re
import shutil
import struct
import subprocess
import sys

import pytest
from django.db import connection

from wire.telemetry import metrics_files
from wire.telemetry.metrics_files import format_counts
from wire.telemetry.process_metrics import ProcessSampler

COUNT = """
from wire.telemetry.metrics import count_request
from wire.telemetry.process_metrics import PROCESSES
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
    others = [path.name for path in folder.glob("*.db") if not path.stem.endswith(f"_{os.getpid()}")]
    assert sorted(others) == ["counter_0.db", "histogram_0.db"]


def test_what_was_folded_is_added_to(folder):
    assert metrics_files.is_counting()
    subprocess.run([sys.executable, "-c", COUNT], check=True, timeout=120)
    format_counts()
    subprocess.run([sys.executable, "-c", COUNT], check=True, timeout=120)

    assert value_of('ids_requests_total{method="GET",route="test/of/folding",status="200"}') == 2


@pytest.mark.parametrize("torn", [b"", bytes(2), struct.pack("ii", 4096, 0)], ids=["empty", "begun", "cut"])
def test_a_process_that_was_killed_while_it_made_its_file_hides_nothing(folder, torn):
    assert metrics_files.is_counting()
    subprocess.run([sys.executable, "-c", COUNT], check=True, timeout=120)
    (folder / "counter_4194303.db").write_bytes(torn)

    assert value_of('ids_requests_total{method="GET",route="test/of/folding",status="200"}') == 1
    assert not (folder / "counter_4194303.db").exists()


def test_a_folder_that_went_away_is_no_error(folder):
    assert metrics_files.is_counting()
    shutil.rmtree(folder)

    assert format_counts() == b""


def test_what_is_counted_has_its_room_on_the_disk(folder):
    """A hole in a mapped file is SIGBUS where the disk is full."""
    assert metrics_files.is_counting()
    subprocess.run([sys.executable, "-c", COUNT], check=True, timeout=120)
    unfolded = {path.name: path.stat() for path in folder.glob("*.db")}
    format_counts()
    folded = {path.name: path.stat() for path in folder.glob("*_0.db")}

    for found in (unfolded | folded).values():
        assert found.st_blocks * 512 >= found.st_size


def test_without_room_nothing_is_counted(folder, monkeypatch):
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.posix_fallocate", refuse)

    assert not metrics_files.is_counting()
    assert format_counts() == b""


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
