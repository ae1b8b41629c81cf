"""What a service that has nothing to do takes: memory of all its processes, and processor time (docs/performance.md).

`pytest -m benchmark tests/benchmarks/test_processes_at_rest.py -s`, as root or as whoever may look into its processes:
`./ids serve` on an empty data directory. Memory is the proportional set size: a page that several share counts once.
"""

import time

import psutil
import pytest

from tests.service import FirstStart

pytestmark = pytest.mark.benchmark
MIB = 2**20
SETTLING_SECONDS, WATCHED_SECONDS = 30, 180
MOST_MIB, MOST_PROCESSOR = 350, 0.01


def test_a_service_at_rest(tmp_path, capsys):
    with FirstStart(tmp_path / "data") as service:
        time.sleep(SETTLING_SECONDS)
        before, began = read_seconds(service), time.monotonic()
        fresh = read_mib(service)
        time.sleep(WATCHED_SECONDS)
        after, settled = read_seconds(service), read_mib(service)
        watched = time.monotonic() - began

    shares = {name: (seconds - before.get(name, 0.0)) / watched for name, seconds in after.items()}
    processor = sum(shares.values())
    with capsys.disabled():
        print(f"\n{len(settled)} processes: {sum(fresh.values()):.0f} MiB after {SETTLING_SECONDS} s,", end=" ")
        print(f"{sum(settled.values()):.0f} MiB after {WATCHED_SECONDS} more, target {MOST_MIB}:")
        print(*(f"  {settled[name]:6.1f} MiB  {shares[name]:.3%}  {name}" for name in sorted(settled)), sep="\n")
        print(f"processor: {processor:.2%} of a core, target {MOST_PROCESSOR:.0%}")
    assert sum(settled.values()) <= MOST_MIB
    assert processor <= MOST_PROCESSOR


def tree_of(service: FirstStart) -> list[psutil.Process]:
    supervisor = psutil.Process(service.supervisor.pid)
    return [supervisor, *supervisor.children(recursive=True)]


def read_mib(service: FirstStart) -> dict[str, float]:
    return {name_of(one): one.memory_full_info().pss / MIB for one in tree_of(service)}


def read_seconds(service: FirstStart) -> dict[str, float]:
    return {name_of(one): sum(one.cpu_times()[:2]) for one in tree_of(service)}


def name_of(process: psutil.Process) -> str:
    return f"{process.name()} {process.pid}"
