"""A service with a store, and a directory for its backups."""

import pytest

from config.backup import database
from config.backup.place import Place
from files.storage import object_store
from tests.files.conftest import s3_service, s3_store

__all__ = ["s3_service", "s3_store"]


@pytest.fixture
def local(tmp_path, settings):
    settings.IDS_DATA = tmp_path / "data"
    settings.OBJECT_STORE = {"kind": "local", "bucket": "local", "root": tmp_path / "data" / "objects"}
    object_store.cache_clear()
    yield object_store()
    object_store.cache_clear()


@pytest.fixture(params=["local", "s3"])
def store(request):
    found = request.getfixturevalue("local" if request.param == "local" else "s3_service")
    for one in list(found.list()):
        found.delete(one.key)
    return found


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path / "backups")


@pytest.fixture
def no_database(monkeypatch):
    """A restore that leaves the database of the tests as it is."""
    monkeypatch.setattr(database, "is_empty", lambda: True)
    monkeypatch.setattr(database, "restore_database", lambda source, *, privileges: None)
