"""On an S3 store, too, damage is healed from the replica, and what lay there is kept aside."""

import io
from datetime import timedelta

import pytest

from files.integrity.models import IntegrityFinding
from files.integrity.scrub import scrub_due_files
from files.storage import replica_store
from files.storage.s3_mending import DAMAGED_PREFIX
from tests.factories import make_stored_file
from wire.clock import now

DATA = b"what the instrument wrote\n"
DAMAGED = b"what the instrument wrotE\n"


@pytest.fixture
def replica(unchecking_service, tmp_path, settings):
    options = {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": tmp_path / "second"}}
    settings.STORAGES = settings.STORAGES | {"replica": options}
    replica_store.cache_clear()
    yield replica_store()
    replica_store.cache_clear()


def copy_to(store, file, data):
    store.put(file.storage_key, io.BytesIO(data), size_bytes=len(data), content_type="text/plain")


def read(store, key):
    with store.open_range(key) as source:
        return source.read()


def step():
    return scrub_due_files(clock=now, sleep=lambda seconds: None)


def test_damage_is_healed_and_kept_aside(db, unchecking_service, replica):
    store = unchecking_service
    file = make_stored_file(data=DATA, uploaded_at=now() - timedelta(days=100))
    copy_to(replica, file, DATA)
    store.delete(file.storage_key)
    copy_to(store, file, DAMAGED)

    result = step()

    assert (result.findings, result.healed) == (1, 1)
    assert read(store, file.storage_key) == DATA
    assert [read(store, one.key) for one in store.list(DAMAGED_PREFIX)] == [DAMAGED]


def test_what_is_lost_comes_back(db, unchecking_service, replica):
    store = unchecking_service
    file = make_stored_file(data=DATA, uploaded_at=now() - timedelta(days=100))
    copy_to(replica, file, DATA)
    store.delete(file.storage_key)

    assert step().healed == 1
    assert read(store, file.storage_key) == DATA


def test_a_replica_that_is_wrong_itself_heals_nothing(db, unchecking_service, replica):
    store = unchecking_service
    file = make_stored_file(data=DATA, uploaded_at=now() - timedelta(days=100))
    copy_to(replica, file, DAMAGED)
    store.delete(file.storage_key)
    copy_to(store, file, DAMAGED)

    result = step()

    assert (result.findings, result.healed) == (1, 0)
    assert read(store, file.storage_key) == DAMAGED
    assert IntegrityFinding.objects.get().healed_at is None
