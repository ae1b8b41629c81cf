"""An export, brought into an empty service."""

import json
from dataclasses import replace
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from accounts.models import Token, User
from files.models import File
from operations.leaving import importing
from operations.leaving.comparing import Comparison, compare_everything
from operations.leaving.exporting import export_everything
from operations.leaving.folder import LeavingError, digest_of
from operations.leaving.importing import import_everything
from operations.leaving.rows import list_tables
from operations.leaving.tables import EXPORTED
from overview.models import Import
from runs.models import Run
from tests.factories import make_instrument, make_run, make_stored_file
from tests.operations.leaving.lab import make_lab, set_long_ago, stored_bytes
from wire.clock import now

pytestmark = pytest.mark.django_db(transaction=True)


def bring_in(folder, store):
    return import_everything(folder, store, at=now())


def command(folder):
    output = StringIO()
    call_command("import_everything", str(folder), stdout=output, stderr=output)
    return output.getvalue()


def compare(folder, store):
    return list(compare_everything(folder, store, Comparison()))


def empty(store):
    """Another service: no rows, no objects."""
    models = [Import, *(model for model, _ in list_tables())]
    tables = ", ".join(f'"{model._meta.db_table}"' for model in models)
    with connection.cursor() as cursor:
        cursor.execute(f"TRUNCATE {tables} RESTART IDENTITY CASCADE")
    for one in list(store.list()):
        store.delete(one.key)


@pytest.fixture
def exported(store, folder):
    """The lab's run, and the bytes of its files, in an export; the service is empty again."""
    run = make_lab()
    set_long_ago(run)
    run.refresh_from_db()
    before = stored_bytes(store)
    export_everything(folder, store, at=now())
    empty(store)
    return run, before


def test_all_comes_back_equal(store, folder, exported):
    run, before = exported

    told = command(folder)

    again = Run.objects.get(pk=run.pk)
    assert "0 differences" in told
    assert stored_bytes(store) == before
    assert (again.run_id, again.metadata, again.tags, again.updated_at) == (
        run.run_id,
        run.metadata,
        run.tags,
        run.updated_at,
    )
    assert (again.acquired_at, again.created_at, again.hold.reason) == (run.acquired_at, run.created_at, "An audit")
    assert (again.file_count, again.comment_count, again.claim_count) == (
        run.file_count,
        run.comment_count,
        run.claim_count,
    )
    assert Run.objects.get(run_id="PLATE").deleted_at is not None


def test_nobody_gets_in_by_what_came_along(store, folder, exported):
    bring_in(folder, store)

    assert {(one.is_active, one.has_usable_password()) for one in User.objects.all()} == {(False, False)}
    assert Token.objects.active().count() == 0
    assert Token.objects.get().name == "bench"


def test_what_was_being_read_waits_for_its_reading(store, folder, exported):
    bring_in(folder, store)

    assert File.objects.get(filename="busy.csv").status == "uploaded"
    assert File.objects.get(filename="asked.csv").status == "detected"


def test_what_an_older_export_does_not_have_yet_has_its_default(store, folder):
    with pytest.MonkeyPatch.context() as older:
        people = EXPORTED["accounts.User"]
        columns = tuple(name for name in people.columns if name != "time_zone")
        older.setitem(EXPORTED, "accounts.User", replace(people, columns=columns))
        older.delitem(EXPORTED, "notifications.NotificationRule")
        run = make_lab()
        export_everything(folder, store, at=now())
    empty(store)

    told = command(folder)

    assert "0 differences" in told
    assert Run.objects.filter(pk=run.pk).exists()
    assert {person.time_zone for person in User.objects.all()} == {""}


def test_new_rows_get_ids_after_those_that_came(store, folder, exported):
    bring_in(folder, store)

    newest = File.objects.order_by("-pk").values_list("pk", flat=True)[0]
    assert make_stored_file().pk > newest


def test_killed_in_the_middle_it_goes_on(store, folder, exported, monkeypatch):
    _, before = exported
    imported = []

    def import_and_die(row, *rest, **named):
        if len(imported) == 4:
            raise KeyboardInterrupt
        imported.append(row["id"])
        return original(row, *rest, **named)

    original = importing._import_bytes_of
    monkeypatch.setattr(importing, "_import_bytes_of", import_and_die)
    with pytest.raises(KeyboardInterrupt):
        bring_in(folder, store)
    monkeypatch.undo()

    assert "0 differences" in command(folder)
    assert stored_bytes(store) == before
    assert len(list(store.list())) == len(before)


def test_a_service_with_anything_in_it_is_refused(store, folder, exported):
    make_instrument()

    with pytest.raises(LeavingError, match="not empty: it has instruments"):
        bring_in(folder, store)


def test_an_import_that_is_finished_is_refused(store, folder, exported):
    command(folder)

    with pytest.raises(LeavingError, match="imported here already"):
        bring_in(folder, store)


def test_a_damaged_export_is_refused_before_anything_is_written(store, folder, exported):
    people = folder / "tables" / "people.jsonl"
    people.write_bytes(people.read_bytes().replace(b"ada@", b"eve@"))

    with pytest.raises(LeavingError, match=r"tables/people\.jsonl is not what was exported"):
        bring_in(folder, store)

    assert [model for model, _ in list_tables() if model._default_manager.exists()] == []


def test_the_comparison_names_what_differs(store, folder, exported):
    run, _ = exported
    bring_in(folder, store)
    Run.objects.filter(pk=run.pk).update(caller_metadata={"buffer": "TRIS"})
    lost = File.objects.get(filename="bad.csv")
    store.delete(lost.storage_key)

    found = {(one.table, one.row, one.told) for one in compare(folder, store)}

    assert ("runs", str(run.pk), "differs in caller_metadata, updated_at, metadata") in found
    assert ("files", str(lost.pk), "its bytes are not in the store") in found


def test_a_file_whose_bytes_the_export_lacks_waits_for_them(store, folder):
    lost = make_stored_file("lost.csv", run=make_run(run_id="a"))
    store.delete(lost.storage_key)
    export_everything(folder, store, at=now())
    empty(store)

    with pytest.raises(CommandError, match="1 files came without bytes") as refusal:
        command(folder)

    assert refusal.value.returncode == 3
    assert File.objects.get(pk=lost.pk).status == "detected"


def test_a_piece_that_leads_out_of_the_folder_is_refused(store, folder, exported):
    pieces, manifest = folder / "pieces.jsonl", json.loads((folder / "manifest.json").read_text())
    pieces.write_text(json.dumps({"path": "../x", "size_bytes": 1, "sha256": "0" * 64}) + "\n")
    manifest["pieces_sha256"] = digest_of(pieces)
    (folder / "manifest.json").write_text(json.dumps(manifest))

    with pytest.raises(LeavingError, match="leads out of the folder"):
        bring_in(folder, store)
