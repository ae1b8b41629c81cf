"""Our own processes: the web server, and the worker with its scheduler."""

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from operations.embedded import processes
from operations.embedded.commands import (
    GRACE_SECONDS,
    SMALL_BUILDER,
    build_web_command,
    build_worker_command,
    build_worker_command_of,
)
from operations.embedded.data_directory import DataDirectory

CHECKOUT = Path(__file__).resolve().parents[2]


@dataclass
class Program:
    log: Path
    command: Sequence[str]
    environ: Mapping[str, str]
    inherit: Sequence[int] = ()
    farewell: processes.StopSignals = ((signal.SIGTERM, GRACE_SECONDS + 3.0),)
    niceness: int = 0
    child: subprocess.Popen[bytes] | None = field(default=None, init=False)

    def start(self) -> None:
        self.launch()

    def launch(self) -> None:
        self.child = processes.start_process(
            [sys.executable, *self.command], log=self.log, environ=self.environ, cwd=CHECKOUT, inherit=self.inherit
        )
        if self.niceness > os.getpriority(os.PRIO_PROCESS, 0):  # only root may take less
            os.setpriority(os.PRIO_PROCESS, self.child.pid, self.niceness)


def make_web_program(data: DataDirectory, environ: Mapping[str, str], *, listener: int) -> Program:
    """The socket is the supervisor's: while a dead web server is started again, connections wait instead of failing."""
    proxies = os.environ.get("TRUSTED_PROXIES")
    trust = ["--proxy-headers", "--forwarded-allow-ips", proxies] if proxies else ["--no-proxy-headers"]
    listen = ["--fd", str(listener), "--workers", os.environ.get("WEB_CONCURRENCY") or "1"]
    command = build_web_command(listen=listen, trust=trust)
    return Program(web_log_path(data), command, environ, inherit=[listener])


def web_log_path(data: DataDirectory) -> Path:
    return data.logs / "web.log"


def make_worker_program(data: DataDirectory, environ: Mapping[str, str]) -> Program:
    """Deliveries and sweeps, and the scheduler."""
    schedule = ("-B", "-s", str(data.path / "beat-schedule"))
    return _make_celery_program("worker", data, environ, more=schedule)


def make_builder_program(data: DataDirectory, environ: Mapping[str, str]) -> Program:
    """Archives, which take long: apart from what must not wait. People and watchers come first."""
    return _make_celery_program("builder", data, environ, niceness=10)


def make_small_builder_program(data: DataDirectory, environ: Mapping[str, str]) -> Program:
    """Archives and the reading of files in one process, where memory is little."""
    command = build_worker_command_of(SMALL_BUILDER, name="builder@%h")
    return _make_worker_program("builder", command, data, environ, niceness=10)


def make_reader_program(data: DataDirectory, environ: Mapping[str, str]) -> Program:
    """The reading of files, in threads of its own: files that take all their time never make an archive wait."""
    return _make_celery_program("reader", data, environ, niceness=10)


def make_simulator_program(data: DataDirectory, environ: Mapping[str, str], *, server: str, python: str) -> Program:
    """The simulated instrument and its agent (whose packages `python` has). They know the service from outside only."""
    command = ["-m", "operations.demo.simulator", str(data.demo), server, python]
    direct = ",".join(filter(None, [environ.get("NO_PROXY") or environ.get("no_proxy"), urlsplit(server).hostname]))
    environ = {**environ, "NO_PROXY": direct, "no_proxy": direct}
    return Program(data.logs / "demo.log", command, environ, farewell=((signal.SIGTERM, 8.0),))


def _make_celery_program(
    kind: str, data: DataDirectory, environ: Mapping[str, str], *, more: Sequence[str] = (), niceness: int = 0
) -> Program:
    command = build_worker_command(kind, name=f"{kind}@%h", more=more)
    return _make_worker_program(kind, command, data, environ, niceness=niceness)


def _make_worker_program(
    kind: str, command: Sequence[str], data: DataDirectory, environ: Mapping[str, str], *, niceness: int
) -> Program:
    farewell = ((signal.SIGTERM, 10.0), (signal.SIGQUIT, 3.0))  # a task that is cut off runs again
    return Program(data.logs / f"{kind}.log", command, environ, farewell=farewell, niceness=niceness)
