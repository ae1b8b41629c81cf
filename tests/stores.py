"""Object stores that several tests use, one after the other."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from storages.backends.s3 import S3Storage

from files.storage import object_store, s3_connection
from files.storage.interface import ObjectStore
from files.storage.s3 import S3Store

S3_BACKEND = "storages.backends.s3.S3Storage"


def s3_store_at(
    url: str | None,
    *,
    bucket: str,
    key_id: str = "key",
    secret: str = "secret",
    public: str | None = None,
    storage_class: str | None = None,
    **more: Any,
) -> S3Store:
    """The adapter as settings make it, but that it waits for a machine that stands still; nothing is sent."""
    style = "path" if url else "virtual"
    options = {"region_name": "us-east-1", "addressing_style": style, "security_token": None} | more
    storage = S3Storage(bucket_name=bucket, endpoint_url=url, access_key=key_id, secret_key=secret, **options)
    with pytest.MonkeyPatch.context() as patience:
        for name in ("CONNECT_SECONDS", "QUICK_SECONDS"):
            patience.setattr(s3_connection, name, 60)
        return S3Store(storage, public_endpoint_url=public, storage_class=storage_class)


def use_backend(settings: Any, backend: str, **options: Any) -> None:
    settings.STORAGES = settings.STORAGES | {"objects": {"BACKEND": backend, "OPTIONS": options}}
    object_store.cache_clear()


def use_files(settings: Any, root: Path) -> None:
    """The service keeps its objects below `root`."""
    use_backend(settings, "django.core.files.storage.FileSystemStorage", location=root)


def use_s3(settings: Any, monkeypatch: Any, store: S3Store) -> None:
    """The service has this adapter: making its clients takes a second."""
    use_backend(settings, S3_BACKEND, bucket_name=store.bucket)
    monkeypatch.setattr("files.storage.s3.S3Store", lambda *arguments, **more: store)


def empty(store: ObjectStore) -> None:
    store.remove_abandoned(before=datetime.now(UTC) + timedelta(days=1))
    for stored in list(store.list()):
        store.delete(stored.key)
