"""One instrument sends more files than are soon read: each is queued once, and the file of another passes them."""

import time

import pytest

from tests.faults.journal import store_file, store_run, wait_until
from tests.faults.queue_watch import QueueWatch

pytestmark = pytest.mark.faults

FILES = 500
PASSES_WITHIN = 10  # seconds


def test_a_flood_is_queued_once_and_another_instruments_file_passes_it(service, call, tell):
    path = store_run(call, "flood", {f"{n}.csv": f"nm,AU\n1,{n}\n2,3\n3,4\n".encode() for n in range(FILES)})
    text = service.manage("create_token", "again", "--scopes", "runs:reprocess").strip()
    with QueueWatch(service) as watch:
        again = call("POST", f"{path}/reprocess", headers={"Authorization": f"Bearer {text}"})
        assert again.json()["files_queued"] == FILES

        quiet = store_run(call, "one", {}, instrument="quiet-1")
        file_id = store_file(call, quiet, "a.csv", b"nm,AU\n1,2\n2,3\n3,4\n")
        began = time.monotonic()
        wait_until(
            lambda: call("GET", f"/files/{file_id}").json()["status"] == "completed", seconds=120, why="it is read"
        )
        passed, left = time.monotonic() - began, watch.waiting
        wait_until(lambda: watch.waiting == 0, seconds=480, why="the flood is read")

    took = time.monotonic() - began
    tell(
        f"{FILES} files in {took:.0f} s, {watch.longest_queue} tasks at most;"
        f" the other in {passed:.1f} s, when {left} were left"
    )
    assert watch.excesses == []
    assert left > 0
    assert passed <= PASSES_WITHIN
