"""`./ids manage backup` and `restore`, part by part; the whole drill is in tests/e2e/test_drill.py."""

import io
import json
import os
import threading
from datetime import timedelta

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from archives.jobs import KEPT, forget_expired
from archives.models import ArchiveJob
from config.backup import database, taking
from config.backup.place import BackupError, Place
from config.backup.restoring import check_backup, restore_backup
from config.backup.taking import prune, take_backup
from files.leftovers import sweep_leftovers
from files.models import File
from files.storage import object_store
from files.storage.local import LocalStore
from files.storage.port import StoreFull
from overview.reconciliation import Reconciliation
from tests.factories import make_file, make_run, make_stored_file
from tests.files.conftest import s3_service, s3_store  # noqa: F401 (fixtures)
from wire.clock import now

pytestmark = pytest.mark.django_db(transaction=True)

DATA = b"what the instrument wrote\n"


@pytest.fixture
def local(tmp_path, settings):
    settings.IDS_DATA = tmp_path / "data"
    settings.OBJECT_STORE = {"kind": "local", "bucket": "local", "root": tmp_path / "data" / "objects"}
    object_store.cache_clear()
    yield object_store()
    object_store.cache_clear()


@pytest.fixture(params=["local", "s3"])
def store(request):
    found = request.getfixturevalue("local" if request.param == "local" else "s3_service")
    for one in list(found.list()):
        found.delete(one.key)
    return found


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path / "backups")


@pytest.fixture
def no_database(monkeypatch):
    """A restore that leaves the database of the tests as it is."""
    monkeypatch.setattr(database, "is_empty", lambda: True)
    monkeypatch.setattr(database, "restore_database", lambda source, *, privileges: None)


def take(place, *, later=timedelta(0)):
    return take_backup(place, object_store(), at=now() + later)


def restore(place, tmp_path, **options):
    given = {"secret": tmp_path / "restored_secret", "privileges": True, "keep_objects": False} | options
    return restore_backup(place, place.find(None), object_store(), **given)


def empty(store):
    for one in list(store.list()):
        store.delete(one.key)


def bytes_of(store, file):
    with store.open_range(file.storage_key) as source:
        return source.read()


def make_archive(store, **fields):
    job = ArchiveJob(run=make_run(), cache_key="a" * 64, file_ids=[1], status="ready", size_bytes=len(DATA))
    job.completed_at = fields.get("completed_at", now())
    job.save()
    store.put(job.storage_key, io.BytesIO(DATA), size_bytes=len(DATA), content_type="application/zip")
    return job


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


def test_a_second_backup_copies_only_what_is_new(store, place):
    make_stored_file(data=DATA)
    take(place)
    make_stored_file(data=DATA + DATA)

    taken = take(place, later=timedelta(seconds=2))

    assert (taken.objects, taken.copied, taken.copied_bytes) == (2, 1, 2 * len(DATA))
    assert len(place.backups()) == 2


def test_large_objects_go_back_in_parts(request, place, tmp_path, no_database, monkeypatch):
    store = request.getfixturevalue("s3_service")
    monkeypatch.setattr("files.storage.bulk.LARGE", 6 * 2**20)
    monkeypatch.setattr("files.storage.bulk.PART", 5 * 2**20)
    empty(store)
    data = os.urandom(11 * 2**20)
    file = make_stored_file(data=data)
    take(place)
    empty(store)

    restore(place, tmp_path)

    assert bytes_of(store, file) == data


def test_a_backup_is_private_and_holds_the_key_that_seals_secrets(local, place, settings, tmp_path, no_database):
    take(place)

    backup = place.find(None)
    restore(place, tmp_path)

    assert place.path.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in backup.path.iterdir()} == {0o600}
    assert (tmp_path / "restored_secret").read_text() == settings.SECRET_KEY
    assert (tmp_path / "restored_secret").stat().st_mode & 0o777 == 0o600


def test_the_dump_brings_back_rows_triggers_and_rights(local, place, monkeypatch):
    run = make_run(run_id="kept")
    make_file(run=run)
    take(place)
    name = "restored_" + os.urandom(4).hex()
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE DATABASE {name}")
    address = connection.get_connection_params() | {"dbname": name}
    monkeypatch.setattr(connection, "get_connection_params", lambda: address)

    database.restore_database(place.find(None).path / "database.dump", privileges=True)

    with psycopg.connect(host=address["host"], user=address["user"], dbname=name) as restored:
        assert restored.execute("SELECT run_id, n_pending FROM runs_run").fetchall() == [("kept", 1)]
        restored.execute("DELETE FROM files_file")
        assert restored.execute("SELECT n_pending FROM runs_run").fetchall() == [(0,)]
    with connection.cursor() as cursor:
        cursor.execute(f"DROP DATABASE {name} WITH (FORCE)")


def test_the_rows_and_the_dump_are_of_one_moment(local, place, monkeypatch):
    make_stored_file(data=DATA)
    real = database.dump_database

    def dump_while_others_write(target, *, snapshot):
        other = threading.Thread(target=lambda: (make_stored_file(data=DATA), connection.close()))
        other.start()
        other.join()
        real(target, snapshot=snapshot)

    monkeypatch.setattr(taking.database, "dump_database", dump_while_others_write)

    assert take(place).objects == 1
    assert File.objects.count() == 2


def test_nothing_is_removed_from_the_store_meanwhile(local, place, monkeypatch):
    archive = make_archive(local, completed_at=now() - KEPT - KEPT)
    replaced = make_stored_file(data=DATA, category="processed", status="completed")
    key = f"runs/{replaced.run_id}/{replaced.pk}/{'0' * 32}/a.csv"
    local.put(key, io.BytesIO(DATA), size_bytes=len(DATA), content_type="text/plain")
    File.objects.filter(pk=replaced.pk).update(storage_key=key)
    real = taking._copy_objects

    def copy_after_a_sweep(*arguments):
        File.objects.filter(pk=replaced.pk).update(storage_key="runs/a/1/b/other")
        sweep_leftovers(at=now() + timedelta(days=2))
        forget_expired(at=now())
        return real(*arguments)

    monkeypatch.setattr(taking, "_copy_objects", copy_after_a_sweep)
    taken = take(place)

    assert (taken.objects, taken.differences) == (2, [])
    assert forget_expired(at=now()) == 1
    assert sweep_leftovers(at=now() + timedelta(days=2)).objects == 1
    assert local.head(archive.storage_key) is None


def test_what_the_store_lacks_is_told_and_the_rest_is_backed_up(store, place, tmp_path, no_database):
    lost, whole = make_stored_file(), make_stored_file(data=DATA)
    store.delete(lost.storage_key)

    output = io.StringIO()
    with pytest.raises(CommandError, match="1 objects are not in order") as ended:
        call_command("backup", str(place.path), stdout=output, stderr=io.StringIO())

    assert ended.value.returncode == 3
    assert place.find(None).manifest()["differences"] == [["missing", lost.storage_key, f"file {lost.pk}"]]
    assert [entry.key for entry in place.find(None).objects()] == [whole.storage_key]


def test_other_bytes_than_the_row_says_are_copied_and_told(local, place):
    file = make_stored_file(data=DATA)
    File.objects.filter(pk=file.pk).update(sha256="0" * 64)

    assert [one.kind for one in take(place).differences] == ["wrong_checksum"]
    assert bytes_of(place.pool(), file) == DATA


def test_a_damaged_copy_is_found_by_the_dry_run_and_never_brought_back(local, place, tmp_path, no_database):
    damaged, whole = make_stored_file(data=DATA), make_stored_file(data=DATA)
    take(place)
    (place.pool().layout.object(damaged.storage_key) / "data").write_bytes(DATA.upper())

    assert [one.key for one in check_backup(place, place.find(None)).differences] == [damaged.storage_key]
    empty(local)
    restored = restore(place, tmp_path)

    assert [one.key for one in restored.differences] == [damaged.storage_key]
    assert local.head(damaged.storage_key) is None
    assert bytes_of(local, whole) == DATA


def test_what_a_power_cut_may_have_cut_is_read_again(local, place):
    file = make_stored_file(data=DATA)
    place.unsettled.parent.mkdir()
    (place.path / "objects").mkdir()
    place.unsettled.touch()
    pool = place.pool()
    pool.put(file.storage_key, io.BytesIO(DATA), size_bytes=len(DATA), content_type="text/plain")
    (pool.layout.object(file.storage_key) / "data").write_bytes(bytes(len(DATA)))

    assert take(place).copied == 1
    assert bytes_of(pool, file) == DATA
    assert not place.unsettled.exists()


def test_a_backup_that_breaks_is_no_backup_and_the_next_goes_on(local, place, monkeypatch):
    files = sorted((make_stored_file(data=DATA) for _ in range(3)), key=lambda file: file.storage_key)
    real = LocalStore.open_range

    def breaks(self, key, **bounds):
        if key == files[2].storage_key and self is local:
            raise KeyboardInterrupt
        return real(self, key, **bounds)

    monkeypatch.setattr(LocalStore, "open_range", breaks)
    with pytest.raises(KeyboardInterrupt):
        take(place)
    monkeypatch.setattr(LocalStore, "open_range", real)
    broken = place.backups()

    taken = take(place)

    assert (broken, taken.objects, taken.copied) == ([], 3, 1)


def test_old_backups_go_with_the_objects_that_only_they_had(local, place):
    old, kept = make_stored_file(data=DATA), make_stored_file(data=DATA)
    first = take(place)
    old.delete()
    take(place, later=timedelta(seconds=2))

    assert prune(place, keep=1) == [first.name]
    assert [one.key for one in place.pool().list()] == [kept.storage_key]


def test_a_dry_run_says_what_would_be_copied_and_writes_nothing(local, place):
    make_stored_file(data=DATA)
    output = io.StringIO()

    call_command("backup", str(place.path), "--dry-run", stdout=output)

    assert output.getvalue() == "Would copy 1 objects, 26 B; 0 were there (26 B in all).\n"
    assert not place.path.exists()


def test_directories_that_are_not_for_backups_are_refused(local, place, settings):
    place.path.mkdir()
    (place.path / "thesis.tex").touch()

    with pytest.raises(CommandError, match="neither empty nor a directory of backups"):
        call_command("backup", str(place.path))
    with pytest.raises(CommandError, match="within the data directory"):
        call_command("backup", str(settings.IDS_DATA / "backups"))


def test_two_backups_at_once_are_refused(local, place):
    with place.prepared(), pytest.raises(BackupError, match="Another backup"):
        take(place)


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
    path = place.find(None).path / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))

    with pytest.raises(BackupError, match=said):
        restore(place, tmp_path)


def test_a_damaged_dump_is_refused(local, place, tmp_path, no_database):
    take(place)
    with (place.find(None).path / "database.dump").open("ab") as dump:
        dump.write(b"x")

    with pytest.raises(BackupError, match="is not what was backed up"):
        restore(place, tmp_path)


def test_a_full_directory_is_no_fault_of_the_store(local, place, monkeypatch):
    make_stored_file(data=DATA)
    monkeypatch.setattr("config.backup.copying.bring_in", full)

    with pytest.raises(BackupError, match="is full"):
        take(place)


def full(*_, **__):
    raise StoreFull
