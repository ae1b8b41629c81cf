"""The embedded database of another major version of PostgreSQL, brought to ours before it is started.

The old files are read by their own programs and stay where they are, untouched but for a clean stop:

DATA/postgres            the old files, until the new ones were found to hold the same
DATA/postgres.upgrade    the new ones while they are filled; begun again after a kill
DATA/postgres.upgraded   the new ones, compared; from here on a kill only delays the two renames
DATA/postgres-15         the old files, kept
"""

import hashlib
import os
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

from operations.embedded import processes
from operations.embedded.errors import EmbeddedError
from operations.embedded.postgres import DATABASE, SUPERUSER, Postgres
from operations.embedded.postgres_programs import find_programs_of, keep_programs

DUMPS, FILLED, COMPARED = "postgres.dumps", "postgres.upgrade", "postgres.upgraded"
ORIGIN_FILE = "ids_upgraded_from"  # in the new files: a digest of the old ones' state
ROOM = 1.5  # times the old files: the dumps are packed, the new files are about as large
MAX_TOLD = 10  # contradictions


class UpgradingPostgres(Postgres):
    """The embedded PostgreSQL, whichever version wrote its files."""

    def start(self) -> None:
        processes.end_writers(self.log, farewell=self.farewell)
        self.open_way()
        bring_to_own_version(self)
        super().start()
        keep_programs(self.data, self.version)


def bring_to_own_version(server: Postgres) -> None:
    """Raises EmbeddedError, with the old files as they were. Safe to repeat after a kill at any point."""
    _take_compared(server)
    found = server.read_cluster_version()
    if found is None or found == server.version:
        return
    if found > server.version:
        raise EmbeddedError(
            f"The database in {server.cluster} is one of PostgreSQL {found}, newer than that of this version of the "
            f"service ({server.version}): go back to the version that was here, or restore a backup."
        )
    old = _sibling(server, server.place, find_programs_of(server.data, found))
    _refuse_without_room(server)
    tell(f"The database is one of PostgreSQL {found} and becomes one of {server.version}; this reads all of it.")
    _fill(old, new=_sibling(server, FILLED))
    _take_compared(server)
    tell(f"The database is one of PostgreSQL {server.version} now. The old files stay as {server.place}-{found}….")


def _fill(old: Postgres, *, new: Postgres) -> None:
    dumps = new.data / DUMPS
    for left in (dumps, new.cluster):
        shutil.rmtree(left, ignore_errors=True)
    dumps.mkdir(mode=0o700)
    old.start()
    contents = import_module("operations.embedded.postgres_contents")  # its client is in memory for an upgrade only
    owners, before = contents.list_databases(old), contents.read_contents(old)
    _dump(old, dumps, owners, by=new)
    _stop(old)
    new.start()
    _restore(new, dumps, owners)
    if wrong := contents.list_contradictions(before, contents.read_contents(new)):
        new.stop()
        told = "\n".join(wrong[:MAX_TOLD])
        raise EmbeddedError(f"The upgraded database is not the old one, which is kept and unchanged:\n{told}")
    _stop(new)
    shutil.rmtree(dumps)
    (new.cluster / ORIGIN_FILE).write_text(_digest_state(old.cluster))
    os.sync()
    new.cluster.replace(new.data / COMPARED)


def _take_compared(server: Postgres) -> None:
    """Put new files that were found good into the place of the old ones, of which they were made."""
    compared = server.data / COMPARED
    if not compared.exists():
        return
    if server.cluster.exists():
        if (compared / ORIGIN_FILE).read_text() != _digest_state(server.cluster):  # the old ones were used since
            shutil.rmtree(compared)
            return
        server.cluster.replace(_choose_kept_place(server))
    compared.replace(server.cluster)
    _sync_directory(server.data)


def _choose_kept_place(server: Postgres) -> Path:
    """DATA/postgres-15; where that is taken DATA/postgres-15-2."""
    name = f"{server.place}-{server.read_cluster_version()}"
    places = (server.data / (name if number == 1 else f"{name}-{number}") for number in range(1, 1_000))
    return next(place for place in places if not place.exists())


def _dump(old: Postgres, dumps: Path, owners: dict[str, str], *, by: Postgres) -> None:
    """By the newer programs, which know what the newer server wants to read."""
    _run(by, old, "pg_dumpall", "--roles-only", f"--file={dumps / 'roles.sql'}")
    for number, database in enumerate(owners):
        target = dumps / f"{number}.dump"
        _run(by, old, "pg_dump", "--format=custom", "--compress=1", f"--file={target}", database=database)


def _restore(new: Postgres, dumps: Path, owners: dict[str, str]) -> None:
    _run(new, new, "psql", "--no-psqlrc", "--quiet", f"--file={dumps / 'roles.sql'}")  # some are there: it goes on
    for number, (database, owner) in enumerate(owners.items()):
        _make_database(new, database, owner)
        _run(new, new, "pg_restore", "--exit-on-error", str(dumps / f"{number}.dump"), database=database)
        new.ask("ANALYZE", database=database)


def _make_database(new: Postgres, database: str, owner: str) -> None:
    if database != DATABASE:
        new.ask(f"CREATE DATABASE {_quote(database)} OWNER {_quote(owner)} TEMPLATE template0", database="postgres")


def _quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _run(programs: Postgres, server: Postgres, tool: str, *arguments: str, database: str = "postgres") -> None:
    """As the superuser. The password goes by environment: a command line can be read by everybody on the machine."""
    environ = {**processes.build_server_environment(), "PGPASSWORD": server.read_password(SUPERUSER)}
    address = f"host={server.sockets} user={SUPERUSER} dbname='{database}'"
    command: list[str | Path] = [programs.binaries / tool, "--no-password", f"--dbname={address}", *arguments]
    nothing = subprocess.DEVNULL
    done = subprocess.run(command, env=environ, stdin=nothing, stdout=nothing, stderr=subprocess.PIPE)
    if done.returncode:
        server.stop()
        reason = done.stderr.decode(errors="replace").strip()[-2000:]
        raise EmbeddedError(f"The database was not upgraded, and is unchanged: {tool} failed: {reason}")


def _stop(server: Postgres) -> None:
    """With all of it on disk, so that the stop itself is quick."""
    server.ask("CHECKPOINT", database="postgres")
    server.stop()


def _sibling(server: Postgres, place: str, programs: Path | None = None) -> Postgres:
    return Postgres(server.data, server.sockets, server.log, durable=server.durable, place=place, programs=programs)


def _digest_state(cluster: Path) -> str:
    """Changes with each start and stop of a server on these files."""
    return hashlib.sha256((cluster / "global" / "pg_control").read_bytes()).hexdigest()


def _refuse_without_room(server: Postgres) -> None:
    needed = ROOM * sum(file.lstat().st_size for file in server.cluster.rglob("*") if not file.is_dir())
    free = shutil.disk_usage(server.data).free
    if free < needed:
        raise EmbeddedError(
            f"To upgrade the database, {server.data} needs {needed / 2**30:.1f} GiB of room; "
            f"{free / 2**30:.1f} are free. Nothing was changed."
        )


def _sync_directory(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
