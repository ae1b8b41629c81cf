"""The power goes at any point of storing an object: afterwards it is there whole, or nothing of it is to be seen."""

import io
import os

import pytest

from files.storage import disk
from files.storage.local import LocalStore
from tests.files.storage.power_cut import Disk, Recorder

KEY = "runs/1/2/3/scan.raw"
HELLO = b"hello world"


@pytest.fixture
def root(tmp_path):
    (tmp_path / "objects").mkdir()
    return tmp_path / "objects"


def store_at(root):
    return LocalStore(root=root, bucket="local", secret="secret", base_url="http://127.0.0.1:8000")


def put(store, key=KEY, data=HELLO):
    return store.put(key, io.BytesIO(data), size_bytes=len(data), content_type="text/csv")


def read(store, key=KEY):
    """The bytes; None where no such object is there. Fails on a damaged one."""
    stored = store.head(key)
    if stored is None:
        return None
    with store.open_range(key) as source:
        data = source.read()
    assert stored.size_bytes == len(data)
    return data


def states_after(recorder, tmp_path):
    """Each number of calls, and the store that is found where the power went after these."""
    for count in range(len(recorder.calls) + 1):
        for names_survive in (False, True):
            place = tmp_path / f"{count} {names_survive}"
            Disk(recorder.root, recorder.calls[:count]).write_to(place, names_survive=names_survive)
            yield count, store_at(place)


@pytest.mark.parametrize("neighbours", [(), ("runs/1/2/3/other.raw",), ("runs/1/9/9/other.raw",)])
def test_an_object_is_whole_or_not_there(root, tmp_path, neighbours):
    with Recorder(root).listening() as recorder:
        for key in neighbours:
            put(store_at(root), key)
        put(store_at(root))

    found = [(count, read(store)) for count, store in states_after(recorder, tmp_path)]

    assert {data for _, data in found} == {None, HELLO}
    assert [data for count, data in found if count == len(recorder.calls)] == [HELLO, HELLO]


def test_an_object_in_a_directory_that_another_process_is_making_is_kept(root, tmp_path):
    with Recorder(root).listening() as recorder:
        for path in ("runs", "runs/1"):
            (root / path).mkdir()  # and the other one's syncs are still to come
        disk.SYNCED_DIRECTORIES.clear()
        put(store_at(root))

    kept = [read(store) for count, store in states_after(recorder, tmp_path) if count == len(recorder.calls)]

    assert kept == [HELLO, HELLO]


def test_a_deleted_object_does_not_come_back_in_part(root, tmp_path):
    with Recorder(root).listening() as recorder:
        put(store_at(root))
        stored = len(recorder.calls)
        store_at(root).delete(KEY)

    found = [read(store) for count, store in states_after(recorder, tmp_path) if count >= stored]

    assert set(found) <= {None, HELLO}


def test_an_object_costs_six_syncs(root):
    put(store_at(root), "runs/1/1/1/first.raw")

    with Recorder(root).listening() as recorder:
        put(store_at(root))

    calls = [(name, os.path.relpath(path, root)) for name, (path, *_) in recorder.calls]
    synced = [path for name, path in calls if name == "sync"]
    assert [path.rpartition("/")[2] for path in synced[:2]] == ["about.json", "data"]
    assert synced[2].startswith(".staging/")
    assert synced[3:] == ["runs/1", "runs/1/2", "runs/1/2/3"]
    # the staged directory, its two files, and the two directories that the key adds to its run's
    assert len([name for name, _ in calls if name in ("create", "mkdir")]) == 5
