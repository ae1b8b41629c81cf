"""A service with a local store, and a folder for all that it owns."""

import pytest

from files.storage import object_store
from tests.stores import use_files


@pytest.fixture
def store(tmp_path, settings):
    settings.IDS_DATA = tmp_path / "data"
    use_files(settings, tmp_path / "data" / "objects")
    yield object_store()
    object_store.cache_clear()


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "export"
