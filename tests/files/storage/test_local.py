"""What is the local adapter's own: crashes, races, a full disk. Its multipart uploads: test_local_uploads.py."""

import errno
import io
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest

from files.storage.checksums import crc32_of
from files.storage.interface import BytesRefused, ObjectExists, StoreFull, StoreUnavailable
from files.storage.local import LocalStore
from files.storage.local_writer import ObjectWriter

HELLO = b"hello world"
TOMORROW = datetime.now(UTC) + timedelta(days=1)
DIE_BEFORE_THE_END = """
import os, sys
from pathlib import Path
from files.storage.layout import Layout
from files.storage.local_writer import ObjectWriter
writer = ObjectWriter(Layout(Path(sys.argv[1])), "a", size_bytes=11, content_type="text/csv", crc32=None)
writer.write(b"hello")
os.kill(os.getpid(), 9)
"""


@pytest.fixture
def store(tmp_path):
    return LocalStore(root=tmp_path, bucket="local", secret="secret", base_url="http://127.0.0.1:8000")


def put(store, key="a", data=HELLO):
    return store.put(key, io.BytesIO(data), size_bytes=len(data), content_type="text/csv")


def write_object(store, key="a", size_bytes=11, crc32=None):
    return ObjectWriter(store.layout, key, size_bytes=size_bytes, content_type="text/csv", crc32=crc32)


def leftovers(store):
    return list(store.layout.staging.iterdir())


def test_the_bytes_lie_under_their_key_as_they_came(store, tmp_path):
    put(store, "runs/1/plate.csv")

    assert (tmp_path / "runs/1/plate.csv@/data").read_bytes() == HELLO


def test_the_checksum_is_kept(store):
    assert put(store).crc32 == crc32_of(HELLO)
    assert store.head("a").crc32 == crc32_of(HELLO)


def test_a_writer_tells_what_the_store_will(store):
    written = put(store)

    assert written == store.head("a")
    assert leftovers(store) == []


def test_a_writer_that_is_killed_leaves_nothing_to_see(store, tmp_path):
    killed = subprocess.run([sys.executable, "-c", DIE_BEFORE_THE_END, str(tmp_path)], check=False)

    assert killed.returncode == -9
    assert store.head("a") is None
    assert put(store).size_bytes == 11
    assert store.remove_abandoned(before=TOMORROW) == 1
    assert leftovers(store) == []


def test_the_later_of_two_writers_loses(store):
    first, second = write_object(store), write_object(store)
    first.write(HELLO)
    second.write(HELLO.upper())
    first.finish()

    with pytest.raises(ObjectExists):
        second.finish()

    second.discard()
    assert store.head("a").crc32 == crc32_of(HELLO)
    assert leftovers(store) == []


def test_of_many_writers_one_wins(store):
    with ThreadPoolExecutor(8) as pool:
        outcomes = list(pool.map(lambda number: outcome_of_put(store, bytes([number]) * 1000), range(30)))

    assert outcomes.count("published") == 1
    assert store.head("a").crc32 == crc32_of(bytes([outcomes.index("published")]) * 1000)


def test_pruning_empty_directories_never_hurts_a_neighbour(store):
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: put_and_delete(store, f"runs/1/{number}"), range(200)))

    assert list(store.list()) == []


def test_too_many_bytes_are_refused_as_they_come(store):
    writer = write_object(store, size_bytes=4)

    with pytest.raises(BytesRefused, match="More than"):
        writer.write(HELLO)

    writer.discard()


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_leaves_nothing_half_written(store, monkeypatch, code):
    monkeypatch.setattr(os, "pwrite", raising(OSError(code, "full")))

    with pytest.raises(StoreFull):
        put(store)

    assert store.head("a") is None
    assert leftovers(store) == []


def test_a_broken_disk_is_a_store_out_of_reach(store, monkeypatch):
    monkeypatch.setattr(os, "fsync", raising(OSError(errno.EIO, "broken")))

    with pytest.raises(StoreUnavailable):
        put(store)

    assert store.head("a") is None


def test_a_nearly_full_disk_fails_the_check(store, monkeypatch):
    monkeypatch.setattr("files.storage.local.has_free_space", lambda place: False)

    with pytest.raises(StoreFull):
        store.check()


def test_a_damaged_description_is_a_store_out_of_reach(store, tmp_path):
    put(store)
    (tmp_path / "a@/about.json").write_text("{")

    with pytest.raises(StoreUnavailable):
        store.head("a")


def test_a_shortened_object_says_its_real_size(store, tmp_path):
    put(store)
    os.truncate(tmp_path / "a@/data", 5)

    assert store.head("a").size_bytes == 5


def test_deleting_leaves_no_empty_directories(store, tmp_path):
    put(store, "runs/1/a")

    store.delete("runs/1/a")

    assert not (tmp_path / "runs").exists()


def outcome_of_put(store, data):
    try:
        put(store, data=data)
    except ObjectExists:
        return "refused"
    return "published"


def put_and_delete(store, key):
    put(store, key)
    assert store.head(key)
    store.delete(key)


def raising(error):
    def fail(*arguments, **_):
        raise error

    return fail
