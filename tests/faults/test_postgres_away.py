"""PostgreSQL is killed, crashes or stops under load: what was acknowledged is stored, the gap is 503, nothing else."""

import signal
import time

import pytest

from tests.faults.checker import differences, embedded_database, on_disk
from tests.faults.conftest import signal_all
from tests.faults.journal import wait_until

pytestmark = pytest.mark.faults

SILENCE = 2  # seconds after which a silent database is 503; 15 where nothing is set
VARIABLES = {"DATABASE_SECONDS": str(SILENCE)}
STOPPED_SECONDS = 12
ANSWERS = {200, 201, 503}


def kill_the_server(service):
    signal_all(service.pids("postgres")[:1], signal.SIGKILL)


def kill_a_backend(service):
    """The server then throws all others out and recovers."""
    signal_all(service.pids("postgres")[-1:], signal.SIGKILL)


def stop_the_server(service):
    stopped = service.pids("postgres")
    signal_all(stopped, signal.SIGSTOP)
    time.sleep(STOPPED_SECONDS)
    signal_all(stopped, signal.SIGCONT)


@pytest.mark.parametrize(("fault", "times"), [(kill_the_server, 3), (kill_a_backend, 3), (stop_the_server, 1)])
def test_what_was_acknowledged_is_stored_and_the_gap_is_503(service, load, tell, fault, times):
    back = []
    with load:
        for _ in range(times):
            time.sleep(2)
            fault(service)
            began = time.monotonic()
            wait_until(service.is_ready, seconds=60, why="the service is ready again")
            back.append(time.monotonic() - began)
        time.sleep(3)
        settled = time.monotonic()
        time.sleep(3)

    tell(f"{fault.__name__} {times} times, ready after {max(back):.1f} s; {load.journal.story()}")
    assert set(load.journal.statuses()) <= ANSWERS
    assert load.journal.without_advice() == []
    assert {entry.status for entry in load.journal.entries if entry.began > settled} <= {200, 201}
    assert load.journal.slowest() < SILENCE + 10
    assert differences(embedded_database(service.data), on_disk(service.data), load.journal) == []
