"""The database against the object store: `./ids manage reconcile`."""

import io
import json
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command

from archives.models import ArchiveJob
from files.models import File
from files.removing.lock import RemovalOnHold, hold_removals
from files.storage import object_store
from files.storage.local import LocalStore
from operations.reconciliation import comparison as reconciliation
from operations.reconciliation.comparison import Reconciliation, remove_orphans
from operations.reconciliation.inventory import UnorderedListing, pair_objects
from tests.factories import make_file, make_run, make_stored_file
from tests.files.conftest import s3_service, s3_store  # noqa: F401 (fixtures)
from tests.stores import use_files
from wire.clock import now

pytestmark = pytest.mark.django_db

DATA = b"what the instrument wrote\n"
LONG_AGO = timedelta(hours=-30)  # seen from tomorrow, whatever was just stored is old


@pytest.fixture
def local(tmp_path, settings):
    settings.IDS_DATA = tmp_path
    use_files(settings, tmp_path / "objects")
    yield object_store()
    object_store.cache_clear()


@pytest.fixture(params=["local", "s3"])
def store(request, tmp_path, settings):
    found = request.getfixturevalue("local" if request.param == "local" else "s3_service")
    settings.IDS_DATA = tmp_path
    for one in list(found.list()):
        found.delete(one.key)
    return found


def lay(store, key, data=DATA):
    store.put(key, io.BytesIO(data), size_bytes=len(data), content_type="text/plain")
    return key


def make_archive(store, **fields):
    job = ArchiveJob(run=make_run(), cache_key="a" * 64, file_ids=[1], status="ready", completed_at=now())
    job.size_bytes = fields.pop("size_bytes", len(DATA))
    job.save()
    return job


def found_by(*, read=False, later=timedelta(0)):
    work = Reconciliation(object_store(), read=read, at=now() + later)
    return sorted((str(one.kind), one.key) for batch in work.differences() for one in batch)


def orphan_key(number=1):
    return f"runs/{make_run().pk}/{number}/{'0' * 32}/a.csv"


def damage(store: LocalStore, file, data):
    (store.layout.object_directory(file.storage_key) / "data").write_bytes(data)


def test_what_was_uploaded_processed_and_packed_agrees(store):
    make_stored_file(data=DATA)
    make_stored_file(category="processed", status="completed")
    lay(store, make_archive(store).storage_key)
    make_file(status="upload_requested")

    assert found_by(read=True, later=timedelta(days=2)) == []


def test_a_lost_object_is_missing(store):
    file, archive = make_stored_file(), make_archive(store)
    store.delete(file.storage_key)

    assert found_by() == sorted([("missing", file.storage_key), ("missing", archive.storage_key)])


def test_an_object_of_another_size_is_told(store):
    file = make_stored_file(data=DATA)
    File.objects.filter(pk=file.pk).update(size_bytes=3)

    assert found_by() == [("wrong_size", file.storage_key)]


@pytest.mark.parametrize("column", ["crc32", "sha256"])
def test_other_bytes_are_told_when_they_are_read(store, column):
    file = make_stored_file(data=DATA)
    File.objects.filter(pk=file.pk).update(**{column: "0" * (8 if column == "crc32" else 64)})

    assert found_by(read=True) == [("wrong_checksum", file.storage_key)]


def test_a_flipped_bit_on_disk_is_found_by_reading_alone(local):
    file = make_stored_file(data=DATA)
    damage(local, file, DATA.replace(b"w", b"W", 1))

    assert found_by() == []
    assert found_by(read=True) == [("wrong_checksum", file.storage_key)]


def test_a_damaged_description_is_one_difference_and_not_the_end(local):
    damaged, whole = make_stored_file(), make_stored_file()
    (local.layout.object_directory(damaged.storage_key) / "about.json").write_text("{")

    assert found_by() == [("unreadable", damaged.storage_key)]
    assert local.head(whole.storage_key) is not None


def test_an_object_that_no_row_names_is_an_orphan_after_a_day(store):
    key, zipped = lay(store, orphan_key()), lay(store, f"archives/{make_run().pk}.zip")

    assert found_by() == []
    assert found_by(later=timedelta(hours=25)) == [("orphan", zipped), ("orphan", key)]


def test_what_others_put_into_the_bucket_is_left_alone(store):
    lay(store, "by-hand/notes.txt")

    assert found_by(later=timedelta(days=9)) == []


def test_what_changes_during_the_pass_is_no_difference(local, monkeypatch):
    gone = make_stored_file()
    replaced = make_stored_file(category="processed", status="completed")
    real = reconciliation.find_current_names

    def change_first(keys, owners):
        gone.delete()
        File.objects.filter(pk=replaced.pk).update(storage_key="test/other")
        return real(keys, owners=owners)

    monkeypatch.setattr(reconciliation, "find_current_names", change_first)
    local.delete(gone.storage_key)
    local.delete(replaced.storage_key)

    assert found_by() == []


def test_a_pass_goes_on_where_it_stopped(local):
    files = sorted((make_stored_file(data=DATA) for _ in range(6)), key=lambda file: file.storage_key)
    for file in files:
        local.delete(file.storage_key)

    work = Reconciliation(local, read=False, at=now(), position=files[3].storage_key)

    assert [one.key for batch in work.differences() for one in batch] == [file.storage_key for file in files[4:]]


def test_a_listing_in_another_order_is_refused():
    class Row:
        def __init__(self, key):
            self.key = key

    with pytest.raises(UnorderedListing, match="a was listed after b"):
        list(pair_objects([Row("b"), Row("a")], []))


# --- the command ---


def reconcile(*arguments):
    """Exit code, output."""
    output = io.StringIO()
    try:
        call_command("reconcile", *arguments, stdout=output)
    except CommandError as ended:
        return ended.returncode, output.getvalue()
    return 0, output.getvalue()


def test_agreement_is_said_and_leaves_no_checkpoint(local, settings):
    make_stored_file(data=DATA)

    assert reconcile() == (0, "1 objects, 26 B: no differences\n")
    assert not (settings.IDS_DATA / "reconcile.json").exists()


def test_differences_exit_3_and_come_as_json_lines(local):
    file = make_stored_file(data=DATA)
    File.objects.filter(pk=file.pk).update(size_bytes=3)

    code, output = reconcile("--json")

    first, summary = map(json.loads, output.splitlines())
    assert code == 3
    assert (first["kind"], first["owner"], first["expected"], first["found"]) == (
        "wrong_size",
        f"file {file.pk}",
        3,
        26,
    )
    assert (summary["kind"], summary["differences"]["wrong_size"], summary["objects"]) == ("summary", 1, 1)


def test_orphans_alone_exit_4_and_stay(local, monkeypatch):
    key = lay(local, orphan_key())
    monkeypatch.setattr("operations.management.commands.reconcile.now", lambda: now() - LONG_AGO)

    assert reconcile()[0] == 4
    assert reconcile("--remove-orphans", "--older-than", "24", "--dry-run")[0] == 4
    assert local.head(key) is not None


def test_orphans_go_when_they_are_asked_to_and_old_enough(store, monkeypatch):
    old, named = lay(store, orphan_key()), make_stored_file()
    assert reconcile("--remove-orphans", "--older-than", "1")[0] == 0
    assert store.head(old) is not None

    monkeypatch.setattr("operations.management.commands.reconcile.now", lambda: now() - LONG_AGO)
    code, output = reconcile("--remove-orphans", "--older-than", "24")

    assert (code, "1 removed" in output) == (0, True)
    assert (store.head(old), store.head(named.storage_key) is None) == (None, False)


@pytest.mark.parametrize("arguments", [["--remove-orphans"], ["--remove-orphans", "--older-than", "0"], ["--resume"]])
def test_removing_needs_an_age_and_resuming_something_cut_off(local, arguments):
    assert reconcile(*arguments)[0] == 2


def test_a_pass_that_was_cut_off_is_resumed_with_what_it_saw(local, settings, monkeypatch):
    files = sorted((make_stored_file(data=DATA) for _ in range(4)), key=lambda file: file.storage_key)
    local.delete(files[0].storage_key)
    real = LocalStore.open_range

    def breaks(self, key, **bounds):
        if key == files[2].storage_key:
            raise KeyboardInterrupt
        return real(self, key, **bounds)

    monkeypatch.setattr(LocalStore, "open_range", breaks)
    assert reconcile("--read")[0] == 1
    monkeypatch.setattr(LocalStore, "open_range", real)

    assert reconcile("--resume")[0] == 2
    code, output = reconcile("--read", "--resume", "--json")

    assert code == 3
    assert json.loads(output)["differences"]["missing"] == 1
    assert json.loads(output)["objects"] == 3


def test_nothing_is_removed_while_the_store_is_copied(local, monkeypatch):
    key = lay(local, orphan_key())
    orphans = [reconciliation.Difference(reconciliation.DifferenceKind.ORPHAN, key)]

    with hold_removals() as holds:
        with pytest.raises(RemovalOnHold):
            remove_orphans(local, orphans)
        assert holds()

    assert remove_orphans(local, orphans) == 1
