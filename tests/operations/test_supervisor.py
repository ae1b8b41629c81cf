"""The supervisor, with shells in place of servers."""

import os
import signal
import subprocess
import sys
import time

import pytest

from operations.embedded import processes
from operations.embedded.supervisor import RestartState, Supervisor

# Supervises shells that write their name when they start and when they are asked to stop.
SCRIPT = """if True:
    import os, pathlib, signal, sys
    from dataclasses import dataclass
    from operations.embedded import processes
    from operations.embedded.supervisor import Supervisor

    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # as from a terminal, even where the tests run under nohup
    place = pathlib.Path(sys.argv[1])
    says = "trap 'echo stop {0} >>{1}; exit' TERM; echo start {0} >>{1}; while :; do sleep 0.05; done"

    @dataclass
    class Shell:
        name: str
        farewell = ((15, 60.0),)
        child = None

        @property
        def log(self):
            return place / (self.name + ".log")

        def start(self):
            self.launch()

        def launch(self):
            command = ["sh", "-c", says.format(self.name, place / "events")]
            self.child = processes.start_process(command, log=self.log, environ=os.environ, cwd=place)

    servers, programs = [Shell("database"), Shell("queue")], [Shell("worker"), Shell("web")]
    with Supervisor(servers=servers, programs=programs) as supervisor:
        supervisor.start(servers)
        supervisor.start(programs)
        supervisor.watch()
    print("over", flush=True)
"""
NAMES = ("database", "queue", "worker", "web")


@pytest.fixture
def supervisor(tmp_path):
    child = subprocess.Popen([sys.executable, "-c", SCRIPT, tmp_path], stdout=subprocess.PIPE, text=True)
    for name in NAMES:  # each heeds a signal only from then on
        wait_for(tmp_path, f"start {name}")
    yield child
    if child.poll() is None:
        child.terminate()
    child.communicate()


def events(tmp_path):
    file = tmp_path / "events"
    return file.read_text().splitlines() if file.exists() else []


def wait_for(tmp_path, event, times=1):
    deadline = time.monotonic() + 60
    while events(tmp_path).count(event) < times:
        assert time.monotonic() < deadline, f"{event} is missing in {events(tmp_path)}"
        time.sleep(0.02)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_stops_programs_first_and_leaves_nothing(supervisor, tmp_path, number):
    supervisor.send_signal(number)

    output, _ = supervisor.communicate(timeout=60)
    assert output == "over\n"
    assert supervisor.returncode == 0
    assert set(events(tmp_path)[-4:-2]) == {"stop web", "stop worker"}
    assert events(tmp_path)[-2:] == ["stop queue", "stop database"]
    assert not [name for name in NAMES if processes.find_writers(tmp_path / f"{name}.log")]


@pytest.mark.parametrize("name", ["database", "web"])
def test_what_dies_is_started_again(supervisor, tmp_path, name):
    processes.signal_writers(tmp_path / f"{name}.log", signal.SIGKILL)

    wait_for(tmp_path, f"start {name}", times=2)
    assert supervisor.poll() is None


def test_a_new_supervisor_ends_the_programs_of_a_killed_one(tmp_path):
    ignoring = "trap '' TERM; echo ready >&2; while :; do sleep 0.05; done"
    log = tmp_path / "web.log"
    orphan = processes.start_process(["sh", "-c", ignoring], log=log, environ=os.environ, cwd=tmp_path)

    successor = subprocess.Popen([sys.executable, "-c", SCRIPT, tmp_path], stdout=subprocess.PIPE)
    wait_for(tmp_path, "start web")

    assert orphan.wait(30) == -signal.SIGKILL
    successor.terminate()
    successor.communicate(timeout=60)


def test_a_part_that_keeps_dying_waits_longer_each_time():
    restarts = RestartState(started_at=0.0)

    pauses = []
    for now in (1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0):
        restarts.postpone(now)
        pauses.append(restarts.pause)

    assert pauses == [0.5, 1.0, 2.0, 4.0, 8.0, 10.0, 10.0, 10.0]


def test_a_part_that_somebody_kills_again_and_again_comes_back_as_fast_each_time():
    restarts = RestartState(started_at=0.0)

    pauses = []
    for now in (1.0, 2.0, 3.0):
        restarts.postpone(now, was_killed=True)
        pauses.append(restarts.pause)

    assert pauses == [0.5, 0.5, 0.5]


def test_a_part_that_ran_for_long_is_started_again_at_once():
    restarts = RestartState(started_at=0.0, pause=16.0)

    restarts.postpone(3600.0)

    assert restarts.pause == 0.0


def test_what_is_missing_is_said_by_the_check_that_knows_it(monkeypatch):
    """A part that cannot be started again is what comes of it, and no cause."""
    answers = iter([None, LookupError("The directory is gone.")])

    def check():
        if (answer := next(answers)) is not None:
            raise answer

    def miss(part):
        raise FileNotFoundError(part)

    supervisor = Supervisor(servers=[object()], programs=[])
    monkeypatch.setattr(supervisor, "_restart_if_ended", miss)
    monkeypatch.setattr(signal, "pthread_sigmask", lambda *_: None)

    with pytest.raises(LookupError, match="The directory is gone"):
        supervisor.watch(check=check)
