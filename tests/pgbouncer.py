"""PgBouncer in transaction mode on loopback, before a PostgreSQL of its own. Needs Debian's `pgbouncer`."""

import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from operations.embedded.passwords import password_of
from operations.embedded.postgres import DATABASE, OWNER, SERVICE, Postgres
from operations.embedded.unprivileged import change_owner, choose_identity
from tests.ports import free_port

START_SECONDS = 120
# Few servers, taken in turn: two transactions of one client hardly ever meet on the same one.
CONFIG = """
[databases]
{database} = host={sockets} dbname={database}

[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = {directory}/users
pool_mode = {mode}
max_client_conn = 500
default_pool_size = 4
server_round_robin = 1
query_wait_timeout = 60
"""


def missing_programs() -> list[str]:
    return [] if find_pgbouncer() else ["pgbouncer"]


def find_pgbouncer() -> str | None:
    """Debian keeps it where only root looks."""
    return shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin")


@contextmanager
def running_postgres(directory: Path) -> Iterator[Postgres]:
    sockets = directory / "run"
    sockets.mkdir(parents=True, mode=0o700)
    server = Postgres(data=directory, sockets=sockets, log=directory / "postgres.log", durable=False)
    try:
        server.start()
        yield server
    finally:
        server.stop()


@contextmanager
def running_pgbouncer(postgres: Postgres, *, mode: str = "transaction") -> Iterator[str]:
    """The address by which the service's role reaches the database through it."""
    port = free_port()
    with tempfile.TemporaryDirectory(prefix="ids-pgbouncer-") as folder:
        directory = Path(folder)
        passwords = {role: password_of(postgres.data, role) for role in (SERVICE, OWNER)}
        (directory / "users").write_text("".join(f'"{role}" "{text}"\n' for role, text in passwords.items()))
        config = CONFIG.format(database=DATABASE, sockets=postgres.sockets, port=port, directory=directory, mode=mode)
        (directory / "config").write_text(config)
        with _running(directory):
            _wait_for(port)
            yield f"postgresql://{SERVICE}:{passwords[SERVICE]}@127.0.0.1:{port}/{DATABASE}"


@contextmanager
def _running(directory: Path) -> Iterator[None]:
    """It refuses root, as PostgreSQL does."""
    identity = choose_identity()
    if identity.user is not None:
        change_owner(directory, identity.user)
    command = [*identity.prefix, find_pgbouncer() or "pgbouncer", str(directory / "config")]
    with (directory / "log").open("wb") as output:
        child = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, user=identity.user, group=identity.user
        )
    try:
        yield
    finally:
        child.kill()
        child.wait()


def _wait_for(port: int) -> None:
    deadline = time.monotonic() + START_SECONDS
    while True:
        with suppress(OSError):
            socket.create_connection(("127.0.0.1", port), timeout=5).close()
            return
        assert time.monotonic() < deadline, "pgbouncer does not answer"
        time.sleep(0.05)
