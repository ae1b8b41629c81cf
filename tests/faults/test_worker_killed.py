"""The worker is killed with -9 while it builds: every archive ends ready once, whole, and nobody sees half of it."""

import hashlib
import io
import os
import random
import signal
import zipfile

import pytest
import requests

from tests.faults.journal import ready_archive, store_run, wait_until

pytestmark = pytest.mark.faults

MIB = 1024 * 1024
KILLS = 10


def kill_worker(service) -> None:
    for pid in service.pids("builder"):
        os.kill(pid, signal.SIGKILL)


def open_uploads(service) -> set[str]:
    """The uploads under way in the local store, those of dead builders too."""
    uploads = service.data / "objects" / ".uploads"
    return {path.name for path in uploads.iterdir()} if uploads.exists() else set()


def test_ten_killed_builds_end_ready_once(service, call):
    chance = random.Random(7)
    for number in range(KILLS):
        data = {f"{part}.raw": chance.randbytes(8 * MIB) for part in range(6)}
        path = store_run(call, f"run-{number}", data)
        before = open_uploads(service)
        job_id = call("GET", f"{path}/download-archive").json()["job_id"]
        wait_until(lambda before=before: open_uploads(service) - before, seconds=20, why="the build has begun")
        kill_worker(service)
        assert call("GET", f"/archive-jobs/{job_id}").json()["status"] in ("building", "ready")

        ready = ready_archive(call, path, seconds=90)

        assert ready["job_id"] == job_id
        archive = zipfile.ZipFile(io.BytesIO(requests.get(ready["download_url"], timeout=60).content))
        assert {name: sha(archive.read(name)) for name in data} == {name: sha(part) for name, part in data.items()}


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def test_a_poison_job_fails_after_three_attempts_while_others_go_on(service, call):
    """Whatever builds this one dies. A job that kills its builder is a killed worker, seen from outside."""
    poison = store_run(call, "poison", {f"{n}.raw": random.Random(n).randbytes(32 * MIB) for n in range(8)})
    before = open_uploads(service)
    call("GET", f"{poison}/download-archive")
    for attempt in range(3):
        wait_until(lambda before=before: open_uploads(service) - before, seconds=100, why=f"attempt {attempt + 1}")
        kill_worker(service)
        before = open_uploads(service)
        other = store_run(call, f"other-{attempt}", {"a.csv": b"fine"})
        ready_archive(call, other, seconds=60)

    answer = wait_until(lambda: failed(call, poison), seconds=100, why="the poison job is failed")

    assert answer["details"]["error_message"] == "Building stopped without a word, 3 times."


def failed(call, path):
    answer = call("GET", f"{path}/download-archive")
    return answer.json()["error"] if answer.status_code == 409 else None
