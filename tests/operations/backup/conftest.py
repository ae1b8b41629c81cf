"""A service with a store, and a directory for its backups."""

import pytest

from files.storage import object_store
from operations.backup import database
from operations.backup.backup_directory import BackupDirectory
from tests.files.conftest import s3_service, s3_store
from tests.stores import use_files

__all__ = ["s3_service", "s3_store"]


@pytest.fixture
def local(tmp_path, settings):
    settings.IDS_DATA = tmp_path / "data"
    use_files(settings, tmp_path / "data" / "objects")
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
    return BackupDirectory(tmp_path / "backups")


@pytest.fixture
def no_database(monkeypatch):
    """A restore that leaves the database of the tests as it is."""
    monkeypatch.setattr(database, "is_empty", lambda: True)
    monkeypatch.setattr(database, "restore_database", lambda source, *, privileges: None)
