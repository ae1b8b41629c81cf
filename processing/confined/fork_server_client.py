"""The process that readers are forked from, seen from the worker that owns it: one for each worker process."""

import contextlib
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from processing.confined.confinement import build_child_environment
from processing.failures import ReaderLost
from processing.readings import Limits
from processing.recognition.own_format_types import OWN_FORMATS_TYPE
from processing.registry import BUILT_IN_TYPES

SERVER_PROGRAM = Path(__file__).with_name("fork_server.py")
# The library of vendors' own formats is there in 40 ms, and would keep 7 MB in a process that rarely needs it.
READER_MODULES = tuple(
    sorted({built_in.process.partition(":")[0] for built_in in BUILT_IN_TYPES if built_in is not OWN_FORMATS_TYPE})
)
MAX_FILES_PER_SERVER = 500
PROGRESS_SECONDS = 5.0
START_TIMEOUT_SECONDS = 60.0  # the readers are imported before the first order is taken
GRACE_SECONDS = 10.0  # for the fork server to notice that a child's time is up
MAX_ANSWER_BYTES = 4096


Progress = Callable[[], None]


def ignore_progress() -> None:
    pass


@dataclass(frozen=True)
class ChildExit:
    exit_code: int  # negative: the signal that ended it
    timed_out: bool
    filled_disk: bool
    peak_bytes: int = 0  # of memory in use at once, what it shares with the fork server included


def build_interpreter_command() -> list[str]:
    """Ours, blind to environment and user site; compiled modules are kept where ours are."""
    cache = ["-X", f"pycache_prefix={sys.pycache_prefix}"] if sys.pycache_prefix else []
    return [sys.executable, "-I", *cache]


class ForkServerClient:
    """A running one. It ends by itself when this process does: its control socket then closes."""

    def __init__(self) -> None:
        self.control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self.process = subprocess.Popen(
                [*build_interpreter_command(), str(SERVER_PROGRAM), str(theirs.fileno()), *READER_MODULES],
                env=build_child_environment(Path(tempfile.gettempdir())),
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
        self.orders = 0
        self.in_flight = 0

    @property
    def is_alive(self) -> bool:
        return self.process.poll() is None

    def run(self, home: Path, *, limits: Limits, progress: Progress = ignore_progress) -> ChildExit:
        """Let a child read what `home` holds; `progress` is called every few seconds, and may give up by raising.

        ReaderLost: the fork server went away.
        """
        mine, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        order = {
            "home": str(home),
            "seconds": limits.seconds,
            "cpu_seconds": limits.cpu_seconds,
            "memory_bytes": limits.memory_bytes,
        }
        with mine:
            with theirs:
                self.send(json.dumps(order).encode(), theirs)
            mine.settimeout(PROGRESS_SECONDS)
            return self.receive(mine, seconds=START_TIMEOUT_SECONDS + limits.seconds + GRACE_SECONDS, progress=progress)

    def send(self, order: bytes, reply: socket.socket) -> None:
        try:
            socket.send_fds(self.control, [order], [reply.fileno()])
        except OSError as error:
            raise ReaderLost(detail=f"the fork server takes no orders: {error}") from error

    def receive(self, reply: socket.socket, *, seconds: float, progress: Progress) -> ChildExit:
        until = time.monotonic() + seconds
        while True:
            try:
                answer = reply.recv(MAX_ANSWER_BYTES)
            except TimeoutError as error:
                if time.monotonic() > until:
                    self.end()
                    raise ReaderLost(detail="the fork server does not answer") from error
                progress()
                continue
            except OSError as error:
                raise ReaderLost(detail=f"the fork server went away: {error}") from error
            if not answer:
                raise ReaderLost(detail="the fork server went away")
            return ChildExit(**json.loads(answer))

    def end(self) -> None:
        """Closing the socket lets it end its children and itself."""
        self.control.close()
        try:
            self.process.wait(GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class ForkServerPool:
    """Hands out the fork server of this process: a new one after 500 files, a death, and a fork of our own."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.current: ForkServerClient | None = None
        self.owner = 0

    @contextlib.contextmanager
    def lend(self) -> Iterator[ForkServerClient]:
        fork_server = self.acquire()
        try:
            yield fork_server
        finally:
            self.give_back(fork_server)

    def acquire(self) -> ForkServerClient:
        with self.lock:
            if self.owner != os.getpid():
                self.current, self.owner = None, os.getpid()
            if self.current is None or not self.current.is_alive or self.current.orders >= MAX_FILES_PER_SERVER:
                self.retire()
                self.current = ForkServerClient()
            self.current.orders += 1
            self.current.in_flight += 1
            return self.current

    def give_back(self, fork_server: ForkServerClient) -> None:
        with self.lock:
            fork_server.in_flight -= 1
            if fork_server is not self.current and fork_server.in_flight == 0:
                fork_server.end()

    def retire(self) -> None:
        """The old one ends when the last of its children has."""
        old, self.current = self.current, None
        if old is not None and old.in_flight == 0:
            old.end()

    def close(self) -> None:
        with self.lock:
            self.retire()


fork_server_pool = ForkServerPool()
