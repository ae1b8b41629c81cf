"""The hot store and the cold one on S3: what moves is of the storage class that was asked for, and comes back."""

import boto3
import pytest

from files.cold import copying
from files.cold.bringing_back import bring_back_next
from files.storage import cold_store, object_store
from retention.cooling import Cooled, cool_due
from tests.factories import make_instrument
from tests.retention.cold import is_whole
from tests.retention.lab import make_old_run, store_file
from tests.stores import empty, s3_store_at
from wire.clock import now

DATA = b"what the instrument wrote" * 400_000  # several parts


@pytest.fixture
def cold(s3_service, settings, monkeypatch):
    url = s3_service.storage.endpoint_url
    keys = {"aws_access_key_id": "files", "aws_secret_access_key": "secret"}
    client = boto3.client("s3", endpoint_url=url, region_name="us-east-1", **keys)
    client.create_bucket(Bucket="cold")
    store = s3_store_at(url, bucket="cold", storage_class="STANDARD_IA")
    settings.STORAGES = settings.STORAGES | {"cold": {"BACKEND": "storages.backends.s3.S3Storage", "OPTIONS": {}}}
    cold_store.cache_clear()
    hot = object_store()
    monkeypatch.setattr("files.storage.s3.S3Store", lambda *given, **more: store if more.get("storage_class") else hot)
    settings.COLD_S3_STORAGE_CLASS = "STANDARD_IA"
    store.client = client
    yield store
    empty(store)
    cold_store.cache_clear()


@pytest.mark.parametrize("data", [b"", b"raw", DATA], ids=["nothing", "small", "parts"])
def test_files_move_between_buckets_and_back(db, cold, data, as_admin):
    file = store_file(make_old_run(make_instrument(cold_raw_after_days=30)), data)

    assert cool_due(clock=now, goes_on=lambda: True) == Cooled(1, len(data))

    file.refresh_from_db()
    assert (file.storage_class, file.storage_bucket, is_whole(file)) == ("cold", "cold", True)
    assert cold.client.head_object(Bucket="cold", Key=file.storage_key)["StorageClass"] == "STANDARD_IA"
    as_admin().post(f"/api/v1/files/{file.pk}/restore")
    bring_back_next(clock=now)
    file.refresh_from_db()
    assert (file.storage_class, file.storage_bucket, is_whole(file)) == ("hot", "lab", True)


def test_the_test_has_a_file_of_parts():
    assert len(DATA) > copying.PUT_AT_ONCE_BYTES
