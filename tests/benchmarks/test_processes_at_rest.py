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

    processor = sum(seconds - before.get(pid, 0.0) for pid, seconds in after.items()) / watched
    with capsys.disabled():
        print(f"\n{len(settled)} processes: {sum(fresh.values()):.0f} MiB after {SETTLING_SECONDS} s,", end=" ")
        print(f"{sum(settled.values()):.0f} MiB after {WATCHED_SECONDS} more, target {MOST_MIB}:")
        print(*(f"  {size:6.1f} MiB  {name}" for name, size in sorted(settled.items())), sep="\n")
        print(f"processor: {processor:.2%} of a core, target {MOST_PROCESSOR:.0%}")
    assert sum(settled.values()) <= MOST_MIB
    assert processor <= MOST_PROCESSOR


def tree_of(service: FirstStart) -> list[psutil.Process]:
    supervisor = psutil.Process(service.supervisor.pid)
    return [supervisor, *supervisor.children(recursive=True)]


def read_mib(service: FirstStart) -> dict[str, float]:
    return {f"{one.name()} {one.pid}": one.memory_full_info().pss / MIB for one in tree_of(service)}


def read_seconds(service: FirstStart) -> dict[int, float]:
    return {one.pid: sum(one.cpu_times()[:2]) for one in tree_of(service)}
