"""Everything that a lab owns, in a folder."""

import hashlib
import json
import shutil
import zipfile
from io import StringIO

import pyarrow.parquet as pq
import pytest
from django.core.management import CommandError, call_command
from django.db import transaction

from accounts.models import TrailDetachment
from archives.streaming import MemberReader
from files.models import File
from files.removing.lock import RemovalOnHold, refuse_during_copy
from operations.leaving import crates, exporting
from operations.leaving.exporting import export_everything
from operations.leaving.folder import LeavingError, find_faults, read_manifest, read_pieces
from runs.models import Run
from tests.factories import make_run, make_stored_file
from tests.operations.leaving.lab import DATA, make_lab, set_long_ago, stored_bytes
from wire.clock import now

pytestmark = pytest.mark.django_db(transaction=True)


def export(folder, store):
    return export_everything(folder, store, at=now())


def command(*arguments):
    output = StringIO()
    call_command("export_everything", *map(str, arguments), stdout=output, stderr=output)
    return output.getvalue()


def crate_of(folder, run):
    (found,) = folder.glob(f"runs/*/*_{run.pk}.zip")
    return zipfile.ZipFile(found)


def contents(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_it_names_the_files_of_what_was_taken_out_of_the_trail(store, folder):
    make_lab()
    taken = {"part": "202601", "first_id": 7, "last_id": 900, "file_sha256": bytes(32), "detached_at": now()}
    TrailDetachment.objects.create(kind="run", rows_count=1200, **taken)
    TrailDetachment.objects.create(kind="claim", rows_count=0, **taken)

    said = command(folder)

    assert "1,200 rows of the trail were taken out of it before" in said
    named = {"file": "trail-run-202601.jsonl", "rows": 1200, "sha256": "00" * 32}
    assert read_manifest(folder)["trail_elsewhere"] == [named]


def test_every_stored_byte_is_in_a_crate(store, folder):
    run = make_lab()

    done = export(folder, store)

    with crate_of(folder, run) as crate:
        entries = json.loads(crate.read("manifest.json"))["files"]
        kept = {one["file_id"]: crate.read(one["path"]) for one in entries}
        assert "ro-crate-metadata.json" in crate.namelist()
    assert kept == {pk: data for pk, data in stored_bytes(store).items() if pk in kept}
    assert len(kept) == File.objects.filter(run=run, uploaded_at__isnull=False).count() == 7
    assert (done.runs, done.told, done.rows["files"]) == (4, [], File.objects.count())


def test_a_disk_without_room_for_all_runs_is_told_before_the_first(store, folder, monkeypatch):
    """A full disk stops whoever else writes to it, the service too."""
    make_lab()
    needed = sum(
        File.objects.filter(uploaded_at__isnull=False, purged_at__isnull=True).values_list("size_bytes", flat=True)
    )
    room = shutil.disk_usage(folder.parent)
    monkeypatch.setattr(exporting.shutil, "disk_usage", lambda _: room._replace(free=needed - 1))

    with pytest.raises(CommandError, match="Make room, or choose another place"):
        command(folder)
    written = list(folder.rglob("*.zip"))
    monkeypatch.setattr(exporting.shutil, "disk_usage", lambda _: room._replace(free=needed))
    command(folder)
    monkeypatch.undo()

    assert written == []
    assert len(list(folder.rglob("*.zip"))) == 4


def test_a_crate_that_is_there_needs_no_room(store, folder, monkeypatch):
    """Begun again on a disk that is nearly full."""
    make_lab()
    monkeypatch.setattr(exporting, "finish_folder", stop)
    with pytest.raises(LeavingError):
        export(folder, store)
    monkeypatch.undo()
    room = shutil.disk_usage(folder)
    monkeypatch.setattr(exporting.shutil, "disk_usage", lambda _: room._replace(free=0))

    assert export(folder, store).kept == 4


def stop(*_, **__):
    raise LeavingError("Stopped.")


def test_hostile_names_stay_in_the_folder(store, folder):
    run = make_lab()

    export(folder, store)

    names = crate_of(folder, run).namelist()
    assert [name for name in names if ".." in name.split("/") or name.startswith("/") or "\\" in name] == []
    assert {path.parent.relative_to(folder).as_posix() for path in folder.rglob("*.zip")} == {
        "runs/reader",
        "runs/scope",
    }
    assert len({path.name.casefold() for path in folder.glob("runs/scope/*")}) == 3


def test_tables_say_the_same_in_both_forms(store, folder):
    make_lab()

    done = export(folder, store)

    for path in (folder / "tables").glob("*.jsonl"):
        lines = [json.loads(line) for line in path.read_text().split("\n") if line]
        columns = pq.read_table(path.with_suffix(".parquet"))
        assert columns.num_rows == len(lines) == done.rows[path.stem]
    people = pq.read_table(folder / "tables/people.parquet")
    assert "password" not in people.column_names
    assert "Ada “λ” Lovelace" in people["display_name"].to_pylist()
    assert done.rows["trail"] == len((folder / "trail.jsonl").read_text().split("\n")) - 1 > 0


def test_the_manifest_and_sha256sums_name_every_file(store, folder):
    make_lab()

    export(folder, store)

    listed = {one.path for one in read_pieces(folder)}
    assert listed | {"manifest.json", "pieces.jsonl", "SHA256SUMS"} == set(contents(folder))
    sums = dict(line.split("  ", 1)[::-1] for line in (folder / "SHA256SUMS").read_text().split("\n") if line)
    assert sums == {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in listed}
    assert folder.stat().st_mode & 0o777 == 0o700


def test_killed_at_any_run_it_goes_on_and_writes_nothing_twice(store, folder, monkeypatch):
    make_lab()
    packed = []

    def pack_and_die(root, run, *rest, **named):
        if len(packed) == 2:
            raise KeyboardInterrupt
        packed.append(run["id"])
        return crates.pack_run(root, run, *rest, **named)

    monkeypatch.setattr(exporting, "pack_run", pack_and_die)
    with pytest.raises(KeyboardInterrupt):
        export(folder, store)
    before = contents(folder)
    monkeypatch.undo()

    done = export(folder, store)

    after = contents(folder)
    assert (done.runs, done.kept) == (4, 2)
    assert {name: after[name] for name in before if name in after} == {
        name: data for name, data in before.items() if name != "work.sqlite3"
    }
    assert [fault for _, fault in find_faults(folder) if fault] == []


def test_a_finished_piece_that_was_damaged_since_is_written_again(store, folder, monkeypatch):
    run = make_lab()
    monkeypatch.setattr(exporting, "finish_folder", lambda *_, **__: None)
    export(folder, store)
    monkeypatch.undo()
    (damaged,) = folder.glob(f"runs/*/*_{run.pk}.zip")
    damaged.write_bytes(damaged.read_bytes()[:-1] + b"?")

    done = export(folder, store)

    assert (done.runs, done.kept) == (4, 3)
    assert [fault for _, fault in find_faults(folder) if fault] == []


def test_a_flipped_byte_is_named(store, folder):
    run = make_lab()
    export(folder, store)
    (damaged,) = folder.glob(f"runs/*/*_{run.pk}.zip")
    data = bytearray(damaged.read_bytes())
    data[100] ^= 1
    damaged.write_bytes(data)

    with pytest.raises(CommandError) as refusal:
        command(folder, "--verify")

    assert refusal.value.returncode == 3
    assert [piece.path for piece, fault in find_faults(folder) if fault] == [damaged.relative_to(folder).as_posix()]


def test_the_command_exports_and_verifies(store, folder):
    make_lab()

    assert command(folder).startswith("4 runs are in ")
    assert "all are what was exported" in command(folder, "--verify")


def test_a_finished_export_is_not_written_over(store, folder):
    make_lab()
    export(folder, store)

    with pytest.raises(LeavingError, match="is a finished export"):
        export(folder, store)


def test_a_folder_with_other_things_is_refused(store, folder):
    folder.mkdir()
    (folder / "thesis.tex").write_text("x")

    with pytest.raises(LeavingError, match="neither empty nor an export"):
        export(folder, store)


@pytest.mark.parametrize("text", ["[]", "null", "7", '"ids-export/1"'])
def test_a_manifest_of_another_kind_is_told_in_words(tmp_path, text):
    (tmp_path / "manifest.json").write_text(text)

    with pytest.raises(CommandError, match="is of no format that is known"):
        call_command("export_everything", str(tmp_path), "--verify")


def test_an_unfinished_export_is_no_export(store, folder, monkeypatch):
    make_lab()
    monkeypatch.setattr(exporting, "finish_folder", lambda *_, **__: None)
    export(folder, store)

    with pytest.raises(LeavingError, match="not finished"):
        read_manifest(folder)


def test_bytes_that_the_store_lost_or_has_otherwise_are_named_and_the_rest_is_packed(store, folder):
    run = make_run(run_id="a")
    good = make_stored_file("good.csv", DATA, run=run)
    lost = make_stored_file("lost.csv", DATA, run=run)
    other = make_stored_file("other.csv", DATA, run=run, sha256="0" * 64)
    store.delete(lost.storage_key)

    with pytest.raises(CommandError) as refusal:
        command(folder)

    assert refusal.value.returncode == 3
    assert {line[2] for line in read_manifest(folder)["told"]} == {str(lost.pk), str(other.pk)}
    assert [one["file_id"] for one in json.loads(crate_of(folder, run).read("manifest.json"))["files"]] == [good.pk]


def test_what_changed_after_the_moment_of_the_tables_is_said(store, folder, monkeypatch):
    run = make_run(run_id="a")
    set_long_ago(run)

    def change_and_find(row):
        Run.objects.filter(pk=run.pk).update(tags=["later"])
        return crates.find_changes(row)

    monkeypatch.setattr(exporting, "find_changes", change_and_find)
    done = export(folder, store)

    assert done.is_whole
    assert [line[:2] for line in read_manifest(folder)["told"]] == [["changed", str(run.pk)]]


def test_nothing_is_removed_from_the_store_meanwhile(store, folder, monkeypatch):
    make_stored_file(data=DATA)
    refused = []

    def look(self):
        try:
            with transaction.atomic():
                refuse_during_copy()
        except RemovalOnHold:
            refused.append(True)
        return original(self)

    original = MemberReader.verify
    monkeypatch.setattr(MemberReader, "verify", look)
    export(folder, store)

    assert refused == [True]
