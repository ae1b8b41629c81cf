"""What lies in the store and belongs to nobody goes after a day; all else stays."""

import io
from datetime import timedelta

import pytest

from files.leftovers import Swept, sweep_leftovers
from files.models import File
from files.tasks import sweep
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

    swept = sweep_leftovers(at=now() + TOMORROW)

    assert swept.objects == 1
    assert store.head(old["storage_key"]) is None


def test_younger_objects_stay(as_token, local_service):
    key = lay(local_service, "runs/a/1/b/c")

    assert sweep_leftovers(at=now() + timedelta(hours=23)) == Swept(objects=0, uploads=0)
    assert local_service.head(key) is not None


def test_objects_that_rows_name_stay(as_token, store):
    run, api = make_run(), as_token()
    stored = File.objects.get(pk=upload(api, run, DATA))
    unconfirmed = ask(api, run, DATA, "b.raw")
    put(unconfirmed, DATA)

    assert sweep_leftovers(at=now() + TOMORROW).objects == 0
    assert store.head(stored.storage_key) is not None
    assert store.head(unconfirmed["storage_key"]) is not None


@pytest.mark.parametrize("key", ["archives/a.zip", "runs/by-hand.csv", "runs/a/b/c/d", "other"])
def test_what_is_not_of_a_file_is_left_alone(db, local_service, key):
    lay(local_service, key)

    assert sweep_leftovers(at=now() + TOMORROW).objects == 0


def test_a_multipart_upload_that_was_given_up_goes_after_a_day(as_token, local_service, small_parts):
    run, api = make_run(), as_token()
    ask(api, run, DATA * 300_000)

    assert sweep_leftovers(at=now()).uploads == 0
    assert sweep_leftovers(at=now() + TOMORROW).uploads == 1


def test_the_task_may_run_at_any_time(db, local_service):
    sweep()
