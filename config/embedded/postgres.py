"""The embedded PostgreSQL of one data directory: a unix socket, two roles, one database."""

import os
import re
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import psycopg
from psycopg import sql

from config.embedded import processes
from config.embedded.errors import EmbeddedError
from config.embedded.unprivileged import hand_over, identity, reachable
from config.embedded.wheels import postgres_programs

OWNER, SERVICE, SUPERUSER, DATABASE = "ids_owner", "ids_app", "postgres", "ids"
START_SECONDS = 120.0  # crash recovery of a large database included

TUNING = {"work_mem": "16MB", "random_page_cost": "1.1", "max_wal_size": "2GB"}
CONTAINER_LIMIT = Path("/sys/fs/cgroup/memory.max")
FORGETFUL = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}  # tests only

# What the owner makes the service may use, and the owner takes back what must not be altered (the audit trail).
PRIVILEGES = f"""
    ALTER SCHEMA public OWNER TO {OWNER};
    GRANT USAGE ON SCHEMA public TO {SERVICE};
    ALTER DEFAULT PRIVILEGES FOR ROLE {OWNER} GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO {SERVICE};
    ALTER DEFAULT PRIVILEGES FOR ROLE {OWNER} GRANT USAGE, SELECT, UPDATE ON SEQUENCES TO {SERVICE};
"""


@dataclass
class Postgres:
    data: Path
    sockets: Path
    log: Path
    durable: bool = True
    farewell: processes.Farewell = ((signal.SIGINT, 8.0), (signal.SIGQUIT, 3.0))  # fast shutdown, then immediate
    child: subprocess.Popen[bytes] | None = field(default=None, init=False)

    @property
    def cluster(self) -> Path:
        return self.data / "postgres"

    @cached_property
    def binaries(self) -> Path:
        found = postgres_programs()
        if not (found / "postgres").exists():
            raise EmbeddedError(
                f"There is no PostgreSQL in {found}: set PG_BIN to where its programs are, or DATABASE_URL."
            )
        user = identity().user
        return found if user is None else reachable(found, user=user, data=self.data)

    def url(self, role: str, database: str = DATABASE) -> str:
        return f"postgresql://{role}@/{database}?host={self.sockets}"

    def start(self) -> None:
        """Run it: stop what an earlier start left behind, make the cluster when there is none, then the roles."""
        processes.end(self.log, farewell=self.farewell)
        self._unlock()
        self._open_to_nobody(self.data, self.sockets)
        if not self.cluster.exists():
            self._initialise()
        self.launch()
        self._wait_until_ready()
        self._ensure_database()

    def launch(self) -> None:
        """Start the server and return at once."""
        self._open_to_nobody(self.data, self.cluster)
        options = [word for name, value in self._settings().items() for word in ("-c", f"{name}={value}")]
        self.child = self._run("postgres", "-D", self.cluster, "-h", "", "-k", self.sockets, *options)

    def is_ready(self) -> bool:
        """Our own child says so; a stale postmaster.pid still reads `ready`."""
        try:
            lines = (self.cluster / "postmaster.pid").read_text().splitlines()
        except FileNotFoundError:
            return False
        ours = self.child is not None and lines[:1] == [str(self.child.pid)]
        return ours and len(lines) > 7 and lines[7].strip() == "ready"

    def stop(self) -> None:
        processes.end(self.log, farewell=self.farewell)
        if self.child is not None:
            self.child.wait()

    def _unlock(self) -> None:
        """Take away the locks of a killed server, which PostgreSQL takes for alive until its parent noted the end."""
        for lock in (self.cluster / "postmaster.pid", *self.sockets.glob(".s.PGSQL.*.lock")):
            pid = lock.read_text().partition("\n")[0] if lock.exists() else ""
            if pid.isdigit() and processes.has_ended(int(pid)):
                lock.unlink()

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        while not self.is_ready():
            if self.child is None or self.child.poll() is not None or time.monotonic() > deadline:
                raise EmbeddedError(f"PostgreSQL does not start; the end of {self.log}:\n{processes.tail(self.log)}")
            time.sleep(processes.POLL)

    def _run(self, tool: str, *arguments: str | Path) -> subprocess.Popen[bytes]:
        environ = {name: value for name, value in os.environ.items() if not re.match(r"PG|LC_|LANG", name)}
        command = [*identity().prefix, self.binaries / tool, *arguments]
        return processes.start(
            command, log=self.log, environ=environ, cwd=self.data, orphaned=signal.SIGINT, run_as=identity().user
        )

    def _open_to_nobody(self, data: Path, *owned: Path) -> None:
        """Where PostgreSQL runs as another user, let it pass through our directory to its own."""
        user = identity().user
        for directory in owned:
            if directory.exists():
                hand_over(directory, os.geteuid() if user is None else user)
        if user is not None:
            data.chmod(data.stat().st_mode | 0o011)

    def _settings(self) -> dict[str, str]:
        if not self.durable:
            return {"shared_buffers": "64MB", **TUNING, **FORGETFUL}
        return {"shared_buffers": f"{min(max(memory() // 6, 64), 4096)}MB", **TUNING}

    def _initialise(self) -> None:
        part = self.data / "postgres.part"
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(mode=0o700)
        self._open_to_nobody(self.data, part)
        options = [*self._locale(), "--no-instructions", *([] if self.durable else ["--no-sync"])]
        if self._run("initdb", "-D", part, "-U", SUPERUSER, "-A", "trust", *options).wait():
            raise EmbeddedError(f"initdb failed; the end of {self.log}:\n{processes.tail(self.log)}")
        part.replace(self.cluster)

    def _locale(self) -> list[str]:
        """The same byte order everywhere; the provider `builtin` came with version 17."""
        asked = subprocess.run([self.binaries / "initdb", "--version"], capture_output=True, text=True, check=True)
        major = re.search(r"\d+", asked.stdout)
        if major and int(major[0]) >= 17:
            return ["-E", "UTF8", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"]
        return ["-E", "UTF8", "--locale=C.UTF-8"]

    def _ensure_database(self) -> None:
        """Safe to repeat: a start may have died between the cluster and its roles."""
        with psycopg.connect(self.url(SUPERUSER, "postgres"), autocommit=True) as connection:
            roles = {name for (name,) in connection.execute("SELECT rolname FROM pg_roles")}
            for role in {OWNER, SERVICE} - roles:
                connection.execute(sql.SQL("CREATE ROLE {} LOGIN").format(sql.Identifier(role)))
            if not connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE]).fetchone():
                connection.execute(f"CREATE DATABASE {DATABASE} OWNER {OWNER}")
            if not self.durable:
                connection.execute(f"ALTER ROLE {OWNER} CREATEDB")
        with psycopg.connect(self.url(SUPERUSER)) as connection:
            connection.execute(PRIVILEGES)


def memory(limit: Path = CONTAINER_LIMIT) -> int:
    """Mebibytes of this machine, or of the container that we are in."""
    physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    told = limit.read_text().strip() if limit.exists() else "max"
    return (min(physical, int(told)) if told.isdigit() else physical) // 2**20
