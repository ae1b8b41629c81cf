"""Our own processes: the web server, and the worker with its scheduler."""

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from config.embedded import processes
from config.embedded.data_directory import DataDirectory

CHECKOUT = Path(__file__).resolve().parents[2]
GRACE = 15  # seconds a request under way gets to finish
KEPT = 75  # seconds an idle connection is kept: longer than proxies do, or they send into one that is just closing


@dataclass
class Program:
    log: Path
    command: Sequence[str]
    environ: Mapping[str, str]
    inherit: Sequence[int] = ()
    farewell: processes.Farewell = ((signal.SIGTERM, GRACE + 3.0),)
    niceness: int = 0
    child: subprocess.Popen[bytes] | None = field(default=None, init=False)

    def start(self) -> None:
        self.launch()

    def launch(self) -> None:
        self.child = processes.start(
            [sys.executable, *self.command], log=self.log, environ=self.environ, cwd=CHECKOUT, inherit=self.inherit
        )
        if self.niceness:  # whatever it starts inherits this
            os.setpriority(os.PRIO_PROCESS, self.child.pid, self.niceness)


def web(data: DataDirectory, environ: Mapping[str, str], *, listener: int) -> Program:
    """The socket is the supervisor's: while a dead web server is started again, connections wait instead of failing."""
    proxies = os.environ.get("TRUSTED_PROXIES")
    trust = ["--proxy-headers", "--forwarded-allow-ips", proxies] if proxies else ["--no-proxy-headers"]
    command = [
        *("-m", "uvicorn", "config.asgi:application", "--fd", str(listener)),
        *("--workers", os.environ.get("WEB_CONCURRENCY") or "1"),
        *("--http", "config.http:BoundedHttp"),
        *("--timeout-graceful-shutdown", str(GRACE), "--timeout-keep-alive", str(KEPT)),
        *("--no-access-log", "--no-server-header"),
        *trust,
    ]
    return Program(web_log(data), command, environ, inherit=[listener])


def web_log(data: DataDirectory) -> Path:
    return data.logs / "web.log"


def worker(data: DataDirectory, environ: Mapping[str, str]) -> Program:
    """Deliveries and sweeps, and the scheduler."""
    schedule = ("-B", "-s", str(data.path / "beat-schedule"))
    return _celery("worker", data, environ, queues="celery,deliveries", threads=2, more=schedule)


def builder(data: DataDirectory, environ: Mapping[str, str]) -> Program:
    """What takes long, apart from what must not wait: archives and processing. People and watchers come first."""
    return _celery("builder", data, environ, queues="archives,processing", threads=3, niceness=10)


def player(data: DataDirectory, environ: Mapping[str, str], *, server: str, python: str) -> Program:
    """The simulated instrument and its agent (whose packages `python` has). They know the service from outside only."""
    command = ["-m", "config.demo.player", str(data.demo), server, python]
    direct = ",".join(filter(None, [environ.get("NO_PROXY") or environ.get("no_proxy"), urlsplit(server).hostname]))
    environ = {**environ, "NO_PROXY": direct, "no_proxy": direct}
    return Program(data.logs / "demo.log", command, environ, farewell=((signal.SIGTERM, 8.0),))


def _celery(
    name: str,
    data: DataDirectory,
    environ: Mapping[str, str],
    *,
    queues: str,
    threads: int,
    more: Sequence[str] = (),
    niceness: int = 0,
) -> Program:
    command = [
        *("-m", "celery", "-A", "config.celery", "worker", "-n", f"{name}@%h", "-Q", queues),
        *("-P", "threads", "-c", str(threads), *more),
        *("--without-gossip", "--without-mingle", "--loglevel", "INFO"),
    ]
    farewell = ((signal.SIGTERM, 10.0), (signal.SIGQUIT, 3.0))  # a task that is cut off runs again
    return Program(data.logs / f"{name}.log", command, environ, farewell=farewell, niceness=niceness)
