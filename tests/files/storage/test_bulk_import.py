"""Bringing in objects in bulk: of two that bring the same one at once, the later one is told that it is there."""

import io

import pytest

from files.storage.bulk_import import import_object
from files.storage.interface import ObjectExists
from files.storage.local import LocalStore

KEY, DATA = "runs/a/1/b/c.raw", b"the same bytes"


class OvertakenSource(io.BytesIO):
    """While it is read, somebody else brings the same object."""

    def __init__(self, store: LocalStore) -> None:
        super().__init__(DATA)
        self.store = store

    def read(self, size: int | None = -1, /) -> bytes:
        if self.store.head(KEY) is None:
            bring(self.store, io.BytesIO(DATA))
        return super().read(size)


def bring(store: LocalStore, source: io.BytesIO) -> None:
    import_object(store, KEY, source, size_bytes=len(DATA), content_type="text/plain")


def test_who_is_overtaken_finds_the_object_there_and_leaves_nothing_behind(tmp_path):
    store = LocalStore(root=tmp_path, bucket="local", secret="s", base_url="http://objects.lab")

    with pytest.raises(ObjectExists):
        bring(store, OvertakenSource(store))

    assert [one.key for one in store.list()] == [KEY]
    assert list(store.layout.staging.iterdir()) == []
