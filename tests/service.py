"""The whole service as a user starts it: `./ids serve` on a data directory of its own and a free port."""

import math
import os
import re
import signal
import subprocess
import time
from pathlib import Path
from typing import Self

import requests

from operations.embedded import processes
from tests.ports import free_port
from tests.service_template import copy_template

CHECKOUT = Path(__file__).resolve().parents[1]
OF_THE_TESTS = re.compile(
    r"(DATABASE_URL|DATABASE_OWNER_URL|REDIS_URL|SECRET_KEY|PUBLIC_URL|PROMETHEUS_MULTIPROC_DIR|(IDS|S3|PYTEST)_.*)$"
)
NOT_AS_THE_TEMPLATE = {"DATABASE_URL", "DJANGO_SETTINGS_MODULE", "PG_BIN"}
START_SECONDS, STOP_SECONDS = 300, 60  # as the systemd unit has it


class Service:
    """A context; `options` are more of the command's, `variables` point it elsewhere than its embedded parts."""

    checkout = CHECKOUT
    is_first_start = False  # of a data directory that is not there yet: else that is a copy of one that was started
    supervisor: subprocess.Popen[bytes]
    fastest_start = math.inf  # in seconds, of all so far: what this machine can do today

    def __init__(self, data: Path, *options: str, **variables: str) -> None:
        self.data = data
        self.options = options
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = data.with_name(f"{data.name} {self.port}.log")
        self.variables = variables
        self.environ = {name: value for name, value in os.environ.items() if not OF_THE_TESTS.match(name)} | variables

    def begin(self) -> None:
        """Start it without waiting."""
        if not self.is_first_start and not self.data.exists() and not NOT_AS_THE_TEMPLATE & self.variables.keys():
            copy_template(self.data, make=start_once)
        command = [
            str(self.checkout / "ids"),
            "serve",
            "--port",
            str(self.port),
            "--data",
            str(self.data),
            *self.options,
        ]
        with self.log.open("wb") as output:
            self.supervisor = subprocess.Popen(
                command, env=self.environ, stdin=subprocess.DEVNULL, stdout=output, stderr=output
            )

    def start(self) -> float:
        """Seconds until it answers."""
        began = time.monotonic()
        self.begin()
        while "Instrument Data Service at" not in (said := self.log.read_text()) or not self.is_ready():
            assert self.supervisor.poll() is None, said
            assert time.monotonic() - began < START_SECONDS, said
            time.sleep(0.05)
        took = time.monotonic() - began
        self.fastest_start = min(took, self.fastest_start)
        return took

    def is_ready(self) -> bool:
        try:
            return requests.get(f"{self.url}/readyz", timeout=10).ok
        except requests.RequestException:
            return False

    def send(self, number: signal.Signals) -> int:
        """The exit code after this signal."""
        self.supervisor.send_signal(number)
        try:
            return self.supervisor.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired as error:
            raise AssertionError(f"{error}; it said: {self.log.read_text()[-4000:]}") from error

    def manage(self, *arguments: str, **variables: str) -> str:
        """What a command says on stdout."""
        command = [str(self.checkout / "ids"), "manage", "--data", str(self.data), *arguments]
        environ = self.environ | variables
        done = subprocess.run(
            command, env=environ, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def pids(self, part: str | None = None) -> list[int]:
        """The processes of `part` (web, worker, builder, postgres, valkey) or of all, oldest first."""
        names = [f"{part}.log", f"{part}-*.log"] if part else ["*.log"]
        logs = [log for name in names for log in (self.data / "logs").glob(name)]
        return sorted((pid for log in logs for pid in processes.find_writers(log)), key=started_at)

    def stop(self) -> None:
        if self.supervisor.poll() is None:
            self.send(signal.SIGTERM)

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def started_at(pid: int) -> tuple[float, int]:
    """By the kernel's clock: numbers begin anew behind the last one, which may be 32,767."""
    try:
        return processes._read_status(pid).started, pid
    except OSError:  # it has ended meanwhile
        return math.inf, pid


class FirstStart(Service):
    """As it is for somebody who begins: nothing is there."""

    is_first_start = True


def start_once(data: Path) -> None:
    with FirstStart(data):
        pass
