"""Children of the supervisor: none outlives it, none is left behind."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import pytest

from operations.embedded import processes
from operations.embedded.programs import CHECKOUT

NOBODY = 65534


def start(tmp_path, script, **options):
    log = tmp_path / "child.log"
    child = processes.start_process(["sh", "-c", script], log=log, environ=os.environ, cwd=tmp_path, **options)
    wait_until(lambda: "ready" in processes.read_log_tail(log))
    return child, log


def wait_until(condition):
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_child_ends_at_its_first_signal(tmp_path):
    child, log = start(tmp_path, "echo ready; exec sleep 60")

    processes.end_writers(log, farewell=[(signal.SIGTERM, 60)])

    assert child.wait(30) == -signal.SIGTERM


def test_a_child_that_ignores_signals_is_killed(tmp_path):
    child, log = start(tmp_path, "trap '' TERM; echo ready; while :; do sleep 0.1; done")

    processes.end_writers(log, farewell=[(signal.SIGTERM, 0.2)])

    assert child.wait(30) == -signal.SIGKILL


def test_children_whose_folder_is_gone_are_ended(tmp_path):
    """They would keep the port, and whoever waits for them would wait for ever."""
    logs = tmp_path / "logs"
    logs.mkdir()
    child, log = start(logs, "setsid sleep 60 & echo ready; exec sleep 60")
    shutil.rmtree(logs)

    processes.end_writers(log, farewell=[(signal.SIGTERM, 10)])

    assert (child.wait(30), processes.find_writers(log)) == (-signal.SIGTERM, [])


def test_children_that_took_their_log_elsewhere_are_ended(tmp_path):
    logs = tmp_path / "logs"
    logs.mkdir()
    child, log = start(logs, "sleep 60 & echo ready; exec sleep 60")
    logs.rename(tmp_path / "elsewhere")

    processes.end_writers(log, farewell=[(signal.SIGTERM, 10)])

    assert (child.wait(30), processes.find_writers(log)) == (-signal.SIGTERM, [])


def test_nothing_a_child_left_behind_survives(tmp_path):
    child, log = start(tmp_path, "setsid sleep 60 & setsid sleep 60 & echo ready")
    child.wait()
    assert len(processes.find_writers(log)) == 2

    processes.end_writers(log)

    assert processes.find_writers(log) == []


def test_only_the_head_of_a_family_is_asked(tmp_path):
    inner = "(trap 'echo no' TERM; until test -e asked; do sleep 0.05; done)"
    _, log = start(tmp_path, f"trap 'echo asked; touch asked; exit' TERM; {inner} & echo ready; wait")

    processes.end_writers(log, farewell=[(signal.SIGTERM, 60)])

    assert "asked" in processes.read_log_tail(log)
    assert "no" not in processes.read_log_tail(log).splitlines()


def test_a_child_reads_nothing_and_has_a_session_of_its_own(tmp_path):
    child, log = start(tmp_path, "read line || echo no input; echo ready; exec sleep 60")

    assert os.getsid(child.pid) == child.pid
    assert "no input" in processes.read_log_tail(log)
    processes.end_writers(log)


@pytest.mark.parametrize("orphaned", [signal.SIGTERM, signal.SIGINT])
def test_a_child_gets_its_signal_when_the_parent_is_killed(tmp_path, orphaned):
    log = tmp_path / "child.log"
    script = """if True:
        import os, pathlib, signal, sys
        from operations.embedded import processes
        log = pathlib.Path(sys.argv[1])
        says = "trap 'echo TERM; exit' TERM; trap 'echo INT; exit' INT; echo ready; while :; do sleep 0.05; done"
        command = ["sh", "-c", says]
        orphaned = signal.Signals(int(sys.argv[2]))
        processes.start_process(command, log=log, environ=os.environ, cwd=log.parent, orphaned=orphaned)
        signal.pause()
    """
    parent = subprocess.Popen([sys.executable, "-c", script, log, str(int(orphaned))])
    wait_until(lambda: "ready" in processes.read_log_tail(log))

    parent.kill()
    parent.wait()

    wait_until(lambda: not processes.find_writers(log))
    assert processes.read_log_tail(log).split()[-1] == orphaned.name.removeprefix("SIG")


def test_a_log_that_grew_too_long_is_set_aside(tmp_path, monkeypatch):
    monkeypatch.setattr(processes, "MAX_LOG_BYTES", 10)
    log = tmp_path / "web.log"
    log.write_text("a line that is too long\n")

    processes.rotate_log(log)

    assert log.read_text() == ""
    assert (tmp_path / "web.old.log").read_text() == "a line that is too long\n"


HIDDEN_CHILD = """if True:
    import os, shutil, sys, signal
    from pathlib import Path
    from operations.embedded import processes
    from processing.confined.walls.privileges import give_up_privileges
    give_up_privileges()
    log = Path(sys.argv[1])
    script = "from wire.kernel import forbid_inspection; forbid_inspection(); print('ready', flush=True); "
    script += "import os, time; os.fork(); time.sleep(60)"
    environ = {"PYTHONPATH": os.environ["PYTHONPATH"], "PYTHONDONTWRITEBYTECODE": "1"}
    child = processes.start_process([sys.executable, "-c", script], log=log, environ=environ, cwd=log.parent)
    while "ready" not in processes.read_log_tail(log) or len(processes.find_writers(log)) < 2: pass
    try:
        os.readlink(f"/proc/{child.pid}/fd/1")
    except PermissionError:
        print("hidden", flush=True)
    if sys.argv[2] == "gone":
        shutil.rmtree(log.parent)
    processes.end_writers(log, farewell=[(signal.SIGTERM, 10)])
    print(child.wait(30), processes.find_writers(log))
"""


@pytest.mark.parametrize("folder", ["there", "gone"])
def test_children_that_let_nobody_look_into_them_are_found_and_ended(tmp_path, folder):
    """As they run in production: without root's powers, and with everything of them closed to their own user."""
    logs = tmp_path / "logs"
    logs.mkdir()
    told = subprocess.run(
        [sys.executable, "-c", HIDDEN_CHILD, logs / "child.log", folder],
        env={"PYTHONPATH": str(CHECKOUT), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert told.stdout.splitlines() == ["hidden", "-15 []"], told.stderr


def test_a_child_that_ended_is_no_writer_also_for_others_than_root(anybody):
    """The kernel hides the files of what ended and was not taken note of; a stop then waited for it in vain."""
    child, log = start(anybody, "echo ready")
    wait_until(lambda: processes.has_ended(child.pid))

    found = processes.find_writers(log)

    assert found == []


@pytest.fixture
def anybody():
    """A folder, and the test as its owner without root's rights."""
    with tempfile.TemporaryDirectory() as folder:
        rights = os.geteuid()
        if rights == 0:
            os.chown(folder, NOBODY, NOBODY)
            os.seteuid(NOBODY)
        try:
            yield Path(folder)
        finally:
            os.seteuid(rights)


def test_the_session_of_another_process_is_not_ours(tmp_path):
    child, _ = start(tmp_path, "echo ready; exec sleep 60")
    status = processes._read_status(child.pid)

    assert processes._is_of_session(child.pid, status)
    assert not processes._is_of_session(child.pid, replace(status, started=status.started + 1))
    assert not processes._is_of_session(os.getpid(), status)
    child.kill()
