"""Programs of `./ids serve` that work behind the others."""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from operations.embedded.processes import has_ended
from operations.embedded.programs import CHECKOUT
from operations.embedded.pulse import Pulse
from tests.faults.journal import wait_until

LAUNCH = """
import os, sys
from pathlib import Path
from operations.embedded.programs import ForkedProgram
program = ForkedProgram(Path(sys.argv[1]), ["-m", "timeit", "-r1", "-n1", "__import__('time').sleep(30)"], niceness=10)
program.launch()
print(os.getpriority(os.PRIO_PROCESS, program.child.pid))
os.kill(program.child.pid, 9)
"""


# Supervises one program that beats, answers whoever connects with its number, and ends as it is told.
AWAIT = """if True:
    import os, pathlib, sys
    from operations.embedded import programs
    from operations.embedded.pulse import Pulse
    from operations.embedded.sockets import listen_in
    from operations.embedded.supervisor import Supervisor

    place = pathlib.Path(sys.argv[1])
    sys.path.insert(0, str(place))
    programs.HANGING_SECONDS = float(sys.argv[2])
    listener, pulse = listen_in(place / "s"), Pulse()
    inherit = [listener.fileno(), pulse.descriptor]
    command = ["-m", "answering", *map(str, inherit)]
    program = programs.AwaitedProgram(place / "log", command, inherit=inherit, listener=listener, pulse=pulse)
    with Supervisor(servers=[], programs=[program]) as supervisor:
        supervisor.start([program])
        print("ready", flush=True)
        supervisor.watch()
"""
ANSWERING = """
import os, socket, sys, threading, time

def beat():
    while True:
        os.eventfd_write(int(sys.argv[2]), 1)
        time.sleep(0.1)

def main():
    threading.Thread(target=beat, daemon=True).start()
    with socket.socket(fileno=os.dup(int(sys.argv[1]))) as listener:
        listener.setblocking(True)
        while True:
            caller, _ = listener.accept()
            with caller:
                told = caller.recv(100)
                caller.sendall(str(os.getpid()).encode())
            if told != b"stay":
                sys.exit(int(told))
"""

CONNECT = """if True:
    import pathlib, socket, sys
    from operations.embedded.sockets import listen_in, send_signal_of_connections

    listener = listen_in(pathlib.Path(sys.argv[1]))
    send_signal_of_connections(listener)
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as caller:
        caller.connect(sys.argv[1])
"""


@pytest.fixture
def place(tmp_path_factory):
    place = tmp_path_factory.mktemp("p")
    (place / "answering.py").write_text(ANSWERING)
    command = [sys.executable, "-c", AWAIT, place, "3"]
    with subprocess.Popen(command, cwd=CHECKOUT, stdout=subprocess.PIPE, text=True) as supervising:
        assert supervising.stdout.readline() == "ready\n"
        yield place
        supervising.terminate()
        supervising.communicate(timeout=30)


def tell(place, told):
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as caller:
        caller.settimeout(30)
        caller.connect(str(place / "s"))
        caller.sendall(told)
        return int(caller.recv(100))


def test_who_connects_before_anybody_supervises_ends_nothing(tmp_path_factory):
    path = tmp_path_factory.mktemp("p") / "s"

    done = subprocess.run([sys.executable, "-c", CONNECT, path], cwd=CHECKOUT, timeout=30, check=False)

    assert done.returncode == 0


def test_a_program_that_is_awaited_begins_with_who_connects_and_may_end(place):
    assert not (place / "log").exists()

    first, same = tell(place, b"stay"), tell(place, b"0")
    second, failing = tell(place, b"stay"), tell(place, b"3")
    third = tell(place, b"stay")
    os.kill(third, 9)
    wait_until(lambda: has_ended(third), seconds=20, why="it takes nobody along")
    fourth, last = tell(place, b"stay"), tell(place, b"0")

    assert (first, second, fourth) == (same, failing, last)
    assert len({first, second, third, fourth}) == 4


def test_a_program_that_is_awaited_is_ended_when_it_hangs_and_who_waits_is_answered(place):
    hanging = tell(place, b"stay")
    os.kill(hanging, signal.SIGSTOP)
    wait_until(lambda: is_stopped(hanging), seconds=20, why="it takes nobody along")
    began = time.monotonic()

    next_one = tell(place, b"stay")

    assert next_one != hanging
    assert has_ended(hanging)
    assert 2 < time.monotonic() - began < 15  # it is given the time
    time.sleep(5)
    assert tell(place, b"0") == next_one  # which works, and is left alone


def is_stopped(pid):
    """With all its threads."""
    stats = [stat.read_text() for stat in Path(f"/proc/{pid}/task").glob("*/stat")]
    return all(stat.rpartition(")")[2].split()[0] == "T" for stat in stats)


def test_a_time_in_which_all_were_stopped_is_no_silence():
    pulse = Pulse()
    pulse.begin(100.0)

    assert [pulse.feel(at) for at in (101.0, 1000.0, 1001.0)] == [1.0, 4.0, 5.0]
    os.eventfd_write(pulse.descriptor, 1)
    assert [pulse.feel(at) for at in (1002.0, 1003.0)] == [0.0, 1.0]


@pytest.mark.parametrize(("of_the_service", "of_the_program"), [(0, 10), (15, 15)])
def test_a_program_is_never_less_nice_than_the_service_that_starts_it(tmp_path, of_the_service, of_the_program):
    more = of_the_service - os.getpriority(os.PRIO_PROCESS, 0)
    if more < 0:
        pytest.skip("these tests themselves run niced")

    done = subprocess.run(
        [sys.executable, "-c", LAUNCH, tmp_path / "log"],
        cwd=CHECKOUT,
        preexec_fn=lambda: os.nice(more),
        capture_output=True,
        text=True,
        check=True,
    )

    assert int(done.stdout) == of_the_program
