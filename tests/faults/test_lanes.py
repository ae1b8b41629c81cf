"""Three files that take all their time, one for each reader: archives have threads of their own."""

import time

import pytest

from tests.faults.hostile_instrument import PLUGINS
from tests.faults.journal import ready_archive, store_file, store_run, wait_until

pytestmark = pytest.mark.faults

VARIABLES = {"PYTHONPATH": str(PLUGINS)}
ARCHIVE_SECONDS = 5


def store_hostile_files(call) -> list[str]:
    """Of three instruments, so that each gets a reader."""
    paths = []
    for number in range(3):
        call("POST", "/instruments", {"id": f"hostile-{number}", "instrument_type": "hostile"})
        run = store_run(call, "one", {}, instrument=f"hostile-{number}")
        paths.append(f"/files/{store_file(call, run, 'a.burn', b'measured')}")
    return paths


def being_read(call, paths: list[str]) -> list[str]:
    return [path for path in paths if call("GET", path).json()["status"] == "processing"]


def test_three_hostile_files_delay_no_archive(service, call, tell):
    hostile = store_hostile_files(call)
    run = store_run(call, "patient", {"a.raw": b"measured"})
    wait_until(lambda: len(being_read(call, hostile)) == 3, seconds=90, why="every reader burns its time")
    began = time.monotonic()

    ready_archive(call, run, seconds=60)

    took = time.monotonic() - began
    tell(f"the archive was ready after {took:.1f} s, beside three files that burned their time")
    assert len(being_read(call, hostile)) == 3
    assert took <= ARCHIVE_SECONDS
