"""The worker is killed with -9 while it builds: every archive ends ready once, whole, and nobody sees half of it."""

import hashlib
import io
import random
import signal
import time
import zipfile
from contextlib import suppress

import psycopg
import pytest
import requests

from tests.faults.checker import embedded_database
from tests.faults.conftest import signal_all
from tests.faults.journal import ready_archive, store_run, wait_until

pytestmark = pytest.mark.faults

MIB = 1024 * 1024
KILLS = 20
LEASE = 2  # seconds; 30 where nothing is set
VARIABLES = {"JOB_LEASE_SECONDS": str(LEASE)}


def begun_objects(service) -> set[str]:
    """What is being written into the local store, and what dead builders left of it."""
    staging = service.data / "objects" / ".staging"
    return {path.name for path in staging.iterdir()} if staging.exists() else set()


def kill_once_it_builds(service, before: set[str], *, seconds: float = 60, meanwhile=lambda: None) -> None:
    """Stopped at the first sight of a build, so that it cannot end before it is killed. `meanwhile` nobody builds."""
    known = service.pids("builder")  # to look for them takes longer than some builds
    wait_until(lambda: begun_objects(service) - before, seconds=seconds, why="the build has begun", pause=0.005)
    signal_all(known, signal.SIGSTOP)
    signal_all(service.pids("builder"), signal.SIGSTOP)
    meanwhile()
    signal_all(service.pids("builder"), signal.SIGKILL)


def test_twenty_killed_builds_end_ready_once(service, call, tell):
    chance, jobs, resumed, hits = random.Random(7), {}, [], 0
    for number in range(KILLS):
        data = {f"{part}.raw": chance.randbytes(12 * MIB) for part in range(4)}
        path = store_run(call, f"run-{number}", data)
        before = begun_objects(service)
        job_id = call("GET", f"{path}/download-archive").json()["job_id"]
        kill_once_it_builds(service, before)
        killed = time.monotonic()
        hits += call("GET", f"/archive-jobs/{job_id}").json()["status"] == "building"

        ready = ready_archive(call, path, seconds=90)

        resumed.append(time.monotonic() - killed)
        jobs[job_id] = ready["job_id"]
        archive = zipfile.ZipFile(io.BytesIO(requests.get(ready["download_url"], timeout=60).content))
        assert {name: sha(archive.read(name)) for name in data} == {name: sha(part) for name, part in data.items()}

    mean = sum(resumed) / KILLS
    tell(f"{KILLS} kills, {hits} in mid-build; lease {LEASE} s: ready {mean:.1f} s later, at most {max(resumed):.1f} s")
    assert list(jobs) == list(jobs.values())
    assert hits >= KILLS - 1  # a build may publish in the instant before it is stopped
    assert jobs_in(service) == {(job_id, "ready") for job_id in jobs}


def jobs_in(service) -> set[tuple[str, str]]:
    with psycopg.connect(embedded_database(service.data)) as connection:
        rows = connection.execute("SELECT id::text, status FROM archives_archivejob").fetchall()
    assert len(rows) == len(set(rows))
    return set(rows)


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def test_a_poison_job_fails_after_three_attempts_while_others_go_on(service, call, tell):
    """Whatever builds this one dies. A job that kills its builder is a killed worker, seen from outside."""
    poison = store_run(call, "poison", {f"{n}.raw": random.Random(n).randbytes(16 * MIB) for n in range(4)})
    before, waits = begun_objects(service), []
    call("GET", f"{poison}/download-archive")
    for attempt in range(3):
        kill_once_it_builds(service, before, meanwhile=lambda: hold_lease(service))
        extend_lease(service, seconds=3600)  # 30 seconds would outlast the next build, two may not
        began = time.monotonic()
        other = store_run(call, f"other-{attempt}", {"a.csv": b"fine"})
        ready_archive(call, other, seconds=60)
        waits.append(time.monotonic() - began)
        before = begun_objects(service)
        extend_lease(service, seconds=0)

    answer = wait_until(lambda: failed(call, poison), seconds=100, why="the poison job is failed")

    tell(f"3 attempts, then failed; another archive was ready {max(waits):.1f} s after each kill at the latest")
    assert answer["details"]["error_message"] == "Building stopped without a word, 3 times."


def hold_lease(service) -> None:
    """Of a build that is stopped, unless it was while it held its row."""
    with suppress(psycopg.errors.LockNotAvailable):
        extend_lease(service, seconds=3600)


def extend_lease(service, *, seconds: int) -> None:
    """Of the builds that were cut off."""
    with psycopg.connect(embedded_database(service.data), options="-c lock_timeout=20s") as connection:
        query = (
            "UPDATE archives_archivejob SET lease_until = now() + %s * interval '1 second' WHERE status = 'building'"
        )
        connection.execute(query, [seconds])


def failed(call, path):
    answer = call("GET", f"{path}/download-archive")
    return answer.json()["error"] if answer.status_code == 409 else None
