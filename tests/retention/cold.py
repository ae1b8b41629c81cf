"""A cold store beside the hot one, and what lies where."""

import hashlib
from typing import Any

from files.models import File
from files.storage import cold_store, object_store


def use_cold(settings: Any, root: Any) -> None:
    """A folder that is there, as a disk that is mounted."""
    root.mkdir(exist_ok=True)
    backend = {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": root}}
    settings.STORAGES = settings.STORAGES | {"cold": backend}
    cold_store.cache_clear()


def read(store: Any, key: str | None) -> bytes:
    with store.open_range(key) as source:
        return bytes(source.read())


def places_of(file: File) -> tuple[str, bool, bool]:
    """The class that the row says, and whether the hot and the cold store have what it names."""
    file.refresh_from_db()
    cold = cold_store()
    assert cold is not None
    key = file.storage_key or ""
    return file.storage_class, object_store().head(key) is not None, cold.head(key) is not None


def is_whole(file: File) -> bool:
    """What the row names is where it says, with the bytes that it says."""
    file.refresh_from_db()
    store = cold_store() if file.storage_class == "cold" else object_store()
    return hashlib.sha256(read(store, file.storage_key)).hexdigest() == file.sha256


def count_objects() -> tuple[int, int]:
    cold = cold_store()
    return len(list(object_store().list())), len(list(cold.list())) if cold else 0
