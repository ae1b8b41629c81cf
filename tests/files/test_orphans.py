"""What lies in the store and belongs to nobody goes after a day; all else stays."""

import io
from datetime import timedelta

import pytest

from files.models import File, SweepPosition
from files.removing.lock import RemovalOnHold
from files.storage.orphans import SweepResult, sweep_orphans
from files.tasks import remove_unused
from tests.factories import make_run
from tests.files.sending import ask, put, upload
from wire.clock import now

pytestmark = pytest.mark.django_db

DATA = b"what the instrument wrote\n"
TOMORROW = timedelta(hours=25)


def lay(store, key: str) -> str:
    store.put(key, io.BytesIO(DATA), size_bytes=len(DATA), content_type="text/plain")
    return key


def test_an_object_that_no_row_names_goes_after_a_day(as_token, store):
    run, api = make_run(), as_token()
    old = ask(api, run, DATA)
    put(old, DATA)
    ask(api, run, DATA + b"more")

    swept = sweep_orphans(at=now() + TOMORROW)

    assert swept.objects == 1
    assert store.head(old["storage_key"]) is None


def test_younger_objects_stay(as_token, local_service):
    key = lay(local_service, "runs/a/1/b/c")

    assert sweep_orphans(at=now() + timedelta(hours=23)) == SweepResult(objects=0, uploads=0)
    assert local_service.head(key) is not None


def test_objects_that_rows_name_stay(as_token, store):
    run, api = make_run(), as_token()
    stored = File.objects.get(pk=upload(api, run, DATA))
    unconfirmed = ask(api, run, DATA, "b.raw")
    put(unconfirmed, DATA)

    assert sweep_orphans(at=now() + TOMORROW).objects == 0
    assert store.head(stored.storage_key) is not None
    assert store.head(unconfirmed["storage_key"]) is not None


@pytest.mark.parametrize("key", ["archives/a.zip", "runs/by-hand.csv", "runs/a/b/c/d", "other"])
def test_what_is_not_of_a_file_is_left_alone(db, local_service, key):
    lay(local_service, key)

    assert sweep_orphans(at=now() + TOMORROW).objects == 0


def test_a_multipart_upload_that_was_given_up_goes_after_a_day(as_token, local_service, small_parts):
    run, api = make_run(), as_token()
    ask(api, run, DATA * 300_000)

    assert sweep_orphans(at=now()).uploads == 0
    assert sweep_orphans(at=now() + TOMORROW).uploads == 1


def test_the_task_may_run_at_any_time(db, local_service):
    remove_unused()


def test_a_sweep_that_was_cut_off_goes_on_where_it_stopped(as_token, local_service, monkeypatch):
    monkeypatch.setattr("files.storage.orphans.OBJECTS_PER_BATCH", 1)
    monkeypatch.setattr("files.storage.orphans.MAX_SWEEP_SECONDS", -1)
    run, api = make_run(), as_token()
    for name in ("a", "b"):
        upload(api, run, DATA, name)
    orphan = lay(local_service, "runs/zzz/1/nonce/late.raw")  # of the newest run: run ids grow with time

    removed = [sweep_orphans(at=now() + TOMORROW).objects for _ in range(3)]

    assert removed == [0, 0, 1]
    assert local_service.head(orphan) is None


def test_a_sweep_begins_anew_after_the_last_key(as_token, local_service, monkeypatch):
    lay(local_service, "runs/b/1/nonce/late.raw")
    sweep_orphans(at=now() + TOMORROW)
    lay(local_service, "runs/a/1/nonce/early.raw")

    assert sweep_orphans(at=now() + TOMORROW).objects == 1


def test_a_sweep_that_is_held_up_keeps_its_place(as_token, local_service, monkeypatch):
    monkeypatch.setattr("files.storage.orphans.OBJECTS_PER_BATCH", 1)
    for name in ("a", "b"):
        lay(local_service, f"runs/{name}/1/nonce/x.raw")
    asked = []

    def refuse_the_second():
        asked.append(1)
        if len(asked) == 2:
            raise RemovalOnHold

    monkeypatch.setattr("files.shared.objects.refuse_during_copy", refuse_the_second)

    assert sweep_orphans(at=now() + TOMORROW).objects == 1
    assert SweepPosition.objects.get().after == "runs/a/1/nonce/x.raw"
    assert sweep_orphans(at=now() + TOMORROW).objects == 1
