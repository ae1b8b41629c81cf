"""Our own processes: the web server, and the worker with its scheduler."""

import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from operations.embedded import processes
from operations.embedded.commands import build_web_command, build_worker_command
from operations.embedded.data_directory import DataDirectory
from operations.embedded.errors import EmbeddedError
from operations.embedded.forking import ForkedChild, fork_module
from operations.embedded.memory import is_small
from operations.embedded.pulse import Pulse
from operations.embedded.sockets import listen_in, make_socket_directory, send_signal_of_connections
from web.server.query_server import QUERY_SOCKET
from web.server.time_limits import GRACE_SECONDS

CHECKOUT = Path(__file__).resolve().parents[2]
NAMES = ("programs", "worker", "builder", "reader", "queries")
QUERY_IDLE_SECONDS = 600
HANGING_SECONDS = 30.0  # longer than it takes to begin or to end, shorter than proxies wait for an answer
QUERY_NICENESS = 15  # at 10 heartbeats beside queries take a fifth longer, and queries no less
MOST_WEB_PROCESSES = 4  # unless WEB_CONCURRENCY says more
USUAL_THREADS, BESIDE_THREADS = 8, 20  # of a web server, which may have a connection to the database for each
OTHER_CONNECTIONS = 36  # of workers, commands and people


@dataclass
class Program:
    """One that begins anew, as any command does."""

    log: Path
    command: Sequence[str]
    environ: Mapping[str, str]
    inherit: Sequence[int] = ()
    stdout: int | None = None  # the log, where none is given
    farewell: processes.StopSignals = ((signal.SIGTERM, GRACE_SECONDS + 3.0),)
    child: subprocess.Popen[bytes] | None = field(default=None, init=False)

    def start(self) -> None:
        self.launch()

    def launch(self) -> None:
        self.child = processes.start_process(
            [sys.executable, *self.command],
            log=self.log,
            environ=self.environ,
            cwd=CHECKOUT,
            inherit=self.inherit,
            stdout=self.stdout,
        )


@dataclass
class ForkedProgram:
    """One of the service's own, begun as a copy of the process that has loaded its code."""

    log: Path
    command: Sequence[str]
    inherit: Sequence[int] = ()
    farewell: processes.StopSignals = ((signal.SIGTERM, GRACE_SECONDS + 3.0),)
    niceness: int = 0
    child: ForkedChild | None = field(default=None, init=False)

    def start(self) -> None:
        self.launch()

    def launch(self) -> None:
        _, *module = self.command  # after -m
        self.child = fork_module(module, name=f"ids {self.log.stem}", log=self.log, inherit=self.inherit)
        if self.niceness > os.getpriority(os.PRIO_PROCESS, 0):  # only root may take less
            os.setpriority(os.PRIO_PROCESS, self.child.pid, self.niceness)


@dataclass
class AwaitedProgram(ForkedProgram):
    """One that begins when somebody connects to its socket, and may end when nobody does any more."""

    listener: socket.socket = field(kw_only=True)
    pulse: Pulse = field(kw_only=True)

    def start(self) -> None:
        send_signal_of_connections(self.listener)

    def launch(self) -> None:
        self.pulse.begin(time.monotonic())
        super().launch()

    @property
    def is_wanted(self) -> bool:
        """Somebody waits, and it does not run."""
        return self.child is None and bool(select.select([self.listener], [], [], 0)[0])

    @property
    def is_hanging(self) -> bool:
        """It runs, and its loop has stood still for long."""
        is_running = self.child is not None and self.child.poll() is None
        return is_running and self.pulse.feel(time.monotonic()) > HANGING_SECONDS

    def close(self) -> None:
        """Nobody is to come any more."""
        Path(self.listener.getsockname()).unlink(missing_ok=True)
        self.listener.close()

    def forget_end(self) -> bool:
        """Whether it ended because nobody came."""
        is_over = self.child is not None and self.child.poll() == 0
        self.child = None if is_over else self.child
        return is_over


def make_preloaded_programs(data: DataDirectory, environ: Mapping[str, str], *, listener: int) -> Program:
    """The process that the others are forked from, and that keeps them running. It speaks where its parent does.

    Raises EmbeddedError for a number of web servers that is none, before anything is started.
    """
    count_web_processes()
    command = ["-m", "operations.embedded.preloaded_programs", str(listener)]
    farewell = ((signal.SIGTERM, GRACE_SECONDS + 8.0),)  # longer than any of its programs has
    return Program(data.logs / "programs.log", command, environ, [listener], sys.stdout.fileno(), farewell)


def make_web_programs(data: DataDirectory, *, listener: int) -> list[ForkedProgram]:
    """The socket is the supervisor's: while a dead web server is started again, connections wait instead of failing."""
    logs = [web_log_path(data, number) for number in range(1, count_web_processes() + 1)]
    share = ["--share"] if len(logs) > 1 else []
    command = build_web_command("--fd", str(listener), "--workers", "1", *share)
    return [ForkedProgram(log, command, inherit=[listener]) for log in logs]


def make_query_program(data: DataDirectory) -> AwaitedProgram:
    """Queries over datasets and exports, of which the web servers hand over to it what may take long.

    It is there only while it is asked: what it takes of memory is not in what the service takes at rest.
    """
    listener = listen_in(make_socket_directory(data.path) / "queries.sock")
    os.environ[QUERY_SOCKET] = str(listener.getsockname())
    pulse = Pulse()
    served = ["--fd", str(listener.fileno()), "--workers", "1", "--queries", str(QUERY_IDLE_SECONDS)]
    return AwaitedProgram(
        data.logs / "queries.log",
        build_web_command(*served, "--pulse", str(pulse.descriptor)),
        inherit=[listener.fileno(), pulse.descriptor],
        niceness=QUERY_NICENESS,
        listener=listener,
        pulse=pulse,
    )


def count_web_processes() -> int:
    """WEB_CONCURRENCY, else one for each core that we may use; where memory is little, one. Raises EmbeddedError."""
    cores = 1 if is_small() else min(len(os.sched_getaffinity(0)), MOST_WEB_PROCESSES)
    asked = os.environ.get("WEB_CONCURRENCY") or str(cores)
    if not asked.isascii() or not asked.isdigit() or int(asked) < 1:
        raise EmbeddedError(f"WEB_CONCURRENCY is a number of processes from 1, not {asked!r}.")
    return int(asked)


def count_connections() -> int:
    """That the database takes at once, for each of which it keeps room: web servers, queries, and all others.

    Raises EmbeddedError.
    """
    threads = os.environ.get("WEB_THREADS", "")
    each = (int(threads) if threads.isascii() and threads.isdigit() else USUAL_THREADS) + BESIDE_THREADS
    return (count_web_processes() + 1) * each + OTHER_CONNECTIONS


def end_programs(data: DataDirectory) -> None:
    """Whatever is left of them when nobody supervises them any more."""
    for log in (*(data.logs / f"{name}.log" for name in NAMES), *list_web_logs(data)):
        processes.end_writers(log)


def list_web_logs(data: DataDirectory) -> list[Path]:
    """Also of those that an earlier start had more of."""
    return [web_log_path(data), *data.logs.glob("web-*.log")]


def web_log_path(data: DataDirectory, number: int = 1) -> Path:
    return data.logs / ("web.log" if number == 1 else f"web-{number}.log")


def make_worker_program(data: DataDirectory) -> ForkedProgram:
    """Deliveries and sweeps, and the scheduler."""
    schedule = ("--schedule", str(data.path / "beat-schedule"))
    return _make_worker_program("worker", "worker", data, more=schedule)


def make_builder_program(data: DataDirectory) -> ForkedProgram:
    """Archives, which take long: apart from what must not wait. People and watchers come first."""
    return _make_worker_program("builder", "builder", data, niceness=10)


def make_small_builder_program(data: DataDirectory) -> ForkedProgram:
    """Archives and the reading of files in one process, where memory is little."""
    return _make_worker_program("builder", "small-builder", data, niceness=10)


def make_reader_program(data: DataDirectory) -> ForkedProgram:
    """The reading of files, in threads of its own: files that take all their time never make an archive wait."""
    return _make_worker_program("reader", "reader", data, niceness=10)


def make_simulator_program(data: DataDirectory, environ: Mapping[str, str], *, server: str, python: str) -> Program:
    """The simulated instrument and its agent (whose packages `python` has). They know the service from outside only."""
    command = ["-m", "operations.demo.simulator", str(data.demo), server, python]
    direct = ",".join(filter(None, [environ.get("NO_PROXY") or environ.get("no_proxy"), urlsplit(server).hostname]))
    environ = {**environ, "NO_PROXY": direct, "no_proxy": direct}
    return Program(data.logs / "demo.log", command, environ, farewell=((signal.SIGTERM, 8.0),))


def _make_worker_program(
    name: str, kind: str, data: DataDirectory, *, more: Sequence[str] = (), niceness: int = 0
) -> ForkedProgram:
    command = build_worker_command(kind, name=f"{name}@%h", more=more)
    farewell = ((signal.SIGTERM, 10.0), (signal.SIGQUIT, 3.0))  # a task that is cut off runs again
    return ForkedProgram(data.logs / f"{name}.log", command, farewell=farewell, niceness=niceness)
