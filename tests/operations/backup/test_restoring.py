"""Bringing backups back, into what is empty and nowhere else."""

import io
import json
import os
from pathlib import Path

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from files.models import File
from operations.backup import database
from operations.backup.backup_directory import BackupError
from operations.backup.restoring import check_backup
from operations.backup.taking import take_database_backup
from operations.embedded.passwords import password_of
from operations.embedded.postgres import SUPERUSER
from operations.reconciliation.comparison import Reconciliation
from tests.factories import make_file, make_run, make_stored_file
from tests.operations.backup.drill import DATA, bytes_of, empty, make_archive, restore, take
from wire.clock import now

pytestmark = pytest.mark.django_db(transaction=True)


def test_what_was_backed_up_comes_back(store, place, tmp_path, no_database):
    raw, archive = make_stored_file(data=DATA), make_archive(store)
    nothing = make_stored_file(data=b"")
    unconfirmed = make_stored_file("b.csv", DATA)
    File.objects.filter(pk=unconfirmed.pk).update(status="detected", uploaded_at=None)
    make_file()
    store.put("by-hand/notes", io.BytesIO(DATA), size_bytes=len(DATA), content_type="text/plain")

    taken = take(place)
    empty(store)
    restored = restore(place, tmp_path)

    assert (taken.objects, taken.copied, taken.differences, restored.objects) == (4, 4, [], 4)
    assert (bytes_of(store, raw), bytes_of(store, nothing), bytes_of(store, archive)) == (DATA, b"", DATA)
    assert store.head("by-hand/notes") is None
    assert [one for batch in Reconciliation(store, read=True, at=now()).differences() for one in batch] == []


def test_large_objects_go_back_in_parts(request, place, tmp_path, no_database, monkeypatch):
    store = request.getfixturevalue("s3_service")
    monkeypatch.setattr("files.storage.bulk_import.IMPORT_IN_PARTS_FROM_BYTES", 6 * 2**20)
    monkeypatch.setattr("files.storage.bulk_import.PART_SIZE", 5 * 2**20)
    empty(store)
    data = os.urandom(11 * 2**20)
    file = make_stored_file(data=data)
    take(place)
    empty(store)

    restore(place, tmp_path)

    assert bytes_of(store, file) == data


def test_a_backup_is_private_and_holds_the_key_that_seals_secrets(local, place, settings, tmp_path, no_database):
    take(place)

    backup = place.find_backup(None)
    restore(place, tmp_path)

    assert place.path.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in backup.path.iterdir()} == {0o600}
    assert (tmp_path / "restored_secret").read_text() == settings.SECRET_KEY
    assert (tmp_path / "restored_secret").stat().st_mode & 0o777 == 0o600


@pytest.fixture
def new_database(monkeypatch):
    """The address of an empty one, to which pg_restore is led."""
    name = "restored_" + os.urandom(4).hex()
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE DATABASE {name}")
    address = connection.get_connection_params() | {"dbname": name}
    yield address
    with connection.cursor() as cursor:
        cursor.execute(f"DROP DATABASE {name}")  # WITH (FORCE) is denied while the server itself vacuums there


def restore_into(address, place, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr(connection, "get_connection_params", lambda: address)
        database.restore_database(place.find_backup(None).path / "database.dump", privileges=True)


def test_the_dump_brings_back_rows_triggers_and_rights(local, place, new_database, monkeypatch):
    make_file(run=make_run(run_id="kept"))
    take(place)

    restore_into(new_database, place, monkeypatch)

    with psycopg.connect(**new_database) as restored:
        assert restored.execute("SELECT run_id, n_pending FROM runs_run").fetchall() == [("kept", 1)]
        restored.execute("DELETE FROM files_file")
        assert restored.execute("SELECT n_pending FROM runs_run").fetchall() == [(0,)]


FOREIGN_SQL = """
    CREATE EXTENSION pg_stat_statements;
    COMMENT ON EXTENSION pg_stat_statements IS 'who asks what';
    CREATE SCHEMA monitoring;
    CREATE EXTENSION pg_buffercache SCHEMA monitoring;
    CREATE TABLE monitoring.samples AS SELECT 1 AS figure;
"""
FORGET_FOREIGN_SQL = "DROP EXTENSION pg_stat_statements; DROP SCHEMA monitoring CASCADE"


@pytest.fixture
def superuser():
    """A way into the database of the tests as whoever administers its server."""
    address = connection.get_connection_params()
    data = Path(address["host"]).parent
    if not (data / "passwords").is_dir():
        pytest.skip("the server is not the tests' own")
    address = {"host": address["host"], "dbname": address["dbname"], "user": SUPERUSER}
    with psycopg.connect(**address, password=password_of(data, SUPERUSER), autocommit=True) as connected:
        yield connected


@pytest.fixture
def foreign_things(superuser):
    superuser.execute(FOREIGN_SQL)
    yield
    superuser.execute(FORGET_FOREIGN_SQL)


def test_what_an_administrator_added_to_the_database_stays_out_of_the_backup(
    local, place, foreign_things, new_database, monkeypatch
):
    make_run(run_id="kept")
    take(place)

    restore_into(new_database, place, monkeypatch)

    with psycopg.connect(**new_database) as restored:
        assert restored.execute("SELECT run_id FROM runs_run").fetchall() == [("kept",)]


def test_a_dump_of_an_earlier_version_comes_back_without_what_an_administrator_added():
    entries = [
        "3; 2615 2200 SCHEMA - public pg_database_owner",
        "4; 3079 16396 EXTENSION - pg_trgm ",
        "5; 0 0 COMMENT - EXTENSION pg_trgm ",
        "6; 3079 17000 EXTENSION - postgis ",
        "7; 0 0 COMMENT - EXTENSION postgis ",
        "8; 1259 16500 TABLE public runs_run ids_owner",
        "9; 0 16500 TABLE DATA public runs_run ids_owner",
        "10; 0 17001 TABLE DATA public spatial_ref_sys postgres",
        "11; 0 0 ACL - SCHEMA public pg_database_owner",
    ]

    kept = database.select_own_entries(entries)

    assert [line.partition(";")[0] for line in kept] == ["4", "8", "9", "11"]


def test_a_database_alone_comes_back_beside_the_objects_that_are_there(local, place, tmp_path, no_database):
    file = make_stored_file(data=DATA)

    take_database_backup(place, at=now())
    restored = restore(place, tmp_path)

    assert (restored.objects, restored.differences) == (0, [])
    assert bytes_of(local, file) == DATA
    assert list(place.open_pool().list()) == []


def test_a_damaged_copy_is_found_by_the_dry_run_and_never_brought_back(local, place, tmp_path, no_database):
    damaged, whole = make_stored_file(data=DATA), make_stored_file(data=DATA)
    take(place)
    (place.open_pool().layout.object_directory(damaged.storage_key) / "data").write_bytes(DATA.upper())

    assert [one.key for one in check_backup(place, place.find_backup(None)).differences] == [damaged.storage_key]
    empty(local)
    restored = restore(place, tmp_path)

    assert [one.key for one in restored.differences] == [damaged.storage_key]
    assert local.head(damaged.storage_key) is None
    assert bytes_of(local, whole) == DATA


def test_a_database_with_tables_is_never_overwritten(local, place):
    make_stored_file(data=DATA)
    take(place)

    with pytest.raises(CommandError, match="The database is not empty"):
        call_command("restore", str(place.path))


def test_a_store_with_other_objects_is_refused_unless_they_are_to_stay(store, place, tmp_path, no_database):
    file = make_stored_file(data=DATA)
    take(place)
    store.put("runs/other", io.BytesIO(DATA), size_bytes=len(DATA), content_type="text/plain")

    with pytest.raises(BackupError, match="runs/other is not in the backup"):
        restore(place, tmp_path)
    restored = restore(place, tmp_path, keep_objects=True)

    assert (restored.objects, bytes_of(store, file)) == (1, DATA)
    assert store.head("runs/other") is not None


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"postgres": 990_000}, "this server is older"),
        ({"migrations": ["runs.0999_from_the_future"]}, "newer version of the service"),
        ({"roles": ["nobody_here"]}, "These roles are not there: nobody_here"),
        ({"format": "ids-backup/9"}, "this version reads ids-backup/1"),
    ],
)
def test_a_backup_that_does_not_fit_is_refused_with_the_reason(local, place, tmp_path, no_database, change, said):
    take(place)
    path = place.find_backup(None).path / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))

    with pytest.raises(BackupError, match=said):
        restore(place, tmp_path)


def test_a_damaged_dump_is_refused(local, place, tmp_path, no_database):
    take(place)
    with (place.find_backup(None).path / "database.dump").open("ab") as dump:
        dump.write(b"x")

    with pytest.raises(BackupError, match="is not what was backed up"):
        restore(place, tmp_path)
