"""The process that reads instrument files: it imports the readers once, then forks a confined child for each file.

Started by fork_server_client.py beside it as `python -I fork_server.py DESCRIPTOR MODULE…`, knowing no secret. Over the
socket of that descriptor come orders, each with a socket of its own on which the end of that child is reported.
"""

import contextlib
import gc
import importlib
import json
import os
import selectors
import signal
import socket
import sys
import tempfile
import time
import traceback
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from processing.confined import confinement, job
from processing.confined.scratch_space import CHECK_SECONDS, ScratchSpace
from processing.confined.walls.raising import prepare_walls, probe_walls

MAX_ORDER_BYTES = 4096


@dataclass
class RunningChild:
    pid: int
    reply: socket.socket
    deadline: float
    space: ScratchSpace
    timed_out: bool = False
    filled_disk: bool = False


class ForkServer:
    """Forks, waits, kills when the time is up or nobody waits any more. Without the control socket everything goes."""

    def __init__(self, control: socket.socket, *, missing_walls: Collection[str]) -> None:
        self.control = control
        self.missing_walls = missing_walls
        self.running: dict[int, RunningChild] = {}  # by process descriptor
        self.children_by_reply: dict[int, int] = {}  # process descriptors, by that of the socket to answer on
        self.selector = selectors.DefaultSelector()
        self.selector.register(control, selectors.EVENT_READ)

    def serve(self) -> None:
        while True:
            for key, _ in self.selector.select(self.seconds_until_check()):
                if key.fileobj is self.control:
                    if not self.accept_order():
                        return self.kill_all()
                elif key.fd in self.running:
                    self.report_exit(key.fd)
                elif key.fd in self.children_by_reply:  # it never speaks again: it has gone
                    self.selector.unregister(key.fd)
                    kill_group(self.running[self.children_by_reply.pop(key.fd)].pid)
            self.kill_overdue()

    def seconds_until_check(self) -> float | None:
        """Of time and space of those that run; None while nobody does."""
        waiting = [child.deadline for child in self.running.values() if not child.timed_out]
        return min(CHECK_SECONDS, max(0.0, min(waiting) - time.monotonic())) if waiting else None

    def accept_order(self) -> bool:
        message, descriptors, _, _ = socket.recv_fds(self.control, MAX_ORDER_BYTES, 1)
        if not message:
            return False
        order = json.loads(message)
        reply = socket.socket(fileno=descriptors[0])
        space = ScratchSpace(Path(order["home"]))
        pid = os.fork()
        if pid == 0:
            run_child(order, self.missing_walls)
        descriptor = os.pidfd_open(pid)
        self.running[descriptor] = RunningChild(pid, reply, time.monotonic() + order["seconds"], space)
        self.children_by_reply[reply.fileno()] = descriptor
        self.selector.register(descriptor, selectors.EVENT_READ)
        self.selector.register(reply.fileno(), selectors.EVENT_READ)
        return True

    def report_exit(self, descriptor: int) -> None:
        """Tell how the child ended, after ending whatever it started. Until it is reaped its group cannot be reused."""
        child = self.running.pop(descriptor)
        self.selector.unregister(descriptor)
        if self.children_by_reply.pop(child.reply.fileno(), None) is not None:
            self.selector.unregister(child.reply.fileno())
        kill_group(child.pid)
        _, status, usage = os.wait4(child.pid, 0)
        os.close(descriptor)
        answer = {
            "exit_code": os.waitstatus_to_exitcode(status),
            "timed_out": child.timed_out,
            "filled_disk": child.filled_disk,
            "peak_bytes": usage.ru_maxrss * 1024,
        }
        with child.reply, contextlib.suppress(OSError):  # whoever asked may have gone
            child.reply.sendall(json.dumps(answer).encode())

    def kill_overdue(self) -> None:
        at = time.monotonic()
        for child in self.running.values():
            if child.timed_out or child.filled_disk:
                continue
            child.timed_out, child.filled_disk = child.deadline <= at, child.space.is_exceeded(at=at)
            if child.timed_out or child.filled_disk:
                kill_group(child.pid)

    def kill_all(self) -> None:
        for child in self.running.values():
            kill_group(child.pid)


def kill_group(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)  # it may not have got as far as its own group


def run_child(order: dict[str, int | str], missing_walls: Collection[str]) -> None:
    """Never returns: what was forked must not go on with the loop above."""
    code = 1
    try:
        home = Path(str(order["home"]))
        confine_or_die(home, order, missing_walls)
        job.run_job(home)
        code = 0
    finally:
        with contextlib.suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


def confine_or_die(home: Path, order: dict[str, int | str], missing_walls: Collection[str]) -> None:
    """Where a wall cannot be raised that could be before, nothing is read; another attempt may have it."""
    try:
        confinement.confine_process(
            home=home,
            cpu_seconds=int(order["cpu_seconds"]),
            memory_bytes=int(order["memory_bytes"]),
            missing_walls=missing_walls,
        )
    except OSError:
        traceback.print_exc()
        sys.stderr.flush()
        os.kill(os.getpid(), signal.SIGKILL)


def main() -> None:
    with socket.socket(fileno=int(sys.argv[1])) as control:
        for signal_number in confinement.STOP_SIGNALS:
            signal.signal(signal_number, signal.SIG_IGN)  # the worker decides when it goes, by closing the socket
        with tempfile.TemporaryDirectory(prefix="ids-fork-server-") as home:
            os.environ.update(confinement.build_child_environment(Path(home)))
            tempfile.tempdir = None
            import_readers(sys.argv[2:])
            missing_walls = probe_walls(Path(home))
            prepare_walls(missing_walls)
            gc.freeze()  # what is shared with the children stays shared
            ForkServer(control, missing_walls=missing_walls).serve()


def import_readers(readers: list[str]) -> None:
    """Import what takes long. A library that cannot be imported costs its own family of files only."""
    for reader in readers:
        with contextlib.suppress(Exception):
            importlib.import_module(reader)


if __name__ == "__main__":
    main()
