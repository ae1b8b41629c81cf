"""Of every model that has a trail: each column that a caller can change leaves its row, all others leave none."""

from contextlib import nullcontext

import pgtrigger
import pytest
from django.db import connection

from accounts.models import Integration, User
from accounts.trail.rows import find_trail_model, list_trail_models
from files.models import File
from runs.models import Run, Signature
from tests.factories import make_file, make_run, make_token, make_user, make_watcher
from tests.trail.columns import SUBJECTS, make_integration
from watchers.models import Watcher
from wire.clock import now

ALL = pytest.mark.parametrize("model", SUBJECTS, ids=lambda model: model.__name__)
pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def signatures_may_change(request):
    """What nobody may change leaves its rows too, when the owner of the database sets the trigger aside."""
    is_of_signatures = (
        getattr(request.node, "callspec", None) and request.node.callspec.params.get("model") is Signature
    )
    with pgtrigger.ignore("runs.Signature:append_only") if is_of_signatures else nullcontext():
        yield


def rows_of(thing):
    return list(find_trail_model(type(thing)).objects.filter(pgh_obj_id=thing.pk).order_by("pgh_id"))


def written_names(model, names):
    kept = find_trail_model(model).audited
    return {
        f"{kept.objects[name]}.b" if name in kept.objects else model._meta.get_field(name).attname for name in names
    }


def test_every_model_with_a_trail_is_in_the_table():
    assert {trail.pgh_tracked_model for trail in list_trail_models()} == set(SUBJECTS)


@ALL
def test_every_column_is_kept_or_no_callers(model):
    kept, every = (
        set(find_trail_model(model).audited.recorded_columns),
        {field.name for field in model._meta.concrete_fields},
    )

    assert (kept | SUBJECTS[model].unkept, kept & SUBJECTS[model].unkept) == (every, set())


@ALL
def test_each_change_leaves_a_row_that_names_it(model):
    subject, changed = SUBJECTS[model], set()
    thing = subject.make()

    for values in subject.moves():
        before = len(rows_of(thing))
        model.objects.filter(pk=thing.pk).update(**values)
        new = rows_of(thing)[before:]
        expected = written_names(model, values.keys() - subject.unkept)
        assert [(row.pgh_label, set(row.changes)) for row in new] == [("update", expected)], values
        changed |= values.keys() - subject.unkept

    assert changed == set(find_trail_model(model).audited.recorded_columns)


@ALL
def test_a_repeat_of_a_change_leaves_nothing(model):
    thing = SUBJECTS[model].make()
    values = SUBJECTS[model].moves()[0]
    model.objects.filter(pk=thing.pk).update(**values)
    before = len(rows_of(thing))

    model.objects.filter(pk=thing.pk).update(**values)

    assert len(rows_of(thing)) == before


@ALL
def test_what_is_made_and_taken_away_leaves_its_rows(model):
    thing = SUBJECTS[model].make()
    pk = thing.pk

    with connection.cursor() as cursor:
        cursor.execute(f"DELETE FROM {model._meta.db_table} WHERE {model._meta.pk.column} = %s", [pk])

    thing.pk = pk
    made, gone = rows_of(thing)
    assert (made.pgh_label, gone.pgh_label) == ("insert", "delete")
    assert {name: pair[1] for name, pair in made.changes.items()} == {
        name: pair[0] for name, pair in gone.changes.items()
    }


def test_a_row_holds_before_and_after():
    run = make_run(caller_metadata={"operator": "ada", "plate": "P-1", "gone": [1]})

    Run.objects.filter(pk=run.pk).update(
        caller_metadata={"operator": "grace", "plate": "P-1", "new": None}, source="worker"
    )

    assert rows_of(run)[-1].changes == {
        "source": ["script", "worker"],
        "metadata.operator": ["ada", "grace"],
        "metadata.gone": [[1], None],
        "metadata.new": [None, None],
    }


def test_times_are_written_as_the_api_writes_them():
    run = make_run()

    Run.objects.filter(pk=run.pk).update(acquired_at="2026-01-31T09:30:00.250+01:00")

    assert rows_of(run)[-1].changes == {"acquired_at": [None, "2026-01-31T08:30:00.250Z"]}


def test_many_files_at_once_leave_a_row_each():
    run = make_run()
    files = [make_file(run=run) for _ in range(3)]
    untouched = make_file(run=run, content_type="text/csv")

    run.files.update(content_type="text/csv")

    assert [rows_of(file)[-1].changes for file in files] == [{"content_type": [None, "text/csv"]}] * 3
    assert len(rows_of(untouched)) == 1


@pytest.mark.parametrize(
    ("model", "make", "name"), [(User, make_user, "password"), (Integration, make_integration, "sealed_secret")]
)
def test_of_a_secret_only_that_it_changed(model, make, name):
    thing = make()

    model.objects.filter(pk=thing.pk).update(**{name: "a-new-secret"})

    made, changed = rows_of(thing)
    assert (made.changes[name], changed.changes) == ([None, "hidden"], {name: ["hidden", "hidden"]})


def test_counters_and_signs_of_life_leave_no_row(as_token):
    api = as_token()
    watcher = make_watcher(token=api.token, status="watching", last_heartbeat_at=now())
    file = make_file(status="processing", run=make_run(instrument=watcher.instrument))
    things = [watcher, file.run, watcher.instrument, api.token]
    before = [len(rows_of(thing)) for thing in things]

    api.post(f"/api/v1/watchers/{watcher.pk}/heartbeat", {"status": "watching", "files_uploaded": 3})
    api.patch(f"/api/v1/files/{file.pk}", {"status": "processing"})
    make_run(instrument=watcher.instrument)
    make_file(run=file.run)

    assert [len(rows_of(thing)) for thing in things] == before
    assert [row.pgh_label for row in rows_of(file)] == ["insert"]
    assert Watcher.objects.get().last_heartbeat_at > watcher.last_heartbeat_at
    assert File.objects.get(pk=file.pk).processing_since > file.processing_since


def test_a_refused_change_leaves_no_row(as_token):
    run = make_run(deleted_at=now(), deleted_by_token=make_token())
    before = len(rows_of(run))

    answer = as_token().patch(f"/api/v1/instruments/{run.instrument_id}/runs/{run.run_id}", {"metadata": {"a": 1}})

    assert (answer.status_code, len(rows_of(run))) == (409, before)
