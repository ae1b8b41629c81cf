"""The web server or everything is killed or told to stop under load: what was acknowledged is there afterwards."""

import os
import signal
import time

import pytest
import requests

from tests.faults.checker import differences, embedded_database, on_disk
from tests.faults.conftest import signal_all
from tests.faults.journal import ready_archive, store_run, wait_until
from tests.faults.load import NO_ANSWER

pytestmark = pytest.mark.faults

VARIABLES = {"JOB_LEASE_SECONDS": "3", "WEB_CONCURRENCY": "2"}
BACK_SECONDS = 45  # and where any start takes more than 15, three times as long as the fastest one
KILLS = 5


def check(service, *journals):
    assert differences(embedded_database(service.data), on_disk(service.data), *journals) == []


def test_a_killed_web_worker_costs_only_the_calls_it_had(service, load, tell):
    with load:
        for _ in range(KILLS):
            time.sleep(2)
            signal_all(service.pids("web")[-1:], signal.SIGKILL)
        time.sleep(2)

    statuses = load.journal.statuses()
    tell(f"{KILLS} of 2 web workers killed; {load.journal.story()}")
    assert set(statuses) <= {200, 201, NO_ANSWER}
    assert statuses[NO_ANSWER] <= KILLS * len(load.threads)
    check(service, load.journal)


def test_a_web_server_that_is_told_to_stop_finishes_what_it_has(service, load, tell):
    """Whoever comes meanwhile waits in the supervisor's socket for the next one."""
    with load:
        time.sleep(2)
        before = service.pids("web")
        os.kill(before[0], signal.SIGTERM)
        wait_until(lambda: set(service.pids("web")) - set(before), seconds=60, why="a new web server runs")
        wait_until(service.is_ready, seconds=60, why="it answers")
        time.sleep(2)

    tell(f"TERM to the web server; {load.journal.story()}")
    assert set(load.journal.statuses()) <= {200, 201, NO_ANSWER}
    assert load.journal.statuses()[NO_ANSWER] <= len(load.threads)  # a kept connection may close under the next call
    check(service, load.journal)


def test_term_of_everything_under_load_loses_nothing(service, load, tell):
    with load:
        time.sleep(3)
        began = time.monotonic()
        code = service.send(signal.SIGTERM)
        stopped = time.monotonic() - began
    back = service.start()

    tell(f"all of it stopped in {stopped:.1f} s with code {code}, back after {back:.1f} s; {load.journal.story()}")
    assert (code, service.supervisor.poll()) == (0, None)
    lost = [entry for entry in load.journal.entries if entry.status == NO_ANSWER]
    turned_away = [entry for entry in load.journal.entries if entry.status == 503]  # who came while it stopped
    assert [one for one in lost + turned_away if one.sent is not None and one.sent < began] == []
    assert load.journal.without_advice() == []
    assert set(load.journal.statuses()) <= {200, 201, 503, NO_ANSWER}
    check(service, load.journal)


def test_everything_killed_at_once_is_back_within_45_seconds(service, load, call, tell):
    path = store_run(call, "packed", {f"{n}.raw": os.urandom(2**23) for n in range(4)})
    at_most = max(BACK_SECONDS, 3 * service.fastest_start)
    with load:
        time.sleep(3)
        job_id = call("GET", f"{path}/download-archive").json()["job_id"]
        killed = signal_all([service.supervisor.pid, *service.pids()], signal.SIGKILL)
        service.supervisor.wait()
        began = time.monotonic()
        service.start()
        wait_until(service.is_ready, seconds=at_most, why="the service is ready")
        back = time.monotonic() - began
        time.sleep(2)
    ready = ready_archive(call, path, seconds=90)

    tell(f"{killed} processes killed at once, back after {back:.1f} s; {load.journal.story()}")
    assert back < at_most
    assert set(load.journal.statuses()) <= {200, 201, 503, NO_ANSWER}  # the database may die before the web server
    assert load.journal.without_advice() == []
    assert ready["job_id"] == job_id
    assert requests.get(ready["download_url"], timeout=60).ok
    check(service, load.journal)
    service.manage("reconcile", "--read")  # fails where database and store differ


def test_all_children_killed_at_once_are_back_without_a_hand(service, load, tell):
    at_most = max(BACK_SECONDS, 3 * service.fastest_start)
    with load:
        time.sleep(3)
        killed = signal_all(service.pids(), signal.SIGKILL)
        began = time.monotonic()
        wait_until(service.is_ready, seconds=at_most, why="the service is ready")
        back = time.monotonic() - began
        time.sleep(2)

    tell(f"{killed} processes killed at once, the supervisor not; back after {back:.1f} s; {load.journal.story()}")
    assert set(load.journal.statuses()) <= {200, 201, 503, NO_ANSWER}
    assert load.journal.without_advice() == []
    check(service, load.journal)
