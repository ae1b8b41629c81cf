"""The promises of files/storage/interface.py about objects that arrive in parts."""

import io
from datetime import UTC, datetime, timedelta

import pytest

from files.storage.checksums import combine_crc32s, crc32_of
from files.storage.interface import MIN_PART_SIZE, ObjectExists, ObjectMissing, Part, PartsRefused, UploadMissing
from tests.files.storage.sending import send

FIRST = b"a" * MIN_PART_SIZE
LAST = b"the end"
WHOLE = FIRST + LAST
SIZE = len(WHOLE)


def start(store, key="big", size_bytes=SIZE):
    return store.start_multipart(key, content_type="application/zip", size_bytes=size_bytes, part_size=MIN_PART_SIZE)


def put_parts(store, upload_id, *parts, key="big"):
    return [
        store.put_part(key, upload_id=upload_id, part_number=number, data=data)
        for number, data in enumerate(parts, start=1)
    ]


def sign(store, upload_id, part_number, data, key="big"):
    return store.presign_part(
        key, upload_id=upload_id, part_number=part_number, size_bytes=len(data), crc32=crc32_of(data)
    )


def read(store, key="big"):
    with store.open_range(key) as source:
        return source.read()


def test_signed_parts_become_one_object(store):
    upload_id = start(store)
    answers = [send(sign(store, upload_id, number, data), data) for number, data in ((2, LAST), (1, FIRST))]
    parts = store.list_parts("big", upload_id=upload_id)

    published = store.complete_multipart("big", upload_id=upload_id, parts=parts)

    assert [answer.status_code for answer in answers] == [200, 200]
    assert [part.etag for part in parts] == [answer.headers["ETag"].strip('"') for answer in reversed(answers)]
    assert (published.size_bytes, published.content_type) == (len(WHOLE), "application/zip")
    assert published.crc32 in (None, crc32_of(WHOLE))
    assert store.head("big") == published
    assert read(store) == WHOLE


def test_a_worker_that_makes_the_parts_need_not_know_them_beforehand(store):
    upload_id = start(store, size_bytes=None)
    terms = {"upload_id": upload_id, "size_bytes": None, "crc32": None}
    answers = [
        send(store.presign_part("big", part_number=number, **terms), data)
        for number, data in enumerate((FIRST, LAST), start=1)
    ]

    store.complete_multipart("big", upload_id=upload_id, parts=store.list_parts("big", upload_id=upload_id))

    assert [answer.status_code for answer in answers] == [200, 200]
    assert read(store) == WHOLE


def test_parts_say_what_they_are(store):
    upload_id = start(store)

    put = put_parts(store, upload_id, FIRST, LAST)

    assert [(part.part_number, part.size_bytes) for part in put] == [(1, len(FIRST)), (2, len(LAST))]
    assert combine_crc32s((part.crc32, part.size_bytes) for part in put) == crc32_of(WHOLE)
    listed = store.list_parts("big", upload_id=upload_id)
    assert [(part.etag, part.size_bytes) for part in listed] == [(part.etag, part.size_bytes) for part in put]
    assert all(part.crc32 in (None, twin.crc32) for part, twin in zip(listed, put, strict=True))


def test_nothing_is_visible_before_the_end(store):
    put_parts(store, start(store), FIRST, LAST)

    assert store.head("big") is None
    assert list(store.list()) == []


def test_the_size_need_not_be_known_beforehand(store):
    upload_id = start(store, size_bytes=None)
    parts = put_parts(store, upload_id, FIRST, LAST)

    store.complete_multipart("big", upload_id=upload_id, parts=parts)

    assert read(store) == WHOLE


def test_a_single_short_part_is_an_object(store):
    upload_id = start(store, size_bytes=None)

    store.complete_multipart("big", upload_id=upload_id, parts=put_parts(store, upload_id, LAST))

    assert read(store) == LAST


def test_a_part_sent_again_replaces_the_first(store):
    upload_id = start(store)
    put_parts(store, upload_id, b"b" * MIN_PART_SIZE, b"another")

    store.complete_multipart("big", upload_id=upload_id, parts=put_parts(store, upload_id, FIRST, LAST))

    assert read(store) == WHOLE


def test_an_outdated_part_is_refused_and_nothing_changes(store):
    upload_id = start(store)
    outdated = put_parts(store, upload_id, b"b" * MIN_PART_SIZE, LAST)
    current = put_parts(store, upload_id, FIRST)

    with pytest.raises(PartsRefused):
        store.complete_multipart("big", upload_id=upload_id, parts=outdated)

    assert store.head("big") is None
    store.complete_multipart("big", upload_id=upload_id, parts=[*current, outdated[1]])
    assert read(store) == WHOLE


def test_a_gap_is_refused(store):
    upload_id = start(store)
    parts = put_parts(store, upload_id, FIRST, LAST)

    with pytest.raises(PartsRefused):
        store.complete_multipart("big", upload_id=upload_id, parts=parts[1:])

    assert store.head("big") is None


def test_a_part_that_never_came_is_refused(store):
    upload_id = start(store)
    parts = put_parts(store, upload_id, FIRST)

    with pytest.raises(PartsRefused):
        store.complete_multipart("big", upload_id=upload_id, parts=[*parts, Part(2, "0" * 32, len(LAST))])


def test_no_parts_are_no_object(store):
    with pytest.raises(PartsRefused):
        store.complete_multipart("big", upload_id=start(store), parts=[])


def test_a_short_part_in_the_middle_is_refused(store):
    upload_id = start(store, size_bytes=None)
    parts = put_parts(store, upload_id, LAST, LAST)

    with pytest.raises(PartsRefused, match=r"(?i)small"):
        store.complete_multipart("big", upload_id=upload_id, parts=parts)

    assert store.head("big") is None


def test_a_published_object_is_not_replaced_by_parts(store):
    upload_id = start(store)
    parts = put_parts(store, upload_id, FIRST, LAST)
    store.put("big", io.BytesIO(b"first"), size_bytes=5, content_type="text/plain")

    with pytest.raises(ObjectExists):
        store.complete_multipart("big", upload_id=upload_id, parts=parts)

    assert read(store) == b"first"


def test_an_aborted_upload_takes_nothing_more(store):
    upload_id = start(store)
    signed = sign(store, upload_id, 1, FIRST)

    store.abort_multipart("big", upload_id=upload_id)
    store.abort_multipart("big", upload_id=upload_id)

    assert send(signed, FIRST).status_code >= 400
    with pytest.raises(UploadMissing):
        store.list_parts("big", upload_id=upload_id)


def test_an_aborted_upload_cannot_be_completed(strict_store):
    upload_id = start(strict_store)
    parts = put_parts(strict_store, upload_id, FIRST, LAST)
    strict_store.abort_multipart("big", upload_id=upload_id)

    with pytest.raises(UploadMissing):
        strict_store.complete_multipart("big", upload_id=upload_id, parts=parts)


def test_a_range_of_another_object_can_be_a_part(store):
    store.put("source", io.BytesIO(b"x" + WHOLE), size_bytes=len(WHOLE) + 1, content_type="text/plain")
    upload_id = start(store)
    terms = {"upload_id": upload_id, "source_key": "source"}
    first = store.copy_part("big", part_number=1, start=1, end=1 + MIN_PART_SIZE, **terms)
    last = store.copy_part("big", part_number=2, start=1 + MIN_PART_SIZE, end=1 + len(WHOLE), **terms)

    store.complete_multipart("big", upload_id=upload_id, parts=[first, last])

    assert (first.size_bytes, last.size_bytes) == (len(FIRST), len(LAST))
    assert first.crc32 in (None, crc32_of(FIRST))
    assert read(store) == WHOLE


def test_a_range_of_nothing_can_not(store):
    with pytest.raises(ObjectMissing):
        store.copy_part("big", upload_id=start(store), part_number=1, source_key="none", start=0, end=5)


def test_the_sweep_takes_what_nobody_touched(store):
    upload_id = start(store)
    put_parts(store, upload_id, FIRST)

    early = store.remove_abandoned(before=datetime.now(UTC) - timedelta(days=1))
    late = store.remove_abandoned(before=datetime.now(UTC) + timedelta(days=1))

    assert (early, late) == (0, 1)
    with pytest.raises(UploadMissing):
        store.list_parts("big", upload_id=upload_id)
