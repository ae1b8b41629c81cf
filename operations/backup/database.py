"""The database's part of a backup: PostgreSQL's own programs, told by the service's own address."""

import os
import re
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

from django.db import connection, transaction
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from psycopg.conninfo import make_conninfo
from psycopg.pq import Conninfo

from operations.backup.backup_directory import BackupError
from operations.embedded.wheels import find_postgres_programs

OWN_EXTENSIONS = ("pg_trgm",)
EXTENSION_ENTRY = re.compile(r"\d+; \d+ \d+ (?P<comment>COMMENT - )?EXTENSION (?:- )?(?P<name>\S+) *")
TABLE_ENTRY = re.compile(r"\d+; \d+ \d+ TABLE (?P<rows>DATA )?(?P<name>[^A-Z ]\S* \S+) \S*")
SCHEMA_ENTRY = re.compile(r"\d+; \d+ \d+ (COMMENT - )?SCHEMA (- )?\S+ \S*")
QUERY_DETAIL = re.compile(r"^pg_\w+: detail: Query was:.*$", re.MULTILINE)  # names every table there is
COUNT_TABLES_SQL = """
    SELECT count(*) FROM pg_class r WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
       AND NOT EXISTS (SELECT FROM pg_depend
                        WHERE classid = 'pg_class'::regclass AND objid = r.oid AND deptype = 'e')
"""  # but for those that an extension brought
GRANTEES_SQL = """
    SELECT DISTINCT pg_get_userbyid(grantee) FROM pg_class, aclexplode(relacl)
     WHERE relnamespace = 'public'::regnamespace AND grantee <> 0 AND grantee <> relowner ORDER BY 1
"""
# What the connected role lets others do with tables and sequences that it is still to make.
DEFAULT_GRANTS_SQL = """
    SELECT CASE WHEN defaclnamespace = 0 THEN '' ELSE 'IN SCHEMA ' || defaclnamespace::regnamespace END,
           CASE defaclobjtype WHEN 'r' THEN 'TABLES' ELSE 'SEQUENCES' END, grantee::regrole::text, privilege_type
      FROM pg_default_acl, aclexplode(defaclacl)
     WHERE defaclrole = current_user::regrole AND defaclobjtype IN ('r', 'S') AND grantee NOT IN (0, defaclrole)
"""


@contextmanager
def export_snapshot() -> Iterator[str]:
    """Within it every query of this connection sees one moment; the name lets pg_dump see the same."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        cursor.execute("SELECT pg_export_snapshot()")
        yield cursor.fetchone()[0]


def dump_database(target: Path, *, snapshot: str) -> None:
    options = ["--format=custom", "--schema=public", *(f"--extension={name}" for name in OWN_EXTENSIONS)]
    _run_program("pg_dump", *options, f"--snapshot={snapshot}", "--lock-wait-timeout=60s", f"--file={target}")


def restore_database(source: Path, *, privileges: bool) -> None:
    """All of it or nothing, as the role that is connected."""
    options = [] if privileges else ["--no-privileges"]
    with suspend_default_grants() if privileges else nullcontext(), list_own_entries(source) as listed:
        options += ["--single-transaction", "--no-owner", f"--use-list={listed}"]
        _run_program("pg_restore", "--exit-on-error", *options, str(source))
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


@contextmanager
def list_own_entries(source: Path) -> Iterator[Path]:
    """A file that names the dump's parts which are ours: what an administrator added needs his rights, and is his.

    Dumps of earlier versions have all of it.
    """
    with tempfile.NamedTemporaryFile("w", prefix="ids-restore-", suffix=".list") as listed:
        listed.writelines(f"{line}\n" for line in select_own_entries(_list_entries(source)))
        listed.flush()
        yield Path(listed.name)


def select_own_entries(lines: list[str]) -> list[str]:
    """Of the lines of `pg_restore --list`: no schema, no extension but ours, no rows of a table that one brings."""
    tables = {found["name"] for line in lines if (found := TABLE_ENTRY.fullmatch(line)) and not found["rows"]}
    return [line for line in lines if not _is_foreign(line, tables)]


def _is_foreign(line: str, tables: set[str]) -> bool:
    if found := EXTENSION_ENTRY.fullmatch(line):
        return bool(found["comment"]) or found["name"] not in OWN_EXTENSIONS
    if found := TABLE_ENTRY.fullmatch(line):
        return bool(found["rows"]) and found["name"] not in tables
    return SCHEMA_ENTRY.fullmatch(line) is not None


def _list_entries(source: Path) -> list[str]:
    command = [str(find_postgres_programs() / "pg_restore"), "--list", str(source)]
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode:
        raise BackupError(f"pg_restore failed: {done.stderr.strip()[-2000:]}")
    return [line for line in done.stdout.splitlines() if not line.startswith(";")]


@contextmanager
def suspend_default_grants() -> Iterator[None]:
    """New tables let in nobody: a dump grants what its tables allowed, and takes nothing back (from the trail's)."""
    with connection.cursor() as cursor:
        cursor.execute(DEFAULT_GRANTS_SQL)
        grants = cursor.fetchall()
    try:
        _alter_default_grants("REVOKE", "FROM", grants)
        yield
    finally:
        _alter_default_grants("GRANT", "TO", grants)


def is_empty() -> bool:
    return not _query_column(COUNT_TABLES_SQL)[0]


def list_grantees() -> list[str]:
    """Roles beside the owner that the tables let in."""
    return [str(name) for name in _query_column(GRANTEES_SQL)]


def list_missing_roles(names: list[str]) -> list[str]:
    known = _query_column("SELECT rolname FROM pg_roles")
    return [name for name in names if name not in known]


def server_version() -> int:
    """Such as 180006."""
    with connection.cursor() as cursor:
        cursor.execute("SHOW server_version_num")
        return int(cursor.fetchone()[0])


def describe_database() -> dict[str, object]:
    """What a restore has to know of the database beforehand."""
    return {"postgres": server_version(), "roles": list_grantees(), "migrations": list_applied_migrations()}


def list_applied_migrations() -> list[str]:
    return sorted(f"{app}.{name}" for app, name in MigrationRecorder(connection).applied_migrations())


def list_unknown_migrations(applied: list[str]) -> list[str]:
    """Those that this version of the service has never heard of."""
    loader = MigrationLoader(None)
    known = {f"{app}.{name}" for app, name in loader.disk_migrations or ()}
    return [name for name in applied if name not in known]


def _query_column(query: str) -> list[object]:
    with connection.cursor() as cursor:
        cursor.execute(query)
        return [value for (value,) in cursor.fetchall()]


def _alter_default_grants(verb: str, preposition: str, grants: list[tuple[str, str, str, str]]) -> None:
    with connection.cursor() as cursor:
        for schema, kind, role, privilege in grants:
            cursor.execute(f"ALTER DEFAULT PRIVILEGES {schema} {verb} {privilege} ON {kind} {preposition} {role}")


def _run_program(program: str, *arguments: str) -> None:
    """The password goes by environment: a command line can be read by everybody on the machine."""
    known = {option.keyword.decode() for option in Conninfo.get_defaults()}
    address = {name: value for name, value in connection.get_connection_params().items() if name in known}
    environ = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
    if password := address.pop("password", None):
        environ["PGPASSWORD"] = str(password)
    command = [
        str(find_postgres_programs() / program),
        "--no-password",
        f"--dbname={make_conninfo(**address)}",
        *arguments,
    ]
    done = subprocess.run(command, env=environ, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        said = QUERY_DETAIL.sub("", done.stderr).strip()
        raise BackupError(f"{program} failed: {said[-2000:]}{_explain_failure(said)}")


def _explain_failure(said: str) -> str:
    if "server version" in said and "mismatch" in said:
        return "\nSet PG_BIN to the programs of the server's own version."
    if "permission denied" in said:
        return "\nThis needs the owner of the tables: DATABASE_OWNER_URL, or --env-file /etc/ids/owner.env."
    return ""
