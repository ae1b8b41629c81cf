"""What was exported, imported and exported again says the same: of everything that a service may hold."""

import io
from datetime import timedelta
from typing import Any

import pytest

from changes.models import Webhook
from files.models import File, SharableObject
from files.shared.keys import build_shared_key
from files.storage import cold_store, object_store, whole_store
from notifications.models import Follow, Preference
from operations.leaving.comparing import Comparison, compare_everything
from operations.leaving.exporting import export_everything, read_rows
from operations.leaving.folder import LeavingError
from operations.leaving.importing import import_everything, list_packed
from operations.leaving.rows import list_tables
from operations.leaving.settling import settle_row
from overview.models import Import
from retention.cooling import cool_due
from retention.purging import purge_due
from runs.eln.models import ElnTemplate
from runs.models import Mention, Run
from runs.saved_views.models import SavedView
from tests.datasets.making import make_dataset
from tests.factories import (
    make_comment,
    make_hold,
    make_instrument,
    make_project,
    make_rule,
    make_run,
    make_share_link,
    make_signature,
    make_stored_file,
    make_token,
    make_user,
    make_view,
    make_watcher,
)
from tests.operations.leaving.lab import make_lab
from tests.operations.leaving.test_importing import empty
from tests.races import at_once
from tests.retention.cold import use_cold
from tests.retention.lab import make_deleted_run, make_old_run, store_file
from watchers.models import TakeOver
from wire.clock import now

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]
OWN = {"storage_key"}


@pytest.fixture(autouse=True)
def cold(store: Any, settings: Any, tmp_path: Any) -> Any:
    use_cold(settings, tmp_path / "cold")
    yield cold_store()
    cold_store.cache_clear()


def make_everything() -> None:
    make_lab()
    ada, ben = make_user("eve@lab.example"), make_user("ben@lab.example", is_active=False)
    rules = {"purge_deleted_after_days": 30, "expire_processed_after_days": 30, "cold_raw_after_days": 30}
    kept = make_instrument(id="kept", **rules)
    cold, held = make_old_run(kept, run_id="cold"), make_old_run(kept, run_id="held", project=make_project(name="Kept"))
    store_file(cold, b"cold bytes")
    store_file(cold, b"made of them", category="processed")
    store_file(make_deleted_run(kept), b"purged with its run")
    store_file(held, b"held")
    make_hold(project=held.project, placed_by=ada)
    _make_signed(ada)
    _make_shared()
    _make_said(ada, ben)
    purge_due(clock=now, goes_on=lambda: True)
    cool_due(clock=now, goes_on=lambda: True)


def _make_signed(ada: Any) -> None:
    for revoked in ({}, {"revoked_at": now(), "revoked_by": ada, "revocation_reason": "Too early"}):
        run = make_run(run_id=f"signed {len(revoked)}", caller_metadata={"a": [1.0, 1e300, "x"], "b": None})
        make_stored_file("signed.csv", b"signed", run=run)
        make_signature(run=run, signer=ada, **revoked)
    signed = make_old_run(make_instrument(id="signs", expire_raw_after_days=30), run_id="signed, then purged")
    store_file(signed, b"expires")
    make_signature(run=signed, signer=ada)
    make_share_link(run=signed, made_by=ada)


def _make_shared() -> None:
    files = [make_stored_file("same.raw", b"the same bytes") for _ in range(3)]
    key = build_shared_key("ab" * 16)
    object_store().put(key, io.BytesIO(b"the same bytes"), size_bytes=14, content_type="text/plain")
    for file in files:
        object_store().delete(file.storage_key or "")
    File.objects.filter(pk__in=[one.pk for one in files]).update(storage_key=key)
    SharableObject.objects.create(
        file=files[0], storage_key=key, sha256=files[0].sha256 or "", size_bytes=14, verified_at=now()
    )


def _make_said(ada: Any, ben: Any) -> None:
    run = make_run(run_id="said")
    comment = make_comment(run=run, user=ada, body="see ![it](picture)")
    Mention.objects.create(comment=comment, user=ben)
    picture = {"category": "processed", "extracted": {"kind": "comment_picture"}}
    make_stored_file("picture.png", b"png", run=run, **picture)
    make_stored_file("taken.png", b"taken", run=run, deleted_at=now() - timedelta(days=1), **picture)
    source = make_stored_file("rows.csv", b"nm,au\n1,2\n", run=run)
    make_dataset({"nm": [1.0, 2.0], "au": [0.5, float("nan")]}, run=run, name="absorbance", source_file=source)
    view = make_view(owner=ada, name="Mine", query=f"instrument_id={run.instrument_id}", is_shared=True)
    SavedView.objects.filter(pk=view.pk).update(instrument=run.instrument)
    make_rule(user=ada)
    Follow.objects.create(user=ada, instrument=run.instrument)
    ElnTemplate.objects.create(template="https://eln.example/{run_id}", changed_by=ada)
    Preference.objects.create(user=ada, kind="comment", in_app=False, chat=True, email=True)
    watcher = make_watcher(instrument=run.instrument)
    TakeOver.objects.create(watcher=watcher, former_token=watcher.token, token=make_token(), taken_at=now())
    Webhook.objects.create(url="https://lab.example/", description="out", sealed_secret="x", created_by=ada)


def read_export(root: Any, began: Import | None = None) -> dict[str, list[dict[str, Any]]]:
    """The imported tables of an export, by name; settled, with `began`, as its import settles them."""
    packed = {one for run in read_rows(root, "runs") for one in list_packed(root, run)}
    found = {}
    for _, table in list_tables():
        if table.imported:
            rows = list(read_rows(root, table.name))
            if began is not None:
                rows = [settle_row(table.name, row, packed=packed, at=began.began_at) for row in rows]
            found[table.name] = [{name: one for name, one in row.items() if name not in OWN} for row in rows]
    return found


def read_bytes(root: Any) -> dict[int, Any]:
    return {
        file_id: (one["sha256"], one["size_bytes"], one["path"])
        for run in read_rows(root, "runs")
        for file_id, one in list_packed(root, run).items()
    }


def test_an_export_of_the_imported_says_what_the_first_one_said(store, tmp_path):
    make_everything()
    assert File.objects.filter(purged_at__isnull=False).count() == 3
    assert (File.objects.cold().count(), Run.objects.filter(purged_at__isnull=False).count()) == (1, 1)
    first, second = tmp_path / "first", tmp_path / "second"
    assert export_everything(first, whole_store(), at=now()).is_whole
    empty(whole_store())

    import_everything(first, object_store(), at=now())
    differing = list(compare_everything(first, object_store(), Comparison()))
    assert export_everything(second, whole_store(), at=now()).is_whole

    began = Import.objects.get()
    before, after = read_export(first, began), read_export(second)
    assert differing == []
    assert {name: len(rows) for name, rows in after.items() if not rows} == {}, "each table has something to compare"
    for name, rows in before.items():
        assert after[name] == rows, name
    assert read_bytes(second) == read_bytes(first)


def test_an_import_that_is_begun_twice_at_once_is_one(store, tmp_path):
    make_everything()
    first = tmp_path / "first"
    export_everything(first, whole_store(), at=now())
    empty(whole_store())

    at_once(2, lambda _: import_everything(first, object_store(), at=now()))

    assert list(compare_everything(first, object_store(), Comparison())) == []
    assert Import.objects.count() == 1


def test_of_two_exports_that_are_imported_at_once_one_is_refused(store, tmp_path):
    for name in ("one", "other"):
        make_stored_file(f"{name}.csv", name.encode(), run=make_run(run_id=name))
        export_everything(tmp_path / name, whole_store(), at=now())
        empty(whole_store())

    def bring_in(number: int) -> bool:
        try:
            import_everything(tmp_path / ("one", "other")[number], object_store(), at=now())
        except LeavingError:
            return False
        return True

    assert sorted(at_once(2, bring_in)) == [False, True]
    assert Run.objects.count() == Import.objects.count() == 1
