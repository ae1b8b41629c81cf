"""The process that reads instrument files: it imports the readers once, then forks a confined child for each file.

Started by processing/zygote.py as `python -I processing/child.py DESCRIPTOR MODULE…`, knowing no secret. Over the
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
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from processing import confinement, job

MOST_ORDER_BYTES = 4096


@dataclass
class Running:
    pid: int
    reply: socket.socket
    deadline: float
    timed_out: bool = False


class Zygote:
    """Forks, waits, kills when the time is up or nobody waits any more. Without the control socket everything goes."""

    def __init__(self, control: socket.socket) -> None:
        self.control = control
        self.running: dict[int, Running] = {}  # by process descriptor
        self.askers: dict[int, int] = {}  # process descriptors, by that of the socket to answer on
        self.selector = selectors.DefaultSelector()
        self.selector.register(control, selectors.EVENT_READ)

    def serve(self) -> None:
        while True:
            for key, _ in self.selector.select(self.patience()):
                if key.fileobj is self.control:
                    if not self.take_order():
                        return self.end_all()
                elif key.fd in self.running:
                    self.report(key.fd)
                elif key.fd in self.askers:  # it never speaks again: it has gone
                    self.selector.unregister(key.fd)
                    end_group(self.running[self.askers.pop(key.fd)].pid)
            self.end_late_ones()

    def patience(self) -> float | None:
        waiting = [child.deadline for child in self.running.values() if not child.timed_out]
        return max(0.0, min(waiting) - time.monotonic()) if waiting else None

    def take_order(self) -> bool:
        message, descriptors, _, _ = socket.recv_fds(self.control, MOST_ORDER_BYTES, 1)
        if not message:
            return False
        order = json.loads(message)
        reply = socket.socket(fileno=descriptors[0])
        pid = os.fork()
        if pid == 0:
            run_child(order)
        descriptor = os.pidfd_open(pid)
        self.running[descriptor] = Running(pid, reply, time.monotonic() + order["seconds"])
        self.askers[reply.fileno()] = descriptor
        self.selector.register(descriptor, selectors.EVENT_READ)
        self.selector.register(reply.fileno(), selectors.EVENT_READ)
        return True

    def report(self, descriptor: int) -> None:
        """Tell how the child ended, after ending whatever it started. Until it is reaped its group cannot be reused."""
        child = self.running.pop(descriptor)
        self.selector.unregister(descriptor)
        if self.askers.pop(child.reply.fileno(), None) is not None:
            self.selector.unregister(child.reply.fileno())
        end_group(child.pid)
        _, status = os.waitpid(child.pid, 0)
        os.close(descriptor)
        answer = {"exit_code": os.waitstatus_to_exitcode(status), "timed_out": child.timed_out}
        with child.reply, contextlib.suppress(OSError):  # whoever asked may have gone
            child.reply.sendall(json.dumps(answer).encode())

    def end_late_ones(self) -> None:
        at = time.monotonic()
        for child in self.running.values():
            if child.deadline <= at and not child.timed_out:
                child.timed_out = True
                end_group(child.pid)

    def end_all(self) -> None:
        for child in self.running.values():
            end_group(child.pid)


def end_group(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)  # it may not have got as far as its own group


def run_child(order: dict[str, int | str]) -> None:
    """Never returns: what was forked must not go on with the loop above."""
    code = 1
    try:
        home = Path(str(order["home"]))
        confinement.confine(home=home, cpu_seconds=int(order["cpu_seconds"]), memory_bytes=int(order["memory_bytes"]))
        job.run(home)
        code = 0
    finally:
        with contextlib.suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


def main() -> None:
    with socket.socket(fileno=int(sys.argv[1])) as control:
        for signal_number in confinement.KEPT_SIGNALS:
            signal.signal(signal_number, signal.SIG_IGN)  # the worker decides when it goes, by closing the socket
        with tempfile.TemporaryDirectory(prefix="ids-zygote-") as home:
            os.environ.update(confinement.plain_environment(Path(home)))
            tempfile.tempdir = None
            warm_up(sys.argv[2:])
            Zygote(control).serve()


def warm_up(readers: list[str]) -> None:
    """Import what takes long. A library that cannot be imported costs its own family of files only."""
    for reader in readers:
        with contextlib.suppress(Exception):
            importlib.import_module(reader)
    gc.freeze()  # what is shared with the children stays shared


if __name__ == "__main__":
    main()
