import pytest

from files.storage import object_store
from tests.stores import use_files


@pytest.fixture(autouse=True)
def local_store(tmp_path, settings):
    """The service on a store of its own."""
    use_files(settings, tmp_path / "objects")
    yield object_store()
    object_store.cache_clear()
