"""What is in a PostgreSQL server, so that a copy of it can be compared: databases, names, rights, and rows."""

from collections.abc import Iterator, Mapping

import psycopg
from psycopg import sql

from operations.embedded.postgres import SUPERUSER, Postgres

COUNTED = "counted "
Contents = Mapping[str, object]  # what a thing is called, and what is known of it

DATABASES_SQL = """
    SELECT datname, pg_get_userbyid(datdba) FROM pg_database
     WHERE NOT datistemplate AND datname <> 'postgres' ORDER BY 1
"""
ROLES_SQL = "SELECT 'role ' || rolname, rolcanlogin FROM pg_roles WHERE rolname !~ '^pg_'"
# What must not be null is a constraint of its own only since version 18.
NAMES_SQL = """
    WITH own AS (
        SELECT r.* FROM pg_class r JOIN pg_namespace n ON n.oid = r.relnamespace
         WHERE n.nspname !~ '^(pg_|information_schema$)' AND NOT EXISTS (
               SELECT FROM pg_depend d
                WHERE d.classid = 'pg_class'::regclass AND d.objid = r.oid AND d.deptype = 'e'))
    SELECT 'relation ' || oid::regclass, relkind::text || ' of ' || pg_get_userbyid(relowner) FROM own
    UNION ALL
    SELECT 'right ' || own.oid::regclass, string_agg(grantee::regrole::text || ' ' || privilege_type, ', '
           ORDER BY grantee::regrole::text, privilege_type)
      FROM own, aclexplode(relacl) WHERE grantee NOT IN (0, relowner) GROUP BY own.oid
    UNION ALL
    SELECT 'constraint ' || conrelid::regclass || ' ' || conname, contype::text || ' ' || convalidated
      FROM pg_constraint WHERE contype <> 'n' AND conrelid IN (SELECT oid FROM own)
    UNION ALL
    SELECT 'trigger ' || tgrelid::regclass || ' ' || tgname, tgenabled::text FROM pg_trigger WHERE NOT tgisinternal
    UNION ALL
    SELECT 'extension ' || extname, '' FROM pg_extension
    UNION ALL
    SELECT 'counted ' || oid::regclass, relkind::text FROM own WHERE relkind IN ('r', 'm', 'S')
"""


def list_databases(server: Postgres) -> dict[str, str]:
    """Each with its owner."""
    with psycopg.connect(server.url(SUPERUSER, "postgres")) as connection:
        return dict(connection.execute(DATABASES_SQL).fetchall())


def read_contents(server: Postgres) -> dict[str, object]:
    """By names that do not depend on the version of PostgreSQL; every table's rows are counted."""
    with psycopg.connect(server.url(SUPERUSER, "postgres")) as connection:
        found: dict[str, object] = dict(connection.execute(ROLES_SQL).fetchall())
    for database, owner in list_databases(server).items():
        found[f"database {database}"] = owner
        with psycopg.connect(server.url(SUPERUSER, database)) as connection:
            found |= {f"{database}: {name}": value for name, value in _read_database(connection)}
    return found


def list_contradictions(before: Contents, after: Contents) -> list[str]:
    """What the copy lacks, has too much, or has otherwise."""
    names = sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
    return [f"{name}: {before.get(name, 'not there')}, now {after.get(name, 'not there')}" for name in names]


def _read_database(connection: psycopg.Connection) -> Iterator[tuple[str, object]]:
    connection.execute("SELECT set_config('search_path', '', false)")  # so that every name is written whole
    for name, value in connection.execute(NAMES_SQL).fetchall():
        yield name, value
        if name.startswith(COUNTED):
            yield f"rows of {name.removeprefix(COUNTED)}", _count(connection, name.removeprefix(COUNTED), value)


def _count(connection: psycopg.Connection, relation: str, kind: str) -> object:
    """`relation` as PostgreSQL wrote it, in quotes where it needs them. Of a sequence, where it stands."""
    asked = "SELECT last_value, is_called FROM {}" if kind == "S" else "SELECT count(*) FROM ONLY {}"
    return connection.execute(sql.SQL(asked).format(sql.SQL(relation))).fetchone()
