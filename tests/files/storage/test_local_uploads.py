"""What is the local adapter's own about uploads in parts: attempts at one part that overlap, and a cut-short end."""

import errno

import pytest

from files.storage import local_uploads
from files.storage.checksums import crc32_of
from files.storage.interface import PartsRefused, StoreUnavailable, UploadMissing
from files.storage.local import LocalStore
from files.storage.local_uploads import LocalUpload, PartWriter

HELLO = b"hello world"


@pytest.fixture
def store(tmp_path):
    return LocalStore(root=tmp_path, bucket="local", secret="secret", base_url="http://127.0.0.1:8000")


def start(store, size_bytes=None, part_size=11):
    return store.start_multipart("big", content_type="text/csv", size_bytes=size_bytes, part_size=part_size)


def write_part(store, upload_id, number=1, data=HELLO):
    return PartWriter(LocalUpload(store.layout, "big", upload_id), number, size_bytes=len(data), crc32=crc32_of(data))


def test_the_newest_attempt_owns_its_part(store):
    upload_id = start(store)
    slow = write_part(store, upload_id, data=b"HELLO WORLD")
    slow.write(b"HELLO")
    quick = write_part(store, upload_id)
    quick.write(HELLO)
    part = quick.finish()

    with pytest.raises(PartsRefused, match="again"):
        slow.write(b" WORLD")

    published = store.complete_multipart("big", upload_id=upload_id, parts=[part])
    assert published.crc32 == crc32_of(HELLO)


def test_a_part_being_sent_again_does_not_count(store):
    upload_id = start(store)
    first = write_part(store, upload_id)
    first.write(HELLO)
    part = first.finish()
    write_part(store, upload_id)

    assert store.list_parts("big", upload_id=upload_id) == []
    with pytest.raises(PartsRefused, match="missing"):
        store.complete_multipart("big", upload_id=upload_id, parts=[part])


def test_nothing_is_written_into_a_published_object(store):
    upload_id = start(store)
    part = store.put_part("big", upload_id=upload_id, part_number=1, data=HELLO)
    late = write_part(store, upload_id, number=2, data=b"late")
    store.complete_multipart("big", upload_id=upload_id, parts=[part])

    with pytest.raises(UploadMissing):
        late.write(b"late")

    with store.open_range("big") as source:
        assert source.read() == HELLO


def test_a_completion_cut_short_can_be_asked_for_again(store, monkeypatch):
    upload_id = start(store)
    part = store.put_part("big", upload_id=upload_id, part_number=1, data=HELLO)
    with monkeypatch.context() as crashing:
        crashing.setattr(local_uploads, "publish_directory", raising(OSError(errno.EIO, "pulled the plug")))
        with pytest.raises(StoreUnavailable):
            store.complete_multipart("big", upload_id=upload_id, parts=[part])
    with pytest.raises(UploadMissing):
        store.put_part("big", upload_id=upload_id, part_number=1, data=HELLO.upper())

    published = store.complete_multipart("big", upload_id=upload_id, parts=[part])

    assert published.crc32 == crc32_of(HELLO)


def test_parts_of_another_total_are_refused(store):
    upload_id = start(store, size_bytes=12)
    part = store.put_part("big", upload_id=upload_id, part_number=1, data=HELLO)

    with pytest.raises(PartsRefused, match="12"):
        store.complete_multipart("big", upload_id=upload_id, parts=[part])


@pytest.mark.parametrize(("number", "size_bytes"), [(0, 11), (10_001, 11), (1, 12), (1, 0)])
def test_a_part_without_a_place_gets_no_url(store, number, size_bytes):
    upload_id = start(store)

    with pytest.raises(PartsRefused):
        store.presign_part("big", upload_id=upload_id, part_number=number, size_bytes=size_bytes, crc32="00000000")


@pytest.mark.parametrize("upload_id", ["", "x", "../../etc", "0" * 32])
def test_an_upload_that_never_began_is_missing(store, upload_id):
    with pytest.raises(UploadMissing):
        store.list_parts("big", upload_id=upload_id)


def test_an_upload_belongs_to_its_key(store):
    with pytest.raises(UploadMissing):
        store.list_parts("other", upload_id=start(store))


def raising(error):
    def fail(*arguments, **_):
        raise error

    return fail
