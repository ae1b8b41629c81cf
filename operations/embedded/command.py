"""The surroundings of one Django command: the running service of a data directory, or servers of its own."""

import os
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from operations.embedded.data_directory import Claim, DataDirectory, DataDirectoryBusy, Holder
from operations.embedded.errors import EmbeddedError
from operations.embedded.programs import CHECKOUT
from operations.embedded.servers import Servers

SETTINGS_FILE = Path("/etc/ids/ids.env")
WAIT_TIMEOUT_SECONDS = 120.0  # for a service that is starting, or another command


@contextmanager
def servers_for_command() -> Iterator[None]:
    """Within it, the environment says where the database and the queue of IDS_DATA are, and they run."""
    data = DataDirectory(Path(os.environ.get("IDS_DATA") or CHECKOUT / "var").resolve())
    data.prepare()
    servers = Servers.of(data)
    _refuse_new_database(servers)
    before = data.holder()
    public_url = before.public_url if before else None
    os.environ.update(servers.variables() | {"IDS_DATA": str(data.path)})
    os.environ.setdefault("SECRET_KEY", data.secret_key())
    if public_url:
        os.environ.setdefault("PUBLIC_URL", public_url)
    with ExitStack() as stack:
        if any(servers) and (claim := _claim_unless_served(data)):
            stack.enter_context(claim)
            claim.write(Holder("manage", os.getpid(), public_url))
            for server in servers:
                stack.callback(server.stop)
                server.start()
        yield


def _refuse_new_database(servers: Servers) -> None:
    """Where a service is set up, a command that finds no database was told of none: it must not make an empty one."""
    if servers.postgres is None or servers.postgres.cluster.exists():
        return
    if files := os.environ.get("IDS_ENV_FILE"):
        raise EmbeddedError(f"{files} sets no DATABASE_URL, and {servers.postgres.data} has no database.")
    if SETTINGS_FILE.exists():
        raise EmbeddedError(
            f"There is no database in {servers.postgres.data}, and no DATABASE_URL. The service's settings are read by "
            f"./ids manage --env-file {SETTINGS_FILE} …; to make a database here, use ./ids serve."
        )


def _claim_unless_served(data: DataDirectory) -> Claim | None:
    """The hold on the directory, or None where a running service has it; waits for one that is starting."""
    deadline = time.monotonic() + WAIT_TIMEOUT_SECONDS
    while True:
        try:
            return data.claim()
        except DataDirectoryBusy as busy:
            if busy.holder and busy.holder.command == "serve" and busy.holder.is_ready:
                return None
            if time.monotonic() > deadline:
                raise
        time.sleep(0.1)
