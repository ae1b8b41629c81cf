"""Children of the supervisor: none outlives it, none is left behind."""

import os
import signal
import subprocess
import sys
import time

import pytest

from config.embedded import processes


def start(tmp_path, script, **options):
    log = tmp_path / "child.log"
    child = processes.start(["sh", "-c", script], log=log, environ=os.environ, cwd=tmp_path, **options)
    wait_until(lambda: "ready" in processes.tail(log))
    return child, log


def wait_until(condition):
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_child_ends_at_its_first_signal(tmp_path):
    child, log = start(tmp_path, "echo ready; exec sleep 60")

    processes.end(log, farewell=[(signal.SIGTERM, 10)])

    assert child.wait(1) == -signal.SIGTERM


def test_a_child_that_ignores_signals_is_killed(tmp_path):
    child, log = start(tmp_path, "trap '' TERM; echo ready; while :; do sleep 0.1; done")

    processes.end(log, farewell=[(signal.SIGTERM, 0.2)])

    assert child.wait(1) == -signal.SIGKILL


def test_nothing_a_child_left_behind_survives(tmp_path):
    child, log = start(tmp_path, "setsid sleep 60 & setsid sleep 60 & echo ready")
    child.wait()
    assert len(processes.writers_of(log)) == 2

    processes.end(log)

    assert processes.writers_of(log) == []


def test_only_the_head_of_a_family_is_asked(tmp_path):
    _, log = start(tmp_path, "trap 'echo asked; exit' TERM; (trap 'echo no' TERM; sleep 60) & echo ready; wait")

    processes.end(log, farewell=[(signal.SIGTERM, 0.5)])

    assert "asked" in processes.tail(log)
    assert "no" not in processes.tail(log).splitlines()


def test_a_child_reads_nothing_and_has_a_session_of_its_own(tmp_path):
    child, log = start(tmp_path, "read line || echo no input; echo ready; exec sleep 60")

    assert os.getsid(child.pid) == child.pid
    assert "no input" in processes.tail(log)
    processes.end(log)


@pytest.mark.parametrize("orphaned", [signal.SIGTERM, signal.SIGINT])
def test_a_child_gets_its_signal_when_the_parent_is_killed(tmp_path, orphaned):
    log = tmp_path / "child.log"
    script = """if True:
        import os, pathlib, signal, sys
        from config.embedded import processes
        log = pathlib.Path(sys.argv[1])
        says = "trap 'echo TERM; exit' TERM; trap 'echo INT; exit' INT; echo ready; while :; do sleep 0.05; done"
        command = ["sh", "-c", says]
        processes.start(command, log=log, environ=os.environ, cwd=log.parent, orphaned=signal.Signals(int(sys.argv[2])))
        signal.pause()
    """
    parent = subprocess.Popen([sys.executable, "-c", script, log, str(int(orphaned))])
    wait_until(lambda: "ready" in processes.tail(log))

    parent.kill()
    parent.wait()

    wait_until(lambda: not processes.writers_of(log))
    assert processes.tail(log).split()[-1] == orphaned.name.removeprefix("SIG")


def test_a_log_that_grew_too_long_is_set_aside(tmp_path, monkeypatch):
    monkeypatch.setattr(processes, "LOG_LIMIT", 10)
    log = tmp_path / "web.log"
    log.write_text("a line that is too long\n")

    processes.shorten(log)

    assert log.read_text() == ""
    assert (tmp_path / "web.old.log").read_text() == "a line that is too long\n"
