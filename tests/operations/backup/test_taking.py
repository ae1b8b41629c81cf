"""Taking backups: whole, of one moment, and only what is new."""

import io
import threading
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError, connection

from archives.jobs import KEPT, forget_expired
from files.models import File
from files.storage.interface import StoreFull
from files.storage.local import LocalStore
from files.storage.orphans import sweep_orphans
from operations.backup import database, taking
from operations.backup.backup_directory import BackupError
from operations.backup.taking import prune_backups
from overview.backups import find_last_backup, record_backup
from overview.models import Backup
from tests.factories import make_stored_file
from tests.operations.backup.drill import DATA, bytes_of, make_archive, take
from wire.clock import now

pytestmark = pytest.mark.django_db(transaction=True)
REFUSED_DUMP = """#!/bin/sh
echo 'pg_dump: error: query failed: ERROR:  permission denied for table accounts_user' >&2
echo 'pg_dump: detail: Query was: LOCK TABLE public.accounts_user, public.runs_run IN ACCESS SHARE MODE' >&2
exit 1
"""


def test_a_second_backup_copies_only_what_is_new(store, place):
    make_stored_file(data=DATA)
    take(place)
    make_stored_file(data=DATA + DATA)

    taken = take(place, later=timedelta(seconds=2))

    assert (taken.objects, taken.copied, taken.copied_bytes) == (2, 1, 2 * len(DATA))
    assert len(place.backups()) == 2


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
        sweep_orphans(at=now() + timedelta(days=2))
        forget_expired(at=now())
        return real(*arguments)

    monkeypatch.setattr(taking, "_copy_objects", copy_after_a_sweep)
    taken = take(place)

    assert (taken.objects, taken.differences) == (2, [])
    assert forget_expired(at=now()) == 1
    assert sweep_orphans(at=now() + timedelta(days=2)).objects == 1
    assert local.head(archive.storage_key) is None


def test_what_the_store_lacks_is_told_and_the_rest_is_backed_up(store, place):
    lost, whole = make_stored_file(), make_stored_file(data=DATA)
    store.delete(lost.storage_key)

    output = io.StringIO()
    with pytest.raises(CommandError, match="1 objects are not in order") as ended:
        call_command("backup", str(place.path), stdout=output, stderr=io.StringIO())

    assert ended.value.returncode == 3
    assert place.find_backup(None).read_manifest()["differences"] == [["missing", lost.storage_key, f"file {lost.pk}"]]
    assert [entry.key for entry in place.find_backup(None).objects()] == [whole.storage_key]


def test_other_bytes_than_the_row_says_are_copied_and_told(local, place):
    file = make_stored_file(data=DATA)
    File.objects.filter(pk=file.pk).update(sha256="0" * 64)

    assert [one.kind for one in take(place).differences] == ["wrong_checksum"]
    assert bytes_of(place.open_pool(), file) == DATA


def test_what_a_power_cut_may_have_cut_is_read_again(local, place):
    file = make_stored_file(data=DATA)
    place.unsettled_marker.parent.mkdir()
    (place.path / "objects").mkdir()
    place.unsettled_marker.touch()
    pool = place.open_pool()
    pool.put(file.storage_key, io.BytesIO(DATA), size_bytes=len(DATA), content_type="text/plain")
    (pool.layout.object_directory(file.storage_key) / "data").write_bytes(bytes(len(DATA)))

    assert take(place).copied == 1
    assert bytes_of(pool, file) == DATA
    assert not place.unsettled_marker.exists()


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

    assert prune_backups(place, keep=1) == [first.name]
    assert [one.key for one in place.open_pool().list()] == [kept.storage_key]


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
    with place.lock_for_writing(), pytest.raises(BackupError, match="Another backup"):
        take(place)


def test_a_full_directory_is_no_fault_of_the_store(local, place, monkeypatch):
    make_stored_file(data=DATA)
    monkeypatch.setattr("operations.backup.copying.import_object", full)

    with pytest.raises(BackupError, match="is full"):
        take(place)


def full(*_, **__):
    raise StoreFull


def test_a_role_that_may_not_read_all_tables_is_told_what_is_needed(local, place, tmp_path, monkeypatch):
    program = tmp_path / "pg_dump"
    program.write_text(REFUSED_DUMP)
    program.chmod(0o755)
    monkeypatch.setenv("PG_BIN", str(tmp_path))

    with pytest.raises(BackupError) as refusal:
        take(place)

    assert str(refusal.value) == (
        "pg_dump failed: pg_dump: error: query failed: ERROR:  permission denied for table accounts_user\n"
        "This needs the owner of the tables: DATABASE_OWNER_URL, or --env-file /etc/ids/owner.env."
    )


@pytest.mark.parametrize(("options", "has_objects", "objects"), [([], True, 1), (["--database-only"], False, 0)])
def test_each_backup_is_noted_where_its_age_is_seen(local, place, options, has_objects, objects):
    make_stored_file(data=DATA)

    call_command("backup", str(place.path), *options)

    noted = find_last_backup()
    assert (noted.name, noted.has_objects, noted.objects_count) == (place.find_backup(None).name, has_objects, objects)


def test_a_backup_that_cannot_be_noted_is_made(local, place, monkeypatch, capsys):
    def refuse(**_):
        raise OperationalError("read-only")

    monkeypatch.setattr("operations.management.commands.backup.record_backup", refuse)

    call_command("backup", str(place.path))

    assert len(place.backups()) == 1
    assert "not noted in the database: read-only" in capsys.readouterr().err


def test_records_of_backups_do_not_pile_up(monkeypatch):
    monkeypatch.setattr("overview.backups.MAX_KEPT", 2)

    for day in range(4):
        at = now() + timedelta(days=day)
        record_backup(name=f"day {day}", at=at, has_objects=True, objects=0, size_bytes=0, differences=0)

    assert [one.name for one in Backup.objects.order_by("made_at")] == ["day 2", "day 3"]
