"""The service in parts, as deploy/systemd starts it: two servers, workers, builders and readers each, one scheduler."""

import os
import shlex
import signal
import socket
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from itertools import count
from pathlib import Path
from typing import Self
from urllib.request import urlopen

from operations.embedded.postgres import OWNER, SERVICE, Postgres
from operations.embedded.valkey import Valkey
from tests.faults.journal import wait_until
from tests.pgbouncer import running_pgbouncer
from tests.ports import free_port
from tests.service import CHECKOUT, OF_THE_TESTS

UNITS = CHECKOUT / "deploy" / "systemd"
BLOCK = 64 * 1024


class Unit:
    """One instance of a unit file: its command, started again whenever it ends, as `Restart=always` says."""

    def __init__(self, name: str, instance: str, environ: Mapping[str, str], log: Path) -> None:
        self.environ, self.log = environ, log
        self.command = command_of(UNITS / name, instance, environ)
        self.ending, self.starting = threading.Event(), threading.Lock()
        self.thread = threading.Thread(target=self._keep)
        self.child: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self.thread.start()

    def kill(self) -> None:
        """Dead, with all its sockets, when this returns."""
        child = self.child
        assert child is not None
        child.kill()
        child.wait()

    def restart(self) -> None:
        """TERM; the next one runs when this returns."""
        child = self.child
        assert child is not None
        child.send_signal(signal.SIGTERM)
        wait_until(lambda: self.child is not child, seconds=60, why=f"{self.log.stem} was started anew")

    def stop(self) -> None:
        with self.starting:  # nothing is started after this
            self.ending.set()
        if self.child is not None:
            self.child.send_signal(signal.SIGTERM)
        self.thread.join()

    def _keep(self) -> None:
        while child := self._begin():
            child.wait()
            self.ending.wait(1)

    def _begin(self) -> subprocess.Popen[bytes] | None:
        with self.starting, self.log.open("ab") as output:
            if not self.ending.is_set():
                self.child = subprocess.Popen(
                    self.command, cwd=CHECKOUT, env=self.environ, stdin=subprocess.DEVNULL, stdout=output, stderr=output
                )
            return None if self.ending.is_set() else self.child


def command_of(unit: Path, instance: str, environ: Mapping[str, str]) -> list[str]:
    """ExecStart with the specifiers filled in, run from this checkout."""
    [line] = [line for line in unit.read_text().splitlines() if line.startswith("ExecStart=")]
    words = {"/opt/ids/var/venv/bin/python": sys.executable, "/opt/ids/ids": str(CHECKOUT / "ids")}
    words |= {"/var/lib/ids": environ["IDS_DATA"], "%i": instance, "%H": "here"}
    words |= {f"${{{name}}}": value for name, value in environ.items()}
    for word, meant in words.items():
        line = line.replace(word, meant)
    return shlex.split(line.removeprefix("ExecStart="))


class Balancer:
    """What the reverse proxy does: the web servers in turn, and the next one where one is gone."""

    def __init__(self, ports: list[int]) -> None:
        self.ports, self.turn = ports, count()
        self.carried: Counter[int] = Counter()  # connections by port
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self.listener.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                caller, _ = self.listener.accept()
                server = self._server()
                if server is None:
                    caller.close()
                else:
                    threading.Thread(target=self._carry, args=[caller, server], daemon=True).start()

    def _carry(self, caller: socket.socket, server: socket.socket) -> None:
        port = server.getpeername()[1]
        self.carried[port] += 1
        there = threading.Thread(target=pass_on, args=[caller, server], daemon=True)
        there.start()
        pass_on(server, caller)
        there.join()
        caller.close()
        server.close()
        self.carried[port] -= 1

    def _server(self) -> socket.socket | None:
        first = next(self.turn)
        for offset in range(len(self.ports)):
            with suppress(OSError):
                return socket.create_connection(("127.0.0.1", self.ports[(first + offset) % len(self.ports)]))
        return None


def pass_on(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while block := source.recv(BLOCK):
            target.sendall(block)
    for end in (source, target):
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)


class Installation:
    """A context: one database, one queue, the store of `variables`, and the units. Stands in for tests.service."""

    is_pooled = False

    def __init__(self, folder: Path, **variables: str) -> None:
        self.data, self.stack = folder, ExitStack()
        self.ports = [free_port(), free_port()]
        self.balancer = Balancer(self.ports)
        self.url = self.balancer.url
        kept = {name: value for name, value in os.environ.items() if not OF_THE_TESTS.match(name)}
        kept |= {"PYTHONPYCACHEPREFIX": str(CHECKOUT / "var" / "pycache")}  # as ./ids and the units have it
        kept.pop("PYTHONDONTWRITEBYTECODE", None)
        given = {"IDS_DATA": str(folder / "data"), "SECRET_KEY": "k" * 50, "PUBLIC_URL": self.url}
        self.environ = kept | given | {"TRUSTED_PROXIES": "127.0.0.1"} | variables
        self.units: dict[str, Unit] = {}

    def __enter__(self) -> Self:
        try:
            self._start()
        except BaseException:
            self.stack.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stack.close()

    def _start(self) -> None:
        self.stack.callback(self.balancer.close)
        sockets = self.data / "run"
        sockets.mkdir(parents=True, mode=0o700)
        postgres = Postgres(data=self.data, sockets=sockets, log=self.data / "postgres.log", durable=False)
        valkey = Valkey(data=self.data, sockets=sockets, log=self.data / "valkey.log", durable=False)
        for server in (postgres, valkey):
            self.stack.callback(server.stop)
            server.start()
        self.environ |= {"DATABASE_URL": postgres.url(SERVICE), "REDIS_URL": valkey.url}
        self.owner = {"DATABASE_OWNER_URL": postgres.url(OWNER)}
        if self.is_pooled:
            pooler = self.stack.enter_context(running_pgbouncer(postgres))
            self.environ |= {"DATABASE_URL": pooler, "DATABASE_POOLING": "transaction"}
        self.prepare()
        for kind, instance in [("web", str(port)) for port in self.ports] + [
            (kind, number) for kind in ("worker", "builder", "reader") for number in "12"
        ]:
            self._add(f"ids-{kind}@.service", instance, f"{kind} {instance}")
        self._add("ids-beat.service", "", "beat")
        self._wait_for_both()

    def prepare(self) -> None:
        """What `systemctl restart ids-prepare` does: it stops nothing."""
        command = command_of(UNITS / "ids-prepare.service", "", self.environ)
        subprocess.run(
            command, cwd=CHECKOUT, env=self.environ | self.owner, check=True, capture_output=True, timeout=300
        )

    def restart(self, kind: str) -> None:
        """What `systemctl restart` does, one unit of a kind after the other; a web server's ends when it is ready."""
        for name in sorted(name for name in self.units if name.startswith(kind)):
            self.units[name].restart()
            if kind == "web":
                port = int(name.partition(" ")[2])
                wait_until(lambda: is_ready(port), seconds=300, why=f"{name} is ready")  # noqa: B023 (asked here only)

    def _add(self, file: str, instance: str, name: str) -> None:
        unit = Unit(file, instance, self.environ, self.data / f"{name}.log")
        self.stack.callback(unit.stop)
        unit.start()
        self.units[name] = unit

    def kill(self, kind: str, which: int = 0) -> None:
        """-9 to one unit of a kind, while nobody waits for an answer of it and another one works."""
        self._wait_for_both()
        name = [name for name in sorted(self.units) if name.startswith(kind)][which]
        self.units[name].kill()
        port = int(name.partition(" ")[2] or 0)
        wait_until(lambda: not self.balancer.carried[port], seconds=30, why="its connections have ended")

    def _wait_for_both(self) -> None:
        wait_until(lambda: all(map(answers, self.ports)), seconds=300, why="both web servers answer")

    def manage(self, *arguments: str, **variables: str) -> str:
        command = [str(CHECKOUT / "ids"), "manage", *arguments]
        environ = self.environ | (self.owner if self.is_pooled else {}) | variables
        return subprocess.run(command, env=environ, check=True, capture_output=True, text=True, timeout=300).stdout


class PooledInstallation(Installation):
    """Through PgBouncer, which shares connections by transaction."""

    is_pooled = True


def is_ready(port: int) -> bool:
    with suppress(OSError):
        return urlopen(f"http://127.0.0.1:{port}/readyz", timeout=5).status == 200
    return False


def answers(port: int) -> bool:
    with suppress(OSError):
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
        return True
    return False
